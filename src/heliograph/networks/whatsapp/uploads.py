"""Files on their way to WhatsApp's servers.

The library takes a file as bytes, copies it and encrypts the copy, so a file is in memory three
times during an upload. So files have a size limit, and few are uploaded at once.
"""

import asyncio
from pathlib import Path

from neonize.proto.Neonize_pb2 import UploadResponse
from neonize.utils.enum import MediaType

from heliograph.networks.content import Audio, Image, Media, Sticker, Video
from heliograph.networks.errors import NetworkError, NoAnswerError
from heliograph.networks.port import OutgoingFile
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.failures import upload_failure_of
from heliograph.networks.whatsapp.options import MAX_FILE_BYTES
from heliograph.platform.aio.futures import retrieve

UPLOAD_TIMEOUT = 300.0
PLACE_TIMEOUT = 120.0
"""Seconds that a file waits for other uploads."""
_END_BYTES = 65_536
_OGG_PAGE = b"OggS"
_OPUS_RATE = 48_000
_MAX_VOICE_SAMPLES = 86_400 * _OPUS_RATE


class Uploads:
    """Uploads files; `places` is for all sessions of the process."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places

    async def upload(
        self, run: ClientRun, content: Media, file: OutgoingFile
    ) -> tuple[UploadResponse, bytes]:
        """Upload a file. Returns its address, and its last bytes. Raises `NetworkError`."""
        if file.size > MAX_FILE_BYTES:
            raise NetworkError(f"The file is larger than {MAX_FILE_BYTES} bytes.", permanent=True)
        try:
            async with asyncio.timeout(PLACE_TIMEOUT):
                await self._places.acquire()
        except TimeoutError:
            raise NetworkError("Too many files are being uploaded: it is tried again.") from None
        task = asyncio.create_task(_upload(run, content, file))
        # the library can't be interrupted: while it has the file, it is in memory
        task.add_done_callback(self._over)
        try:
            async with asyncio.timeout(UPLOAD_TIMEOUT):
                return await asyncio.shield(task)
        except TimeoutError:
            raise NoAnswerError("WhatsApp did not take the file.", certain=True) from None

    def _over(self, task: "asyncio.Task[tuple[UploadResponse, bytes]]") -> None:
        self._places.release()
        retrieve(task)


async def _upload(
    run: ClientRun, content: Media, file: OutgoingFile
) -> tuple[UploadResponse, bytes]:
    async with file.on_disk() as path:
        data = await asyncio.to_thread(_read, path)
    kind = _kind(content)
    answer = await run.ask(lambda client: client.upload(data, kind), upload_failure_of)
    return answer, data[-_END_BYTES:]


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise NetworkError(f"The file is larger than {MAX_FILE_BYTES} bytes.", permanent=True)
    return data


def _kind(content: Media) -> MediaType:
    if isinstance(content, (Image, Sticker)):
        return MediaType.MediaImage
    if isinstance(content, Video):
        return MediaType.MediaVideo
    return MediaType.MediaAudio if isinstance(content, Audio) else MediaType.MediaDocument


def seconds_of_voice(end: bytes) -> int:
    """Return the duration of an Ogg file with Opus, by its last page; 0 if unknown."""
    # RFC 7845: the position of a page counts samples at 48 kHz
    start = end.rfind(_OGG_PAGE)
    position = end[start + 6 : start + 14]
    if start < 0 or len(position) < 8:
        return 0
    samples = int.from_bytes(position, "little", signed=True)
    return samples // _OPUS_RATE if 0 < samples < _MAX_VOICE_SAMPLES else 0
