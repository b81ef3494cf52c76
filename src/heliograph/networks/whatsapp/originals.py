"""Messages that are needed later: a vote names the answers of a poll by their hashes, and an edited
caption repeats the file."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

from heliograph.networks.errors import NetworkError
from heliograph.networks.whatsapp import sql
from heliograph.networks.whatsapp.conversion.contents import file_of
from heliograph.networks.whatsapp.conversion.polls import poll_in
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped
from heliograph.networks.whatsapp.sql import Pool, database_errors

POLL_KEPT = timedelta(days=60)
FILE_KEPT = timedelta(hours=1)
"""Longer than a caption can be edited. The stored message contains the file's key."""

log = structlog.get_logger(__name__)


class Originals:
    """The messages of one account that are needed later, by the network's ids."""

    def __init__(self, pool: Pool, account_id: UUID, now: Callable[[], datetime]) -> None:
        self._pool = pool
        self._account_id = account_id
        self._now = now

    async def keep(self, remote_id: str, message: Message) -> None:
        """Store the message if it will be needed later. Raises nothing."""
        plain = unwrapped(message)
        poll = poll_in(plain)
        if poll is None and file_of(plain) is None:
            return
        kept = message if poll is None else Message(pollCreationMessage=poll)
        expires_at = self._now() + (FILE_KEPT if poll is None else POLL_KEPT)
        for pause in (0.1, 0.5, 2.0, 0.0):
            try:
                await self._insert(remote_id, kept.SerializeToString(), expires_at)
            except NetworkError:
                await asyncio.sleep(pause)
            else:
                return
        log.error("whatsapp_original_not_kept", account_id=str(self._account_id), id=remote_id)

    async def _insert(self, remote_id: str, message: bytes, expires_at: datetime) -> None:
        with database_errors():
            await sql.delete_old_originals(self._pool, self._account_id, self._now())
            await sql.insert_original(self._pool, self._account_id, remote_id, message, expires_at)

    async def find(self, remote_id: str) -> Message | None:
        """Find a stored message. Raises `NetworkError`."""
        with database_errors():
            kept = await sql.find_original(self._pool, self._account_id, remote_id, self._now())
        return None if kept is None else Message.FromString(kept)
