"""Tenants: organizations, their plans, and the principals that act for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.errors import MissingScopeError


class Tenant(NamedTuple):
    """An organization and its shard, which every statement on a tenant's tables names."""

    shard: int
    organization_id: UUID


class Organization(msgspec.Struct, frozen=True):
    """A customer of the gateway; `plan` is the name of a plan."""

    id: UUID
    shard: int
    name: str
    plan: str
    created_at: datetime

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.shard, self.id)


FREE = "free"
PRO = "pro"
UNLIMITED = "unlimited"
DEFAULT_PLAN = PRO
"""The plan of a new organization for which none is named."""


class Plan(msgspec.Struct, frozen=True):
    """One row of `plans`; None is no limit.

    `requests_per_minute` holds for all keys of an organization together, `key_requests_per_minute`
    for each of them. Days and months are those of UTC. `retention_days` is how long a message is
    kept after its last change.
    """

    name: str
    requests_per_minute: int | None = None
    key_requests_per_minute: int | None = None
    messages_per_day: int | None = None
    messages_per_month: int | None = None
    accounts: int | None = None
    webhooks: int | None = None
    api_keys: int | None = None
    retention_days: int | None = None

    @property
    def limits_messages(self) -> bool:
        return self.messages_per_day is not None or self.messages_per_month is not None


PLAN_LIMITS = tuple(name for name in Plan.__struct_fields__ if name != "name")
"""What a plan can limit, in the order of display."""

NO_LIMITS = Plan(UNLIMITED)
"""The plan of the operator."""


RESOURCES = ("messages", "conversations", "groups", "contacts", "webhooks")
SCOPES = tuple(
    f"{resource}:{verb}" for resource in (*RESOURCES, "admin") for verb in ("read", "write")
)

MEMBER_SCOPES = ("members:read", "members:write", "owners:write")
"""Scopes that no API key grants: to read and change an organization's members and owners."""


def implied_scopes(scopes: Iterable[str] | None) -> frozenset[str]:
    """Return every scope that these grant. None, a key without scopes, grants all.

    `resource:write` grants `resource:read`; `admin:read` every `*:read`; `admin:write` everything.
    """
    if scopes is None:
        return frozenset(SCOPES)
    granted = set(scopes)
    if "admin:write" in granted:
        return frozenset(SCOPES)
    if "admin:read" in granted:
        granted.update(scope for scope in SCOPES if scope.endswith(":read"))
    granted.update(
        scope.removesuffix(":write") + ":read"
        for scope in tuple(granted)
        if scope.endswith(":write")
    )
    return frozenset(granted)


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller: an organization, and all scopes granted there, implied ones included.

    `key_id` is the public part of an API key, `user_id` a person's who has signed in; the command
    line, which is the operator, has neither. `plan` is the organization's, cached as long as the
    key is; the operator has no limits.
    """

    tenant: Tenant
    scopes: frozenset[str]
    key_id: str | None = None
    name: str = ""
    plan: Plan = NO_LIMITS
    user_id: UUID | None = None

    @property
    def organization_id(self) -> UUID:
        return self.tenant.organization_id

    @property
    def actor(self) -> str:
        """How the audit log names the caller."""
        if self.key_id is not None:
            return f"key {self.key_id}"
        return "operator" if self.user_id is None else f"user {self.user_id}"

    def may(self, scope: str) -> bool:
        return scope in self.scopes

    def require(self, scope: str) -> None:
        """Raise `MissingScopeError` unless the scope is granted."""
        if not self.may(scope):
            raise MissingScopeError(scope)


def operator(tenant: Tenant) -> Principal:
    """Return the principal of the command line: who can read the data directory may do
    everything."""
    return Principal(tenant=tenant, scopes=frozenset((*SCOPES, *MEMBER_SCOPES)), name="operator")
