"""Members: which users belong to an organization, as what, and who is invited."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Organization, Plan, Tenant


class MemberRole(StrEnum):
    """What a person is in an organization; each may what the next may, and more."""

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
