"""Who asks, and what they may: the scopes and their hierarchy."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from heliograph.core.tenants.organization import Tenant
from heliograph.core.tenants.plan import NO_LIMITS, Plan
from heliograph.errors import MissingScopeError

RESOURCES = ("messages", "conversations", "groups", "contacts", "webhooks")
SCOPES = tuple(
    f"{resource}:{verb}" for resource in (*RESOURCES, "admin") for verb in ("read", "write")
)

MEMBER_SCOPES = ("members:read", "members:write", "owners:write")
"""What no API key grants: to see and change who belongs to an organization, and who owns it."""


def implied_scopes(scopes: Iterable[str] | None) -> frozenset[str]:
    """Every scope that these grant. None, a key without scopes, grants all.

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
    """A caller: an organization, and the scopes that are granted there (hierarchy applied).

    `key_id` is the public part of an API key, `user_id` a person's who has signed in; the command
    line, which is the operator, has neither. `plan` is the organization's, believed as long as the
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
        """Who this is in the audit log."""
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
    """The command line beside the gateway: whoever can read the data directory may do all."""
    return Principal(tenant=tenant, scopes=frozenset((*SCOPES, *MEMBER_SCOPES)), name="operator")
