"""The columns `attempts` and `in_doubt` of `messages`: the failed attempts to send a message.

They are in the message's row since they are written and deleted with it.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.messages.model import Attempt
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

KEPT = 20
"""Attempts kept for one message: the first and the newest."""

# The first one is kept and the second one is dropped.
_APPENDED = """CASE WHEN jsonb_array_length(m.attempts) >= {kept} THEN m.attempts - 1
        ELSE coalesce(m.attempts, '[]') END || {attempt}"""


def appended(attempt: str) -> str:
    """Return an SQL expression for the attempts of the message `m` with this one, a jsonb object,
    added."""
    return _APPENDED.replace("{kept}", str(KEPT)).replace("{attempt}", attempt)


_ATTEMPTS = Columns("organization_id uuid, id uuid, attempt jsonb, certain boolean")
INSERT = statement(
    """
UPDATE messages AS m SET in_doubt = m.in_doubt OR NOT k.certain, attempts = {attempts}
FROM {rows}
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
""".replace("{attempts}", appended("k.attempt")),
    _ATTEMPTS,
)


async def insert_attempts(
    connection: Connection, shards: Shards, attempts: Sequence[tuple[UUID, UUID, Attempt]]
) -> None:
    """Record attempts of locked messages, given by (organization id, id); one for each message."""
    rows = [
        (organization_id, id_, msgspec.json.encode(attempt).decode(), attempt.certain)
        for organization_id, id_, attempt in attempts
    ]
    await connection.execute(*INSERT.transpose(shards, rows))


class KeptAttempts(msgspec.Struct, frozen=True):
    """A message's failed attempts, oldest first; whether one of them may have sent it; and when the
    next attempt is planned, if one is."""

    kept: Sequence[Attempt] = ()
    in_doubt: bool = False
    next_attempt_at: datetime | None = None


NO_ATTEMPTS = KeptAttempts()

FIND = """
SELECT attempts, in_doubt, next_attempt_at FROM messages
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""
_kept = msgspec.json.Decoder(list[Attempt])
_attempts_of = reads(
    KeptAttempts, kept=lambda row: _kept.decode(row["attempts"]) if row["attempts"] else ()
)


async def find_attempts(connection: Connection, tenant: Tenant, message_id: UUID) -> KeptAttempts:
    rows = await connection.fetch(FIND, *tenant, message_id)
    return _attempts_of(rows[0]) if rows else NO_ATTEMPTS
