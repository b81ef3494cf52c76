"""Uploads files that the account sends to its server (XEP-0363), which gives them an address."""

import asyncio
import hashlib
import mimetypes
import re
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple
from uuid import UUID

from cachetools import LRUCache

from heliograph.networks.content import Media
from heliograph.networks.errors import FileUnavailableError, NetworkError, NotConnectedError
from heliograph.networks.port import Outgoing, OutgoingFile
from heliograph.networks.xmpp.addresses import domain_of
from heliograph.networks.xmpp.disco import ask_info, find_service, form_fields
from heliograph.networks.xmpp.http_files import FileServers
from heliograph.networks.xmpp.payloads import UploadedFile
from heliograph.networks.xmpp.stanzas import attribute, clean, element
from heliograph.networks.xmpp.stream import Stream, answered_within
from heliograph.platform.aio.futures import retrieve

NAMESPACE = "urn:xmpp:http:upload:0"
UPLOAD = f"{{{NAMESPACE}}}"
MAX_KEPT = 100
"""Files of messages to be sent that are uploaded already."""
PLACE_TIMEOUT = 120.0
"""Seconds for the server to say which of its services takes files, and for that to give a place."""
UPLOAD_TIMEOUT = 600.0
_ALLOWED = frozenset({"authorization", "cookie", "expires"})
_ODD = re.compile(r"[\x00-\x1f\x7f/\\]+")


class UploadService(NamedTuple):
    """The service for files; `most` is the largest that it takes, in bytes, if it says so."""

    jid: str
    most: int | None


class Slot(NamedTuple):
    """The upload address of a file, the headers to send, and its download address."""

    put: str
    headers: dict[str, str]
    get: str


class Uploads:
    """Uploads the files of one account's messages to its server.

    An upload continues when nobody waits for it any more: a message that timed out finds its file
    uploaded at the next attempt.
    """

    def __init__(self, own_jid: str, stream: Callable[[], Stream], servers: FileServers) -> None:
        self._host = domain_of(own_jid)
        self._stream = stream
        self._servers = servers
        self._service: tuple[Stream, UploadService | None] | None = None
        self._under_way: dict[UUID, asyncio.Task[UploadedFile]] = {}
        self._done: LRUCache[UUID, UploadedFile] = LRUCache(MAX_KEPT)

    async def upload(self, message: Outgoing) -> UploadedFile | None:
        """Upload the file of a message; None for a message without one. Raises `NetworkError`."""
        content = message.content
        if not isinstance(content, Media):
            return None
        if message.file is None:
            raise NetworkError("The message has no file.", permanent=True)
        done = self._done.get(message.message_id)
        if done is not None:
            return done
        task = self._under_way.get(message.message_id)
        if task is None:
            task = asyncio.create_task(self._upload(message.message_id, content, message.file))
            task.add_done_callback(retrieve)
            self._under_way[message.message_id] = task
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise NotConnectedError("This session is closed.") from None
            raise

    async def close(self) -> None:
        """Cancel uploads in progress."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _upload(self, message_id: UUID, content: Media, file: OutgoingFile) -> UploadedFile:
        try:
            async with asyncio.timeout(UPLOAD_TIMEOUT):
                done = await self._put(content, file)
        except TimeoutError:
            raise NetworkError("The server for files takes too long.") from None
        finally:
            del self._under_way[message_id]
        self._done[message_id] = done
        return done

    async def _put(self, content: Media, file: OutgoingFile) -> UploadedFile:
        stream = self._stream()
        async with answered_within(PLACE_TIMEOUT):
            service = await self._find_service(stream)
        if service is None:
            raise NetworkError(
                "The account's server takes no files: it has no HTTP File Upload (XEP-0363).",
                permanent=True,
            )
        if service.most is not None and file.size > service.most:
            raise NetworkError(
                f"The account's server takes files of {service.most} bytes at most.", permanent=True
            )
        media_type = content.media_type or file.media_type or "application/octet-stream"
        name = file_name(content.file_name or file.file_name, media_type)
        async with answered_within(PLACE_TIMEOUT):
            slot = await _ask_for_slot(stream, service.jid, name, file.size, media_type)
        hashed = hashlib.sha256()
        headers = {"Content-Type": media_type, **slot.headers}
        await self._servers.put(slot.put, headers, _hashing(file, hashed.update), file.size)
        return UploadedFile(slot.get, name, media_type, file.size, hashed.digest())

    async def _find_service(self, stream: Stream) -> UploadService | None:
        """Find the server's upload service, once for each server session."""
        if self._service is None or self._service[0] is not stream:
            jid = await find_service(stream, self._host, NAMESPACE)
            found = None
            if jid is not None:
                most = form_fields(await ask_info(stream, jid)).get("max-file-size", "")
                found = UploadService(
                    jid, int(most) if re.fullmatch(r"[0-9]{1,18}", most) else None
                )
            self._service = stream, found
        return self._service[1]


async def _hashing(file: OutgoingFile, update: Callable[[bytes], None]) -> AsyncIterator[bytes]:
    """Read the file, and hash what was read. Raises `NetworkError` if it has another size."""
    read = 0
    async for piece in file.chunks():
        read += len(piece)
        if read > file.size:
            break
        update(piece)
        yield piece
    if read != file.size:
        raise FileUnavailableError("The file is not as long as it was said to be.")


def file_name(name: str | None, media_type: str) -> str:
    """Return a file name that is valid on every system."""
    name = _ODD.sub("_", clean(name or "")).strip(" .")[-200:]
    return name or "file" + (mimetypes.guess_extension(media_type) or "")


async def _ask_for_slot(
    stream: Stream, service: str, name: str, size: int, media_type: str
) -> Slot:
    request = element(f"{UPLOAD}request", filename=name, size=str(size), content_type=media_type)
    answer = await stream.ask("get", request, service)
    put = answer.find(f"{UPLOAD}slot/{UPLOAD}put")
    get = attribute(answer, f"{UPLOAD}slot/{UPLOAD}get", "url")
    if put is None or not put.get("url") or not get:
        raise NetworkError("The server for files gives no place for it.")
    return Slot(put.get("url", ""), _headers(put), get)


def _headers(put: ET.Element) -> dict[str, str]:
    """Return only those headers that a server may request (XEP-0363, section 5)."""
    found = {
        header.get("name", "").strip().lower(): re.sub(r"[\r\n]", "", header.text or "").strip()
        for header in put.findall(f"{UPLOAD}header")
    }
    return {name: value for name, value in found.items() if name in _ALLOWED}
