"""Users, the organizations they are members of, and what their role grants them there."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.tenants.model import OPERATOR, Organization, Principal, Tenant
from heliograph.core.tenants.plans import Plan
from heliograph.core.tenants.scopes import implied_scopes


class User(msgspec.Struct, frozen=True):
    """A person, as an OpenID Connect provider identifies them."""

    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str


class SignInClient(NamedTuple):
    """Where somebody signs in: their address, and what their browser calls itself."""

    address: str | None = None
    agent: str | None = None


class BrowserSession(msgspec.Struct, frozen=True):
    """A browser in which somebody is signed in. `address` is where it was seen last."""

    id: UUID
    token_hash: bytes
    created_at: datetime
    seen_at: datetime
    address: str | None
    agent: str | None


class MemberRole(StrEnum):
    """A person's role in an organization. Each grants what the next one grants, and more."""

    OWNER = "owner"
    ADMIN = "admin"
    AGENT = "agent"
    VIEWER = "viewer"


class Member(msgspec.Struct, frozen=True):
    tenant: Tenant
    user_id: UUID
    role: MemberRole
    created_at: datetime
    name: str
    email: str | None


class MemberRecord(TypedDict):
    """A person of the organization, as clients see them."""

    id: Annotated[UUID, Doc("What `assignee_user_id` of a conversation takes.")]
    name: str
    role: Annotated[str, Doc("`owner`, `admin`, `agent` or `viewer`.")]


class MemberListRecord(TypedDict):
    """A page of members by name; `total` counts all of them."""

    members: list[MemberRecord]
    total: int
    limit: int
    offset: int


class Membership(msgspec.Struct, frozen=True):
    """Seen from the user: an organization, its plan, and the role there."""

    organization: Organization
    role: MemberRole
    plan: Plan


class Invitation(msgspec.Struct, frozen=True):
    """`email` is in lower case; `invited_by` is a name to show."""

    tenant: Tenant
    id: UUID
    email: str
    role: MemberRole
    invited_by: str
    created_at: datetime
    expires_at: datetime

    @property
    def is_by_operator(self) -> bool:
        return self.invited_by == OPERATOR


ROLES: Mapping[MemberRole, tuple[str, ...]] = {
    MemberRole.OWNER: ("admin:write", "members:read", "members:write", "owners:write"),
    MemberRole.ADMIN: ("admin:write", "members:read", "members:write"),
    MemberRole.AGENT: (
        "admin:read",
        "members:read",
        "messages:write",
        "conversations:write",
        "contacts:write",
        "groups:write",
    ),
    MemberRole.VIEWER: ("admin:read", "members:read"),
}
"""What each role may do: one table, shown in `docs/dashboard.md` and held to it by a test.

Roles grant the scopes of API keys, and some that no key has: `members:*` to see and change
members, `owners:write` to change owners.
"""

_GRANTED = {role: implied_scopes(scopes) | frozenset(scopes) for role, scopes in ROLES.items()}


def granted_scopes(role: MemberRole) -> frozenset[str]:
    """Return every scope that the role grants, also those implied by others."""
    return _GRANTED[role]


def member_principal(user: User, membership: Membership) -> Principal:
    """Make the principal of a person in one of their organizations."""
    return Principal(
        tenant=membership.organization.tenant,
        scopes=granted_scopes(membership.role),
        name=user.name,
        plan=membership.plan,
        user_id=user.id,
    )


def author_principal(user: User, tenant: Tenant) -> Principal:
    """Make a principal without scopes for the audit log's entry about a person, whether they belong
    to the organization or not."""
    return Principal(tenant, frozenset(), name=user.name, user_id=user.id)
