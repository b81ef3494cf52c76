"""What happens in the organization, as server-sent events to pages that are being looked at.

`messages` (data: a conversation's id), `conversations` (the id of the one that the page shows: it
stands otherwise) and `devices` (an account's id) say what to look at again; without an id, at all
of them.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from uuid import UUID

from starlette.responses import Response, StreamingResponse

from heliograph.dashboard.pages import Pages, Visit
from heliograph.errors import GatewayError
from heliograph.services.live import Hint, LiveView

pages = Pages()

KEEP_ALIVE = 15.0
"""Seconds of silence after which a line says that the connection is alive."""
LONGEST = 300.0
"""Seconds. The browser comes again by itself, and is asked again who it is."""

_BEGINNING = "retry: 1000\n\n"


@pages.get("live", scope="messages:read")
async def stream(visit: Visit) -> Response:
    return StreamingResponse(
        _told(visit),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},  # nginx keeps back what is not yet a bufferful
    )


async def _told(visit: Visit) -> AsyncIterator[str]:
    """Ends when the database can't be asked, too: the browser comes again."""
    yield _BEGINNING
    with suppress(GatewayError):
        async with visit.services.live.watch(visit.principal, _conversation(visit)) as view:
            yield ": here\n\n"
            async for told in _follow(visit, view):
                yield told


async def _follow(visit: Visit, view: LiveView) -> AsyncIterator[str]:
    began = spoke = time.monotonic()
    while not visit.is_leaving() and time.monotonic() - began < LONGEST:
        hints = await view.next()
        now = time.monotonic()
        if hints or now - spoke >= KEEP_ALIVE:
            yield _events(hints) or ": still here\n\n"
            spoke = now


def _conversation(visit: Visit) -> UUID | None:
    """The conversation that the page shows."""
    try:
        return UUID(visit.request.query_params["conversation"])
    except (KeyError, ValueError):
        return None


def _events(hints: Sequence[Hint]) -> str:
    return "".join(f"event: {each.kind}\ndata: {each.subject or ''}\n\n" for each in hints)
