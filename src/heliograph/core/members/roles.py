"""What each role may do: one table, shown in `docs/dashboard.md` and held to it by a test.

Roles grant the scopes of API keys, and some that no key has: `members:*` for who belongs to the
organization, `owners:write` for who owns it.
"""

from collections.abc import Mapping

from heliograph.core.members.model import MemberRole, Membership
from heliograph.core.members.users import User
from heliograph.core.tenants.model import Principal, implied_scopes

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

_GRANTED = {role: implied_scopes(scopes) | frozenset(scopes) for role, scopes in ROLES.items()}


def granted_scopes(role: MemberRole) -> frozenset[str]:
    """Every scope that the role grants, those that follow from others included."""
    return _GRANTED[role]


def member_principal(user: User, membership: Membership) -> Principal:
    """A person at work in one of their organizations."""
    return Principal(
        tenant=membership.organization.tenant,
        scopes=granted_scopes(membership.role),
        name=user.name,
        plan=membership.plan,
        user_id=user.id,
    )
