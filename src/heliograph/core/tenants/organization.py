"""Organizations: the tenants of a gateway."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec


class Tenant(NamedTuple):
    """Whose data it is, and where it lies: what every statement on a tenant's tables names."""

    shard: int
    organization_id: UUID


class Organization(msgspec.Struct, frozen=True):
    """`plan` is the name of one of `plans`."""

    id: UUID
    shard: int
    name: str
    plan: str
    created_at: datetime

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.shard, self.id)
