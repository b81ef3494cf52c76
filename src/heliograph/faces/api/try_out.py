"""An endpoint to try webhooks out with: it takes every delivery. It needs no API key."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heliograph.settings import TRY_OUT_PATH


async def _take(request: Request) -> Response:
    async for _ in request.stream():
        pass
    return Response(status_code=204)


def try_out_routes() -> list[Route]:
    return [Route(TRY_OUT_PATH, _take, methods=["POST"])]
