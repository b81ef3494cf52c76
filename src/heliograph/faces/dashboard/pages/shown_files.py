"""Files in messages and on virtual phones, shown in the dashboard: a stranger's bytes.

The bytes decide what a file is, not the sender's claim. Pictures, videos and sounds in formats
without scripts are shown; everything else is a download.
"""

import re
from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from heliograph.core.media.service import MediaService, OpenedObject
from heliograph.networks.port import SimulatedFile
from heliograph.platform.file_names import tidy_file_name

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # a browser's own viewer needs styles
)
_CACHE_LIFETIME = 600
"""How long a browser may keep a file: a page that refreshes by itself asks for it each time."""

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"\xff\xf9", "audio/aac"),
    (0, b"fLaC", "audio/flac"),
)
_RANGE = re.compile(r"bytes=([0-9]{1,15})-([0-9]{0,15})", re.ASCII)


def shown_type(beginning: bytes) -> str | None:
    """Return the type of a picture, video or sound that begins so; None for anything else."""
    for place, magic, media_type in _MAGIC:
        if beginning[place : place + len(magic)] == magic:
            return media_type
    return None


class ShownFile:
    """The file of a message as it is kept here."""

    def __init__(self, media: MediaService, opened: OpenedObject, file_name: str) -> None:
        self._media = media
        self._opened = opened
        self.file_name = file_name
        self.media_type = ""  # the bytes decide, not the claim
        self.size = opened.size

    def chunks(self, first: int = 0) -> AsyncIterator[bytes]:
        return self._media.read(self._opened.object_key, first, self.size)


async def serve_file(file: SimulatedFile, wanted: str | None) -> Response:
    """Serve a file, or the part of it that a `Range` header wants, which players ask for."""
    media_type = shown_type(await _beginning(file))
    first, last = _part(wanted, file.size)
    headers = {
        "Content-Length": str(last - first + 1),
        "Accept-Ranges": "bytes",
        "Content-Disposition": _disposition(file.file_name, shows=media_type is not None),
        "Content-Security-Policy": _POLICY,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": f"private, max-age={_CACHE_LIFETIME}",
    }
    is_whole = (first, last) == (0, file.size - 1)
    if not is_whole:
        headers["Content-Range"] = f"bytes {first}-{last}/{file.size}"
    return StreamingResponse(
        _cut(file.chunks(first), last - first + 1),
        200 if is_whole else 206,
        headers=headers,
        media_type=media_type or "application/octet-stream",
    )


async def _beginning(file: SimulatedFile) -> bytes:
    async for piece in file.chunks():
        return piece[:32]
    return b""


def _part(wanted: str | None, size: int) -> tuple[int, int]:
    """Return the first and the last byte to serve; the whole file where no such part is in it."""
    match = _RANGE.fullmatch(wanted or "")
    if match is None or int(match[1]) >= size:
        return 0, size - 1
    last = int(match[2]) if match[2] else size - 1
    return int(match[1]), max(int(match[1]), min(last, size - 1))


async def _cut(chunks: AsyncIterator[bytes], length: int) -> AsyncIterator[bytes]:
    async for piece in chunks:
        yield piece[:length]
        length -= len(piece)
        if length <= 0:
            return


def _disposition(file_name: str, *, shows: bool) -> str:
    """Show it or save it, under its own name (RFC 6266)."""
    kind = "inline" if shows else "attachment"
    name = (tidy_file_name(file_name) or "")[:150]
    return f"{kind}; filename*=UTF-8''{quote(name, safe='')}" if name else kind
