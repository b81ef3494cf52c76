"""Files of messages: bytes in pieces, under the id of the message that they belong to.

A message's id is its own on the whole network, so that accounts which got the same message share
its file. Files live as long as messages do.
"""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from heliograph.networks.errors import FileUnavailableError, NetworkError
from heliograph.networks.sandbox.database_access import Database

PIECE = 256 * 1024
MAX_BYTES = 64 * 1024 * 1024
MAX_FROM_PHONES = 16 * 1024 * 1024
"""Bytes of a file that a phone sends: sessions get it whole."""

FIND_SIZE = "SELECT size FROM sandbox.files WHERE chat_message_id = $1"


async def find_size(database: Database, chat_message_id: str) -> int | None:
    """Return how many bytes the message's file has; None until all of it has been stored."""
    size: int | None = await database.fetchval(FIND_SIZE, chat_message_id)
    return size


BEGIN_FILE = """
INSERT INTO sandbox.files (chat_message_id, account_id, stored_at) VALUES ($1, $2, $3)
ON CONFLICT (chat_message_id) DO UPDATE SET stored_at = excluded.stored_at, size = NULL
"""
PUT_PIECE = """
INSERT INTO sandbox.file_chunks (chat_message_id, position, data) VALUES ($1, $2, $3)
ON CONFLICT (chat_message_id, position) DO UPDATE SET data = excluded.data
"""
CUT_FILE = "DELETE FROM sandbox.file_chunks WHERE chat_message_id = $1 AND position >= $2"
END_FILE = "UPDATE sandbox.files SET size = $2 WHERE chat_message_id = $1"


async def store(
    database: Database,
    account_id: UUID,
    chat_message_id: str,
    chunks: AsyncIterator[bytes],
    now: datetime,
) -> int:
    """Store a message's file; returns its size. Raises what `chunks` raises, and `NetworkError` for
    a file that is too large; nothing is kept of it then."""
    await database.execute(BEGIN_FILE, chat_message_id, account_id, now)
    try:
        size = position = 0
        async for piece in _pieces(chunks):
            size += len(piece)
            if size > MAX_BYTES:
                raise NetworkError(f"A file has at most {MAX_BYTES} bytes here.", permanent=True)
            await database.execute(PUT_PIECE, chat_message_id, position, piece)
            position += 1
    except NetworkError:
        with contextlib.suppress(NetworkError):  # otherwise `delete_old` deletes it
            await delete(database, chat_message_id)
        raise
    await database.execute(CUT_FILE, chat_message_id, position)
    await database.execute(END_FILE, chat_message_id, size)
    return size


async def _pieces(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Cut into pieces of `PIECE` bytes, so that a byte's piece is known."""
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        while len(rest) >= PIECE:
            yield bytes(rest[:PIECE])
            del rest[:PIECE]
    if rest:
        yield bytes(rest)


async def in_pieces(data: bytes) -> AsyncIterator[bytes]:
    for first in range(0, len(data), PIECE):
        yield data[first : first + PIECE]


DELETE_FILE = "DELETE FROM sandbox.files WHERE chat_message_id = $1"


async def delete(database: Database, chat_message_id: str) -> None:
    await database.execute(DELETE_FILE, chat_message_id)


GET_PIECE = "SELECT data FROM sandbox.file_chunks WHERE chat_message_id = $1 AND position = $2"


@dataclass(frozen=True, slots=True)
class SandboxFile:
    """A message's file: `heliograph.networks.port.SimulatedFile`."""

    database: Database
    chat_message_id: str
    media_type: str
    file_name: str
    size: int

    async def chunks(self, first: int = 0) -> AsyncIterator[bytes]:
        position, skipped = divmod(first, PIECE)
        while position * PIECE < self.size:
            data = await self.database.fetchval(GET_PIECE, self.chat_message_id, position)
            if data is None:
                raise FileUnavailableError("The file was deleted.", permanent=True)
            yield data[skipped:]
            position, skipped = position + 1, 0


LIST_STORED = """
SELECT chat_message_id FROM sandbox.files WHERE chat_message_id = ANY($1) AND size IS NOT NULL
"""


async def find_stored(database: Database, chat_message_ids: Sequence[str]) -> frozenset[str]:
    """Return which of these messages have a complete file."""
    if not chat_message_ids:
        return frozenset()
    rows = await database.fetch(LIST_STORED, chat_message_ids)
    return frozenset(row["chat_message_id"] for row in rows)


READ_FILES = """
SELECT f.chat_message_id, string_agg(c.data, ''::bytea ORDER BY c.position) AS data
FROM sandbox.files f JOIN sandbox.file_chunks c USING (chat_message_id)
WHERE f.chat_message_id = ANY($1) AND f.size IS NOT NULL
GROUP BY f.chat_message_id
"""


async def read(database: Database, chat_message_ids: Sequence[str]) -> dict[str, bytes]:
    """Return complete files by their message's id; missing ones are left out."""
    if not chat_message_ids:
        return {}
    rows = await database.fetch(READ_FILES, chat_message_ids)
    return {row["chat_message_id"]: row["data"] for row in rows}


DELETE_OLD = """
DELETE FROM sandbox.files WHERE chat_message_id IN (
    SELECT f.chat_message_id FROM sandbox.files f
    WHERE f.stored_at < $1 AND NOT EXISTS (
        SELECT FROM sandbox.updates u
        WHERE u.account_id = f.account_id AND u.chat_message_id = f.chat_message_id
    )
    ORDER BY f.stored_at LIMIT 1000 FOR UPDATE OF f SKIP LOCKED
)
"""


async def delete_old(database: Database, before: datetime) -> None:
    """Delete the network's files stored before this time, except those still to be handed over."""
    await database.execute(DELETE_OLD, before)
