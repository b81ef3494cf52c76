"""The tables `members` and `invitations`."""

from datetime import datetime
from uuid import UUID

from heliograph.core.members.model import Invitation, Member, MemberRole, Membership
from heliograph.core.organizations.plans_sql import read_plan
from heliograph.core.tenants.model import Organization, Tenant
from heliograph.platform.database.pool import Connection, Row

# By the user alone: which organizations there are for somebody is what is asked.
LIST_OF_USER = """
SELECT o.id, o.shard, o.name, o.plan, o.created_at, m.role, p.requests_per_minute,
    p.key_requests_per_minute, p.messages_per_day, p.messages_per_month, p.accounts, p.webhooks,
    p.api_keys, p.retention_days
FROM members AS m JOIN organizations AS o ON o.id = m.organization_id
JOIN plans AS p ON p.name = o.plan
WHERE m.user_id = $1 ORDER BY o.name, o.id
"""

LIST = """
SELECT m.shard, m.organization_id, m.user_id, m.role, m.created_at, u.name, u.email
FROM members AS m JOIN users AS u ON u.id = m.user_id
WHERE m.shard = $1 AND m.organization_id = $2 ORDER BY u.name, m.user_id
"""

# Whoever changes who belongs to an organization waits for the others who do: an owner is to stay.
LOCK = "SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE"

FIND_ROLE = """
SELECT role FROM members WHERE shard = $1 AND organization_id = $2 AND user_id = $3
"""

COUNT_OWNERS = """
SELECT count(*) FROM members WHERE shard = $1 AND organization_id = $2 AND role = 'owner'
"""

COUNT = "SELECT count(*) FROM members WHERE shard = $1 AND organization_id = $2"

INSERT = """
INSERT INTO members (shard, organization_id, user_id, role, created_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shard, organization_id, user_id) DO NOTHING
RETURNING user_id
"""

UPDATE_ROLE = """
UPDATE members SET role = $4 WHERE shard = $1 AND organization_id = $2 AND user_id = $3
"""

DELETE = "DELETE FROM members WHERE shard = $1 AND organization_id = $2 AND user_id = $3"

INSERT_INVITATION = """
INSERT INTO invitations (
    shard, organization_id, id, email, role, invited_by, created_at, expires_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""

LIST_INVITATIONS = """
SELECT shard, organization_id, id, email, role, invited_by, created_at, expires_at
FROM invitations WHERE shard = $1 AND organization_id = $2 AND expires_at > $3
ORDER BY created_at, id
"""

FIND_INVITATION = """
SELECT shard, organization_id, id, email, role, invited_by, created_at, expires_at
FROM invitations WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
"""

TAKE_INVITATION = """
DELETE FROM invitations WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
RETURNING shard, organization_id, id, email, role, invited_by, created_at, expires_at
"""


async def list_memberships(connection: Connection, user_id: UUID) -> list[Membership]:
    return [_membership(row) for row in await connection.fetch(LIST_OF_USER, user_id)]


async def list_members(connection: Connection, tenant: Tenant) -> list[Member]:
    return [_member(row) for row in await connection.fetch(LIST, *tenant)]


async def lock_members(connection: Connection, organization_id: UUID) -> None:
    """Nobody else changes who belongs to the organization until this transaction ends."""
    await connection.execute(LOCK, organization_id)


async def find_role(connection: Connection, tenant: Tenant, user_id: UUID) -> MemberRole | None:
    role = await connection.fetchval(FIND_ROLE, *tenant, user_id)
    return None if role is None else MemberRole(role)


async def count_owners(connection: Connection, tenant: Tenant) -> int:
    return int(await connection.fetchval(COUNT_OWNERS, *tenant))


async def count_members(connection: Connection, tenant: Tenant) -> int:
    return int(await connection.fetchval(COUNT, *tenant))


async def insert_member(
    connection: Connection, tenant: Tenant, user_id: UUID, role: MemberRole, at: datetime
) -> bool:
    """Whether they were none before; who is one already stays what they are."""
    return await connection.fetchval(INSERT, *tenant, user_id, role, at) is not None


async def update_role(
    connection: Connection, tenant: Tenant, user_id: UUID, role: MemberRole
) -> None:
    await connection.execute(UPDATE_ROLE, *tenant, user_id, role)


async def delete_member(connection: Connection, tenant: Tenant, user_id: UUID) -> None:
    await connection.execute(DELETE, *tenant, user_id)


async def insert_invitation(connection: Connection, invitation: Invitation) -> None:
    await connection.execute(
        INSERT_INVITATION,
        *invitation.tenant,
        invitation.id,
        invitation.email,
        invitation.role,
        invitation.invited_by,
        invitation.created_at,
        invitation.expires_at,
    )


async def list_invitations(
    connection: Connection, tenant: Tenant, now: datetime
) -> list[Invitation]:
    """Those that can still be accepted, oldest first."""
    return [_invitation(row) for row in await connection.fetch(LIST_INVITATIONS, *tenant, now)]


async def find_invitation(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime
) -> Invitation | None:
    row = await connection.fetchrow(FIND_INVITATION, *tenant, invitation_id, now)
    return None if row is None else _invitation(row)


async def take_invitation(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime
) -> Invitation | None:
    """The invitation, which is gone with that."""
    row = await connection.fetchrow(TAKE_INVITATION, *tenant, invitation_id, now)
    return None if row is None else _invitation(row)


def _membership(row: Row) -> Membership:
    fields = ("id", "shard", "name", "plan", "created_at")
    organization = Organization(**{name: row[name] for name in fields})
    return Membership(organization, MemberRole(row["role"]), read_plan(row, "plan"))


def _member(row: Row) -> Member:
    return Member(
        tenant=Tenant(row["shard"], row["organization_id"]),
        user_id=row["user_id"],
        role=MemberRole(row["role"]),
        created_at=row["created_at"],
        name=row["name"],
        email=row["email"],
    )


def _invitation(row: Row) -> Invitation:
    return Invitation(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        email=row["email"],
        role=MemberRole(row["role"]),
        invited_by=row["invited_by"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )
