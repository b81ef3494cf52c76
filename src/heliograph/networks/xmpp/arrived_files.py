"""The files of messages that came: fetched before the message is passed on, in bounded memory."""

import asyncio
import hashlib
from uuid import UUID

import structlog
from msgspec.structs import replace

from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Inbound
from heliograph.networks.xmpp.contents import AnnouncedFile, File, media_of, read_file
from heliograph.networks.xmpp.http_files import FileServers
from heliograph.networks.xmpp.stanzas import Message

MOST_BYTES = 16 * 1024 * 1024
FILE_PATIENCE = 20.0
LITTLE_PATIENCE = 2.0
"""Seconds that a message, and those behind it, wait for its file. After a time-out, the shorter one
holds until a file arrives."""

log = structlog.get_logger(__name__)


class FileFetcher:
    """Fetches files for one account, one after another. `gate` limits how many a process fetches
    at once."""

    def __init__(self, account_id: UUID, servers: FileServers, gate: asyncio.Semaphore) -> None:
        self._account_id = account_id
        self._servers = servers
        self._gate = gate
        self._patience = FILE_PATIENCE

    async def with_file(self, inbound: Inbound, message: Message) -> Inbound:
        """Return the message with its file; with its text, which has the link, if the file can't be
        fetched."""
        announced = read_file(message)
        if announced is None:
            return inbound
        try:
            data, media_type = await self._fetch(announced)
        except (NetworkError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                self._patience = LITTLE_PATIENCE
            log.warning(
                "xmpp_file_not_fetched",
                account_id=str(self._account_id),
                chat_message_id=inbound.chat_message_id,
                error=str(error) or "it takes too long",
            )
            return replace(inbound, content=Text(message.body or announced.url))
        self._patience = FILE_PATIENCE
        return replace(
            inbound, content=_known_better(announced.content, data, media_type), file=data
        )

    async def _fetch(self, announced: AnnouncedFile) -> tuple[bytes, str]:
        if (announced.content.size or 0) > MOST_BYTES:
            raise NetworkError(f"The file is larger than {MOST_BYTES} bytes.", permanent=True)
        async with asyncio.timeout(self._patience), self._gate:
            data, media_type = await self._servers.get(announced.url, MOST_BYTES)
        if announced.sha256 is not None and hashlib.sha256(data).digest() != announced.sha256:
            raise NetworkError("The file is not the one that was sent.", permanent=True)
        return data, media_type


UNKNOWN = "application/octet-stream"


def _known_better(content: File, data: bytes, media_type: str) -> File:
    """Return the content with the file's true size, and the server's word for its type where the
    sender gave none."""
    if content.media_type != UNKNOWN or not media_type:
        return replace(content, size=len(data))
    return media_of(media_type)(media_type, content.caption, content.file_name, len(data))
