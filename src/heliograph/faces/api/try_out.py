"""`POST /try-out`: an endpoint that takes every webhook, for who has none yet.

It keeps nothing: the delivery log has what was posted. Where the gateway may post to this very
machine, the dashboard offers it: a pressed button is then seen as a webhook with nothing else
running.
"""

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
