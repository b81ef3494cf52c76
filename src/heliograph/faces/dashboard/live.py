"""Live pages: what happens in the organization, as server-sent events to open pages.

`look` says that events are reported from now on, so that the page has to fetch what happened
before. `messages` (data: a conversation's id), `conversations` (the id of the shown one, which has
changed) and `devices` (an account's id) say what to fetch again; without an id, all of them.
`reload` says that the reader may no longer see the page, or has another role.
"""

import random
import time
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from heliograph.core.live.service import AccessRevokedError, DisplacedError, Hint, LiveView
from heliograph.errors import MAX_RETRY_INTERVAL, GatewayError, TooManyRequestsError
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

KEEP_ALIVE = 15.0
"""Seconds of silence after which a line says that the connection is alive."""
STREAM_TIMEOUT = 300.0
"""Seconds, after which the browser reconnects by itself and is authenticated again."""
DISPLACED_RETRY_INTERVAL = 60.0
"""Seconds for which a displaced page makes way for newer ones of the same person."""

_BEGINNING = "retry: 1000\n\n"
_LOOK = "event: look\ndata:\n\n"
_RELOAD = "event: reload\ndata:\n\n"
_MEDIA_TYPE = "text/event-stream"


@pages.get("live", scope="messages:read", is_part=True)
async def stream(visit: Visit) -> Response:
    return _respond(_stream_events(visit))


def is_listening(request: Request) -> bool:
    """Return whether an `EventSource` sent the request, which can't read a page."""
    return request.headers.get("accept") == _MEDIA_TYPE


def ask_to_reload() -> Response:
    return _respond(_pause(DISPLACED_RETRY_INTERVAL) + _RELOAD)


def ask_to_wait(seconds: float) -> Response:
    # An `EventSource` ignores `Retry-After`, and is closed by any status but 200.
    return _respond(_pause(seconds))


def _respond(content: str | AsyncIterator[str]) -> Response:
    if isinstance(content, str):
        return Response(content, media_type=_MEDIA_TYPE)
    return StreamingResponse(
        content,
        media_type=_MEDIA_TYPE,
        headers={"X-Accel-Buffering": "no"},  # or nginx holds back what does not fill a buffer
    )


async def _stream_events(visit: Visit) -> AsyncIterator[str]:
    """Stream events until the page has to reload, to wait, or to connect again.

    The stream also ends when the database can't be asked: the browser connects again.
    """
    yield _BEGINNING
    try:
        async with visit.services.live.watch(
            visit.principal, _conversation(visit), session=visit.session
        ) as view:
            yield _LOOK
            async for events in _follow(visit, view):
                yield events
    except TooManyRequestsError as error:
        yield _pause(error.retry_after or MAX_RETRY_INTERVAL) + _LOOK
    except DisplacedError:
        yield _pause(DISPLACED_RETRY_INTERVAL)
    except AccessRevokedError:
        yield _RELOAD
    except GatewayError:
        return


def _pause(seconds: float) -> str:
    """Have the browser wait this long, or up to half as long again, to spread reconnections."""
    return f"retry: {round(1000 * seconds * random.uniform(1, 1.5))}\n\n"  # noqa: S311 - no secret


async def _follow(visit: Visit, view: LiveView) -> AsyncIterator[str]:
    began = last_sent = time.monotonic()
    while not visit.is_draining() and time.monotonic() - began < STREAM_TIMEOUT:
        hints = await view.next()
        now = time.monotonic()
        if hints or now - last_sent >= KEEP_ALIVE:
            yield _events(hints) or ": still here\n\n"
            last_sent = now


def _conversation(visit: Visit) -> UUID | None:
    """Return the conversation that the page shows, if any."""
    try:
        return UUID(visit.request.query_params["conversation"])
    except (KeyError, ValueError):
        return None


def _events(hints: Sequence[Hint]) -> str:
    return "".join(f"event: {hint.kind}\ndata: {hint.subject or ''}\n\n" for hint in hints)
