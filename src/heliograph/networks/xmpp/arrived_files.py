"""Fetches the files of inbound messages before these are passed on, in bounded memory."""

import asyncio
import hashlib
from uuid import UUID

import structlog
from cachetools import TTLCache
from msgspec.structs import replace

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Inbound
from heliograph.networks.xmpp.contents import read_content
from heliograph.networks.xmpp.http_files import FileServers
from heliograph.networks.xmpp.shared_files import AnnouncedFile, File, media_of, read_file
from heliograph.networks.xmpp.stanzas import Message

MAX_BYTES = 16 * 1024 * 1024
FILE_TIMEOUT = 20.0
"""Seconds that a message, and those behind it, wait for its file."""
SENDER_TIMEOUT = 60.0
"""Seconds for all files of one sender in `PERIOD`: anybody may name slow servers."""
PERIOD = 600.0
MAX_SENDERS = 1000

log = structlog.get_logger(__name__)


class FileFetcher:
    """Fetches files for one account, one after another. `gate` limits how many a process fetches
    at once."""

    def __init__(self, account_id: UUID, servers: FileServers, gate: asyncio.Semaphore) -> None:
        self._account_id = account_id
        self._servers = servers
        self._gate = gate
        self._spent: TTLCache[str, float] = TTLCache(MAX_SENDERS, PERIOD)

    async def with_file(self, inbound: Inbound, message: Message) -> Inbound:
        """Return the message with its file, or with a text that contains the link if the file can't
        be fetched."""
        announced, content = read_file(message), inbound.content
        if announced is None or not isinstance(content, File):
            return inbound
        try:
            data, media_type = await self._fetch(announced, inbound.sender_jid)
        except (NetworkError, TimeoutError) as error:
            log.warning(
                "xmpp_file_not_fetched",
                account_id=str(self._account_id),
                chat_message_id=inbound.chat_message_id,
                error=str(error) or "it takes too long",
            )
            return replace(inbound, content=read_content(message))
        return replace(inbound, content=_known_better(content, data, media_type), file=data)

    async def _fetch(self, announced: AnnouncedFile, sender: str) -> tuple[bytes, str]:
        if (announced.content.size or 0) > MAX_BYTES:
            raise NetworkError(f"The file is larger than {MAX_BYTES} bytes.", permanent=True)
        spent, clock = self._spent.get(sender, 0.0), asyncio.get_running_loop().time
        if spent >= SENDER_TIMEOUT:
            raise NetworkError("The sender's files have taken too long of late.")
        began = clock()
        try:
            async with asyncio.timeout(min(FILE_TIMEOUT, SENDER_TIMEOUT - spent)), self._gate:
                data, media_type = await self._servers.get(announced.url, MAX_BYTES)
        finally:
            self._spent[sender] = spent + clock() - began
        if announced.sha256 is not None and hashlib.sha256(data).digest() != announced.sha256:
            raise NetworkError("The file is not the one that was sent.", permanent=True)
        return data, media_type


UNKNOWN = "application/octet-stream"


def _known_better(content: File, data: bytes, media_type: str) -> File:
    """Return the content with the file's actual size, and with the server's media type if the
    sender gave none."""
    if content.media_type != UNKNOWN or not media_type:
        return replace(content, size=len(data))
    return media_of(media_type)(media_type, content.caption, content.file_name, len(data))
