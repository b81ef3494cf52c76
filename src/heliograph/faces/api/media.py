"""Signed links to media. They need no API key, since the signature is the key; they are no part of
the public API.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heliograph.core.media import FILES, MEDIA_TYPE, PATH, MediaService
from heliograph.errors import GatewayError
from heliograph.faces.api.encoding import respond_error

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, max-age=3600",
}
_DOWNLOAD = "application/octet-stream"
_AS_DOWNLOAD = {"Content-Disposition": "attachment"}


def media_routes(media: MediaService) -> list[Route]:
    async def get_media(request: Request) -> Response:
        query = request.query_params
        try:
            data = await media.open(
                request.path_params["object_key"],
                query.get("expires", ""),
                query.get("signature", ""),
            )
        except GatewayError as error:
            return respond_error(error)
        if request.path_params["object_key"].startswith(FILES):
            return Response(data, media_type=_DOWNLOAD, headers=_HEADERS | _AS_DOWNLOAD)
        return Response(data, media_type=MEDIA_TYPE, headers=_HEADERS)

    return [Route(PATH + "{object_key:path}", get_media, methods=["GET"])]
