"""The tables `users` and `browser_sessions`: of no tenant, since a person may belong to several."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.members.model import MemberRole
from heliograph.core.members.users import User
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.oidc.claims import Identity

UPSERT = """
INSERT INTO users AS u (id, issuer, subject, email, name, created_at, signed_in_at)
VALUES ($1, $2, $3, $4, $5, $6, $6)
ON CONFLICT (issuer, subject) DO UPDATE
SET email = excluded.email, name = excluded.name, signed_in_at = excluded.signed_in_at
RETURNING id, issuer, subject, email, name, created_at, signed_in_at
"""

INSERT_SESSION = """
INSERT INTO browser_sessions (token_hash, user_id, created_at, seen_at, id_token)
VALUES ($1, $2, $3, $3, $4)
"""

FIND_BY_SESSION = """
SELECT u.id, u.issuer, u.subject, u.email, u.name, u.created_at, u.signed_in_at, s.seen_at
FROM browser_sessions AS s JOIN users AS u ON u.id = s.user_id
WHERE s.token_hash = $1 AND s.created_at > $2 AND s.seen_at > $3
"""

LIST_ROLES_BY_SESSION = """
SELECT s.token_hash, m.role
FROM browser_sessions AS s JOIN members AS m ON m.user_id = s.user_id
WHERE m.shard = $1 AND m.organization_id = $2 AND s.token_hash = ANY($3)
    AND s.created_at > $4 AND s.seen_at > $5
"""

TOUCH_SESSION = "UPDATE browser_sessions SET seen_at = $2 WHERE token_hash = $1"

DELETE_SESSION = "DELETE FROM browser_sessions WHERE token_hash = $1 RETURNING id_token"

DELETE_OLD_SESSIONS = """
DELETE FROM browser_sessions WHERE token_hash = ANY(ARRAY(
    SELECT token_hash FROM browser_sessions WHERE created_at < $1
    ORDER BY created_at LIMIT 1000 FOR UPDATE SKIP LOCKED
))
"""


async def upsert_user(
    connection: Connection, user_id: UUID, identity: Identity, at: datetime
) -> User:
    """The user of this identity, `user_id` when it is new, with what the provider says now."""
    row = await connection.fetchrow(
        UPSERT, user_id, identity.issuer, identity.subject, identity.email, identity.name, at
    )
    assert row is not None  # noqa: S101 - DO UPDATE always returns a row
    return User(**dict(row))


async def insert_session(
    connection: Connection, token_hash: bytes, user_id: UUID, at: datetime, id_token: bytes | None
) -> None:
    """`id_token` is encrypted."""
    await connection.execute(INSERT_SESSION, token_hash, user_id, at, id_token)


async def find_user_by_session(
    connection: Connection, token_hash: bytes, *, made_after: datetime, seen_after: datetime
) -> tuple[User, datetime] | None:
    """Whose session this is, and when it was last seen."""
    row = await connection.fetchrow(FIND_BY_SESSION, token_hash, made_after, seen_after)
    if row is None:
        return None
    values = dict(row)
    seen_at: datetime = values.pop("seen_at")
    return User(**values), seen_at


async def list_roles_by_session(
    connection: Connection,
    tenant: Tenant,
    token_hashes: Sequence[bytes],
    *,
    made_after: datetime,
    seen_after: datetime,
) -> dict[bytes, MemberRole]:
    """What those who have these sessions are in the organization, by the session's hash."""
    rows = await connection.fetch(
        LIST_ROLES_BY_SESSION, *tenant, token_hashes, made_after, seen_after
    )
    return {row["token_hash"]: MemberRole(row["role"]) for row in rows}


async def touch_session(connection: Connection, token_hash: bytes, at: datetime) -> None:
    await connection.execute(TOUCH_SESSION, token_hash, at)


async def delete_session(connection: Connection, token_hash: bytes) -> bytes | None:
    """The session's encrypted ID token, if it has one."""
    id_token: bytes | None = await connection.fetchval(DELETE_SESSION, token_hash)
    return id_token


async def delete_old_sessions(connection: Connection, before: datetime) -> None:
    """Some of those made before this."""
    await connection.execute(DELETE_OLD_SESSIONS, before)
