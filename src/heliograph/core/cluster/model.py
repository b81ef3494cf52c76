"""Who owns what: a node holds a lease on an account or a webhook, under an epoch."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class Lease(msgspec.Struct, frozen=True):
    """`epoch` grows at each take-over; what an owner writes later names the epoch it had."""

    tenant: Tenant
    resource_id: UUID
    node_id: UUID
    epoch: int


class Node(msgspec.Struct, frozen=True):
    """One process of the gateway. It lives as long as its lease is renewed."""

    id: UUID
    name: str
    roles: tuple[str, ...]
    version: str
    admin_port: int | None
    started_at: datetime
    lease_expires_at: datetime
