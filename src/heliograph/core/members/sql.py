"""The tables `members`, `invitations`, `users` and `browser_sessions`. The last two belong to no
tenant, since a person may belong to several."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.members.model import (
    BrowserSession,
    Invitation,
    Member,
    MemberRole,
    Membership,
    User,
)
from heliograph.core.organizations.sql import PLAN_COLUMNS, organization_of, read_plan
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_columns, tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads
from heliograph.platform.oidc.claims import Identity

# --- members -------------------------------------------------------------------------------------

# By the user alone: it finds somebody's organizations.
LIST_OF_USER = """
SELECT o.id, o.shard, o.name, o.plan, o.created_at, m.role, {limits}
FROM members AS m JOIN organizations AS o ON o.id = m.organization_id
JOIN plans AS p ON p.name = o.plan
WHERE m.user_id = $1 ORDER BY o.name, o.id
""".replace("{limits}", PLAN_COLUMNS)

_membership_of = reads(
    Membership, organization=organization_of, plan=lambda row: read_plan(row, "plan")
)


async def list_memberships(connection: Connection, user_id: UUID) -> list[Membership]:
    return [_membership_of(row) for row in await connection.fetch(LIST_OF_USER, user_id)]


LIST_MEMBERS = """
SELECT m.shard, m.organization_id, m.user_id, m.role, m.created_at, u.name, u.email
FROM members AS m JOIN users AS u ON u.id = m.user_id
WHERE m.shard = $1 AND m.organization_id = $2 ORDER BY u.name, m.user_id
"""

_member_of = reads(Member, tenant=tenant_of)


async def list_members(connection: Connection, tenant: Tenant) -> list[Member]:
    return [_member_of(row) for row in await connection.fetch(LIST_MEMBERS, *tenant)]


FIND_ROLE = """
SELECT role FROM members WHERE shard = $1 AND organization_id = $2 AND user_id = $3
"""


async def find_role(connection: Connection, tenant: Tenant, user_id: UUID) -> MemberRole | None:
    role = await connection.fetchval(FIND_ROLE, *tenant, user_id)
    return None if role is None else MemberRole(role)


# People whom the present provider does not know sign in as somebody else, and must be invited
# again.
FIND_ROLE_OF_EMAIL = """
SELECT m.role FROM members AS m JOIN users AS u ON u.id = m.user_id
WHERE m.shard = $1 AND m.organization_id = $2 AND lower(u.email) = $3
    AND ($4::text IS NULL OR u.issuer = $4)
ORDER BY m.created_at LIMIT 1
"""


async def find_role_of_email(
    connection: Connection, tenant: Tenant, email: str, issuer: str | None
) -> MemberRole | None:
    """Find the role of the member with this address in lower case, among those of a provider or,
    without one, among all."""
    role = await connection.fetchval(FIND_ROLE_OF_EMAIL, *tenant, email, issuer)
    return None if role is None else MemberRole(role)


COUNT_OWNERS = """
SELECT count(*) FROM members WHERE shard = $1 AND organization_id = $2 AND role = 'owner'
"""


async def count_owners(connection: Connection, tenant: Tenant) -> int:
    return int(await connection.fetchval(COUNT_OWNERS, *tenant))


COUNT_MEMBERS = "SELECT count(*) FROM members WHERE shard = $1 AND organization_id = $2"


async def count_members(connection: Connection, tenant: Tenant) -> int:
    return int(await connection.fetchval(COUNT_MEMBERS, *tenant))


INSERT_MEMBER = """
INSERT INTO members (shard, organization_id, user_id, role, created_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shard, organization_id, user_id) DO NOTHING
RETURNING user_id
"""


async def insert_member(
    connection: Connection, tenant: Tenant, user_id: UUID, role: MemberRole, at: datetime
) -> bool:
    """Make the user a member. False when they are one already; their role stays as it is."""
    return await connection.fetchval(INSERT_MEMBER, *tenant, user_id, role, at) is not None


UPDATE_ROLE = """
UPDATE members SET role = $4 WHERE shard = $1 AND organization_id = $2 AND user_id = $3
"""


async def update_role(
    connection: Connection, tenant: Tenant, user_id: UUID, role: MemberRole
) -> None:
    await connection.execute(UPDATE_ROLE, *tenant, user_id, role)


DELETE_MEMBER = "DELETE FROM members WHERE shard = $1 AND organization_id = $2 AND user_id = $3"


async def delete_member(connection: Connection, tenant: Tenant, user_id: UUID) -> None:
    await connection.execute(DELETE_MEMBER, *tenant, user_id)


DELETE_ALL_MEMBERS = "DELETE FROM members WHERE shard = $1 AND organization_id = $2"


async def delete_all_members(connection: Connection, tenant: Tenant) -> None:
    await connection.execute(DELETE_ALL_MEMBERS, *tenant)


# --- invitations ---------------------------------------------------------------------------------

_invitation_of = reads(Invitation, tenant=tenant_of)

_INVITATION = tenant_columns(
    "id uuid, email text, role text, invited_by text, created_at timestamptz,"
    " expires_at timestamptz"
)
INSERT_INVITATION = _INVITATION.fill("""
INSERT INTO invitations (shard, {names}) SELECT $1, {values} FROM {rows}
""")


async def insert_invitation(connection: Connection, invitation: Invitation) -> None:
    await connection.execute(
        INSERT_INVITATION, invitation.tenant.shard, *_INVITATION.of([invitation])
    )


DELETE_INVITATIONS = """
DELETE FROM invitations
WHERE shard = $1 AND organization_id = $2 AND (email = $3 OR expires_at <= $4)
"""


async def delete_invitations(
    connection: Connection, tenant: Tenant, email: str, now: datetime
) -> None:
    """Delete the invitations of this address, and those that have expired."""
    await connection.execute(DELETE_INVITATIONS, *tenant, email, now)


DELETE_ALL_INVITATIONS = "DELETE FROM invitations WHERE shard = $1 AND organization_id = $2"


async def delete_all_invitations(connection: Connection, tenant: Tenant) -> None:
    await connection.execute(DELETE_ALL_INVITATIONS, *tenant)


LIST_INVITATIONS = """
SELECT * FROM invitations WHERE shard = $1 AND organization_id = $2 AND expires_at > $3
ORDER BY created_at, id
"""


async def list_invitations(
    connection: Connection, tenant: Tenant, now: datetime
) -> list[Invitation]:
    return [_invitation_of(row) for row in await connection.fetch(LIST_INVITATIONS, *tenant, now)]


FIND_INVITATION = """
SELECT * FROM invitations
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
"""


async def find_invitation(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime
) -> Invitation | None:
    row = await connection.fetchrow(FIND_INVITATION, *tenant, invitation_id, now)
    return _invitation_of(row) if row else None


UPDATE_CODE = """
UPDATE invitations SET code_hash = $5
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
RETURNING *
"""


async def update_invitation_code(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime, code_hash: bytes
) -> Invitation | None:
    """Let this code accept the invitation, and no earlier one; None when it can't be accepted any
    more."""
    row = await connection.fetchrow(UPDATE_CODE, *tenant, invitation_id, now, code_hash)
    return _invitation_of(row) if row else None


TAKE_INVITATION = """
DELETE FROM invitations WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
RETURNING *
"""

TAKE_INVITATION_BY_CODE = """
DELETE FROM invitations WHERE shard = $1 AND organization_id = $2 AND id = $3 AND expires_at > $4
    AND code_hash = $5
RETURNING *
"""


async def take_invitation(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime
) -> Invitation | None:
    """Delete the invitation and return it; None when it can't be accepted any more."""
    row = await connection.fetchrow(TAKE_INVITATION, *tenant, invitation_id, now)
    return _invitation_of(row) if row else None


async def take_invitation_by_code(
    connection: Connection, tenant: Tenant, invitation_id: UUID, now: datetime, code_hash: bytes
) -> Invitation | None:
    """Do the same; return None, too, when it has another code or none."""
    found = await connection.fetchrow(
        TAKE_INVITATION_BY_CODE, *tenant, invitation_id, now, code_hash
    )
    return _invitation_of(found) if found else None


# --- users and their sessions --------------------------------------------------------------------

_user_of = reads(User)

UPSERT_USER = """
INSERT INTO users (id, issuer, subject, email, name) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (issuer, subject) DO UPDATE SET email = excluded.email, name = excluded.name
RETURNING *
"""


async def upsert_user(connection: Connection, user_id: UUID, identity: Identity) -> User:
    """Store what the provider says of this identity now; a new user gets the id `user_id`."""
    row = await connection.fetchrow(
        UPSERT_USER, user_id, identity.issuer, identity.subject, identity.email, identity.name
    )
    assert row is not None  # noqa: S101 - DO UPDATE always returns a row
    return _user_of(row)


LIST_NAMES = "SELECT id, name FROM users WHERE id = ANY($1::uuid[])"


async def list_names(connection: Connection, user_ids: Sequence[UUID]) -> dict[UUID, str]:
    """List the names of users, whatever organization they belong to: the ids are of records that
    the caller may see. Unknown ids are left out."""
    return {row["id"]: row["name"] for row in await connection.fetch(LIST_NAMES, user_ids)}


INSERT_SESSION = """
INSERT INTO browser_sessions
    (token_hash, user_id, created_at, seen_at, id_token, id, address, agent)
VALUES ($1, $2, $3, $3, $4, $5, $6, $7)
ON CONFLICT (token_hash) DO NOTHING RETURNING id
"""


async def insert_session(
    connection: Connection, session: BrowserSession, user_id: UUID, id_token: bytes | None
) -> bool:
    """Insert a session; `id_token` is encrypted. False when an earlier try has inserted it."""
    row = await connection.fetchrow(
        INSERT_SESSION,
        session.token_hash,
        user_id,
        session.created_at,
        id_token,
        session.id,
        session.address,
        session.agent,
    )
    return row is not None


LIST_SESSIONS = """
SELECT id, token_hash, created_at, seen_at, address, agent FROM browser_sessions
WHERE user_id = $1 AND created_at > $2 AND seen_at > $3
ORDER BY seen_at DESC, id LIMIT $4
"""

_session_of = reads(BrowserSession)


async def list_sessions(
    connection: Connection,
    user_id: UUID,
    *,
    made_after: datetime,
    seen_after: datetime,
    limit: int,
) -> list[BrowserSession]:
    """List a person's sessions, those that were seen last first."""
    rows = await connection.fetch(LIST_SESSIONS, user_id, made_after, seen_after, limit)
    return [_session_of(row) for row in rows]


DELETE_SESSION_OF = "DELETE FROM browser_sessions WHERE user_id = $1 AND id = $2 RETURNING id"


async def delete_session_of(connection: Connection, user_id: UUID, session_id: UUID) -> int:
    """Delete this session of a person. Returns how many went."""
    return len(await connection.fetch(DELETE_SESSION_OF, user_id, session_id))


DELETE_OTHER_SESSIONS = """
DELETE FROM browser_sessions WHERE user_id = $1 AND token_hash <> $2 RETURNING id
"""


async def delete_other_sessions(connection: Connection, user_id: UUID, token_hash: bytes) -> int:
    """Delete all sessions of a person but this one. Returns how many went."""
    return len(await connection.fetch(DELETE_OTHER_SESSIONS, user_id, token_hash))


FIND_BY_SESSION = """
SELECT u.*, s.seen_at
FROM browser_sessions AS s JOIN users AS u ON u.id = s.user_id
WHERE s.token_hash = $1 AND s.created_at > $2 AND s.seen_at > $3
"""


async def find_user_by_session(
    connection: Connection, token_hash: bytes, *, made_after: datetime, seen_after: datetime
) -> tuple[User, datetime] | None:
    """Find whose session this is, and when it was last seen."""
    row = await connection.fetchrow(FIND_BY_SESSION, token_hash, made_after, seen_after)
    return (_user_of(row), row["seen_at"]) if row else None


LIST_ROLES_BY_SESSION = """
SELECT s.token_hash, m.role
FROM browser_sessions AS s JOIN members AS m ON m.user_id = s.user_id
WHERE m.shard = $1 AND m.organization_id = $2 AND s.token_hash = ANY($3)
    AND s.created_at > $4 AND s.seen_at > $5
"""


async def list_roles_by_session(
    connection: Connection,
    tenant: Tenant,
    token_hashes: Sequence[bytes],
    *,
    made_after: datetime,
    seen_after: datetime,
) -> dict[bytes, MemberRole]:
    rows = await connection.fetch(
        LIST_ROLES_BY_SESSION, *tenant, token_hashes, made_after, seen_after
    )
    return {row["token_hash"]: MemberRole(row["role"]) for row in rows}


TOUCH_SESSION = """
UPDATE browser_sessions SET seen_at = $2, address = coalesce($3, address) WHERE token_hash = $1
"""


async def touch_session(
    connection: Connection, token_hash: bytes, at: datetime, address: str | None
) -> None:
    await connection.execute(TOUCH_SESSION, token_hash, at, address)


DELETE_SESSION = "DELETE FROM browser_sessions WHERE token_hash = $1 RETURNING id_token"


async def delete_session(connection: Connection, token_hash: bytes) -> bytes | None:
    """Delete the session. Returns its encrypted ID token, if it has one."""
    id_token: bytes | None = await connection.fetchval(DELETE_SESSION, token_hash)
    return id_token


DELETE_OLD_SESSIONS = """
DELETE FROM browser_sessions WHERE token_hash = ANY(ARRAY(
    SELECT token_hash FROM browser_sessions WHERE created_at < $1
    ORDER BY created_at LIMIT 1000 FOR UPDATE SKIP LOCKED
))
"""


async def delete_old_sessions(connection: Connection, before: datetime) -> None:
    """Delete some of the sessions made before this."""
    await connection.execute(DELETE_OLD_SESSIONS, before)
