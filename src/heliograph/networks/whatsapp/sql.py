"""The driver's tables: ids of sent messages, messages that are needed later, unprocessed events,
and the devices of accounts.

The library chooses a message's id itself, and returns it when the message is sent. So the gateway's
earlier id is stored beside it: reports of the network are translated to it, and a message that was
sent is not sent again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg
import msgspec

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Sent
from heliograph.networks.whatsapp.addresses import phone_number
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.rows import Columns, reads

Pool: TypeAlias = "asyncpg.Pool[Any]"
KEPT = timedelta(days=60)
_FORGET = 5_000
_READ = 500


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn errors of the database into `NetworkError`."""
    try:
        yield
    except CONNECT_FAILURES as error:
        raise NetworkError("The WhatsApp driver can't reach the database.") from error


class UnprocessedEvent(msgspec.Struct, frozen=True):
    """An event of the library that was not passed on; `code` is the library's number for its
    kind."""

    id: int
    code: int
    event: bytes


_event_of = reads(UnprocessedEvent)


INSERT_SENT = """
INSERT INTO whatsapp.sent (account_id, chat_message_id, remote_id, chat_jid, sent_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
"""


async def insert_sent(
    pool: Pool, account_id: UUID, our_id: str, remote_id: str, sent: Sent
) -> None:
    await pool.execute(INSERT_SENT, account_id, our_id, remote_id, sent.remote_jid, sent.sent_at)


FIND_SENT = """
SELECT chat_jid, sent_at FROM whatsapp.sent WHERE account_id = $1 AND chat_message_id = $2
"""


async def find_sent(pool: Pool, account_id: UUID, chat_message_id: str) -> Sent | None:
    """Find the network's answer to our message, if it has accepted it."""
    row = await pool.fetchrow(FIND_SENT, account_id, chat_message_id)
    if row is None:
        return None
    return Sent(row["chat_jid"], row["sent_at"], phone_number(row["chat_jid"]))


FIND_REMOTE_ID = """
SELECT remote_id, sent_at FROM whatsapp.sent WHERE account_id = $1 AND chat_message_id = $2
"""


async def find_remote_id(
    pool: Pool, account_id: UUID, chat_message_id: str
) -> tuple[str, datetime] | None:
    """Find the network's id of our message, and when it was sent."""
    row = await pool.fetchrow(FIND_REMOTE_ID, account_id, chat_message_id)
    return None if row is None else (row["remote_id"], row["sent_at"])


LIST_OUR_IDS = """
SELECT remote_id, chat_message_id FROM whatsapp.sent WHERE account_id = $1 AND remote_id = ANY($2)
"""


async def list_our_ids(pool: Pool, account_id: UUID, remote_ids: Sequence[str]) -> dict[str, str]:
    """Return our ids of messages, by the network's."""
    rows = await pool.fetch(LIST_OUR_IDS, account_id, remote_ids)
    return {row["remote_id"]: row["chat_message_id"] for row in rows}


DELETE_OLD_SENT = """
DELETE FROM whatsapp.sent WHERE account_id = $1 AND chat_message_id IN (
    SELECT chat_message_id FROM whatsapp.sent
    WHERE account_id = $1 AND sent_at < $2 ORDER BY sent_at LIMIT $3)
"""


async def delete_old_sent(pool: Pool, account_id: UUID, now: datetime) -> None:
    """Delete the ids of old messages, some at a time; the network no longer reports on them."""
    await pool.execute(DELETE_OLD_SENT, account_id, now - KEPT, _FORGET)


INSERT_ORIGINAL = """
INSERT INTO whatsapp.originals (account_id, remote_id, message, expires_at)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
"""


async def insert_original(
    pool: Pool, account_id: UUID, remote_id: str, message: bytes, expires_at: datetime
) -> None:
    await pool.execute(INSERT_ORIGINAL, account_id, remote_id, message, expires_at)


FIND_ORIGINAL = """
SELECT message FROM whatsapp.originals
WHERE account_id = $1 AND remote_id = $2 AND expires_at > $3
"""


async def find_original(
    pool: Pool, account_id: UUID, remote_id: str, now: datetime
) -> bytes | None:
    message: bytes | None = await pool.fetchval(FIND_ORIGINAL, account_id, remote_id, now)
    return message


DELETE_OLD_ORIGINALS = """
DELETE FROM whatsapp.originals WHERE account_id = $1 AND remote_id IN (
    SELECT remote_id FROM whatsapp.originals
    WHERE account_id = $1 AND expires_at < $2 ORDER BY expires_at LIMIT $3)
"""


async def delete_old_originals(pool: Pool, account_id: UUID, now: datetime) -> None:
    """Delete messages that are no longer needed, some at a time."""
    await pool.execute(DELETE_OLD_ORIGINALS, account_id, now, _FORGET)


_UNPROCESSED = Columns("code smallint, event bytea, due_at timestamptz")
INSERT_UNPROCESSED = _UNPROCESSED.fill("""
INSERT INTO whatsapp.unheard (account_id, {names})
SELECT $1, {values} FROM {rows_in_order} ORDER BY k.position
""")


async def insert_unprocessed(
    pool: Pool, account_id: UUID, events: Sequence[tuple[int, bytes, datetime | None]]
) -> None:
    """Store, in order, events that could not be passed on, for the account's next session: each
    with its code and the time until which it waits."""
    await pool.execute(INSERT_UNPROCESSED, account_id, *_UNPROCESSED.transpose(events))


LIST_UNPROCESSED = """
SELECT id, code, event FROM whatsapp.unheard
WHERE account_id = $1 AND (due_at IS NULL OR due_at <= $2) ORDER BY id LIMIT $3
"""


async def list_unprocessed(pool: Pool, account_id: UUID, now: datetime) -> list[UnprocessedEvent]:
    rows = await pool.fetch(LIST_UNPROCESSED, account_id, now, _READ)
    return [_event_of(row) for row in rows]


DELETE_UNPROCESSED = "DELETE FROM whatsapp.unheard WHERE account_id = $1 AND id = ANY($2)"


async def delete_unprocessed(pool: Pool, account_id: UUID, ids: Sequence[int]) -> None:
    await pool.execute(DELETE_UNPROCESSED, account_id, ids)


INSERT_DEVICE = """
INSERT INTO whatsapp.devices (account_id, jid) VALUES ($1, $2) ON CONFLICT DO NOTHING
"""


async def insert_device(pool: Pool, account_id: UUID, device: str) -> None:
    """Record a device of the account."""
    await pool.execute(INSERT_DEVICE, account_id, device)


DELETE_DEVICES = """
DELETE FROM whatsapp.devices AS d WHERE d.account_id = $1
RETURNING d.jid, EXISTS (
    SELECT FROM whatsapp.devices AS o WHERE o.jid = d.jid AND o.account_id <> $1
) AS is_anothers
"""
DELETE_SENT = "DELETE FROM whatsapp.sent WHERE account_id = $1"
DELETE_UNHEARD = "DELETE FROM whatsapp.unheard WHERE account_id = $1"
DELETE_ORIGINALS = "DELETE FROM whatsapp.originals WHERE account_id = $1"


async def delete_account(pool: Pool, account_id: UUID) -> None:
    """Delete the account's rows, and the keys of its devices that do not belong to another account
    by now."""
    async with pool.acquire() as connection, connection.transaction():
        rows = await connection.fetch(DELETE_DEVICES, account_id)
        await _delete_keys(connection, [row["jid"] for row in rows if not row["is_anothers"]])
        await connection.execute(DELETE_SENT, account_id)
        await connection.execute(DELETE_UNHEARD, account_id)
        await connection.execute(DELETE_ORIGINALS, account_id)


HAS_TABLE = "SELECT to_regclass($1) IS NOT NULL"
DELETE_WHATSMEOW_DEVICE = "DELETE FROM whatsapp.whatsmeow_device WHERE jid = ANY($1)"
DELETE_WHATSMEOW_PRIVACY_TOKENS = """
DELETE FROM whatsapp.whatsmeow_privacy_tokens WHERE our_jid = ANY($1)
"""


async def _delete_keys(connection: Any, devices: Sequence[str]) -> None:
    """Delete the library's rows of these devices."""
    # most refer to the device, and are deleted with it
    if await connection.fetchval(HAS_TABLE, "whatsapp.whatsmeow_device"):
        await connection.execute(DELETE_WHATSMEOW_DEVICE, devices)
    if await connection.fetchval(HAS_TABLE, "whatsapp.whatsmeow_privacy_tokens"):
        await connection.execute(DELETE_WHATSMEOW_PRIVACY_TOKENS, devices)


FIND_WHATSMEOW_DEVICE = "SELECT 1 FROM whatsapp.whatsmeow_device WHERE jid = $1"


async def has_device(pool: Pool, device: str) -> bool:
    """Return whether the library's store has this device's keys."""
    # it must not be asked for a device that it does not have
    if not await pool.fetchval(HAS_TABLE, "whatsapp.whatsmeow_device"):
        return False
    return await pool.fetchval(FIND_WHATSMEOW_DEVICE, device) is not None
