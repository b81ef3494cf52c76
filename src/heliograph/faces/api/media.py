"""Signed links to media. They need no API key, as the signature is the key, and are not part of the
public API.

Files are downloads: a browser runs nothing of what they hold.
"""

import re
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from heliograph.core.media.media_types import GENERIC, is_safe_to_show
from heliograph.core.media.model import FILES, PATH
from heliograph.core.media.service import MEDIA_TYPE, MediaService, OpenedObject
from heliograph.errors import GatewayError
from heliograph.faces.api.encoding import respond_error
from heliograph.platform.file_names import attachment

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=3600",
    "Accept-Ranges": "bytes",
}
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def media_routes(media: MediaService) -> list[Route]:
    async def get_media(request: Request) -> Response:
        query = request.query_params
        try:
            found = await media.open(
                request.path_params["object_key"],
                query.get("expires", ""),
                query.get("signature", ""),
            )
            return await _respond(media, found, request)
        except GatewayError as error:
            return respond_error(error)

    return [Route(PATH + "{object_key:path}", get_media, methods=["GET"])]


async def _respond(media: MediaService, found: OpenedObject, request: Request) -> Response:
    headers = _HEADERS | _headers_of(found)
    status, (start, end) = 200, (0, found.size)
    wanted = request.headers.get("range")
    if wanted is not None and "if-range" not in request.headers:
        part = _parse_range(wanted, found.size)
        if part == _NOTHING:
            return Response(status_code=416, headers={"Content-Range": f"bytes */{found.size}"})
        if part is not None:
            status, (start, end) = 206, part
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{found.size}"
    headers["Content-Length"] = str(end - start)
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    chunks = media.read(found.object_key, start, end)
    first = await anext(chunks, b"")  # while the status can still report a failing storage
    return StreamingResponse(_preceded(first, chunks), status, headers)


async def _preceded(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


def _headers_of(found: OpenedObject) -> dict[str, str]:
    if found.media is not None:
        media_type = found.media.media_type
        return {
            "Content-Type": media_type if is_safe_to_show(media_type) else GENERIC,
            "Content-Disposition": attachment(found.media.file_name),
        }
    if found.object_key.startswith(FILES):
        return {"Content-Type": GENERIC, "Content-Disposition": "attachment"}
    return {"Content-Type": MEDIA_TYPE}


_NOTHING = (0, 0)


def _parse_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the start and the end of a single range; None for one to ignore, and `_NOTHING` for
    one that lies outside the file (RFC 9110, 14.1.2)."""
    found = _RANGE.fullmatch(header.strip())
    if found is None or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        part = (max(0, size - int(last)), size)
    else:
        part = (int(first), min(int(last) + 1, size) if last else size)
        if last and int(last) < int(first):
            return None
    return part if part[0] < part[1] else _NOTHING
