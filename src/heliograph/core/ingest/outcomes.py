"""The kinds of news that an account's session and its workers report."""

from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.jobs.model import Job, JobStatus
from heliograph.core.tenants.model import Tenant
from heliograph.networks.port import Event, GroupSeen, Sent


class MessageTaken(msgspec.Struct, frozen=True):
    """The network took a message."""

    message_id: UUID
    sent: Sent


class MessageRefused(msgspec.Struct, frozen=True):
    """A message will not be sent, and why, in words for a person."""

    message_id: UUID
    reason: str


class MessagePostponed(msgspec.Struct, frozen=True):
    """A message goes back into the queue, until `next_attempt_at` or, None, until its turn comes.

    `counts` says whether this was a try. `connected_seconds` is the time since the last try during
    which the account was connected.
    """

    message_id: UUID
    next_attempt_at: datetime | None
    reason: str | None
    counts: bool
    connected_seconds: float = 0.0


class JobEnded(msgspec.Struct, frozen=True):
    """A job is over. `group` is the group that it made or joined."""

    job: Job
    status: JobStatus
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    group: GroupSeen | None = None


News: TypeAlias = Event | MessageTaken | MessageRefused | MessagePostponed | JobEnded


class Report(msgspec.Struct, frozen=True):
    """News of one account, and the lease under which its session may tell it."""

    lease: Lease
    network: str
    news: News

    @property
    def tenant(self) -> Tenant:
        return self.lease.tenant

    @property
    def account_id(self) -> UUID:
        return self.lease.resource_id
