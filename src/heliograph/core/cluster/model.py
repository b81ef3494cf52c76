"""Nodes, their leases on accounts and webhooks, and the backlog."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class Lease(msgspec.Struct, frozen=True):
    """A node's ownership of a resource; `epoch`, its fencing token, grows at each take-over."""

    tenant: Tenant
    resource_id: UUID
    node_id: UUID
    epoch: int


class Node(msgspec.Struct, frozen=True):
    """One process of the gateway. It is alive for as long as its lease is renewed."""

    id: UUID
    name: str
    roles: tuple[str, ...]
    version: str
    admin_port: int | None
    started_at: datetime
    lease_expires_at: datetime


class Holding(msgspec.Struct, frozen=True):
    """How many leases of a shard a node holds; `node_id` None stands for free leases."""

    shard: int
    node_id: UUID | None
    count: int


class Backlog(msgspec.Struct, frozen=True):
    """Messages in the queue and webhook deliveries that wait for an attempt; ages in seconds.

    `messages_age` is how long the oldest queued message has waited, `deliveries_age` how long the
    oldest due delivery has been due; 0 when there is none. Disabled webhooks are not counted.
    """

    messages: int
    messages_age: float
    deliveries: int
    deliveries_age: float
