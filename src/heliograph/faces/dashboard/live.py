"""What happens in the organization, as server-sent events to pages that are being looked at.

`messages` (data: a conversation's id), `conversations` (the id of the one that the page shows: it
stands otherwise) and `devices` (an account's id) say what to look at again; without an id, at all
of them. `reload` says that the page is not its reader's any more, or not with the same role.
"""

import random
import time
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from heliograph.core.live.views import AccessRevokedError, DisplacedError, Hint, LiveView
from heliograph.errors import GatewayError, TooManyRequestsError
from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

KEEP_ALIVE = 15.0
"""Seconds of silence after which a line says that the connection is alive."""
LONGEST = 300.0
"""Seconds. The browser comes again by itself, and is asked again who it is."""
DISPLACED_SECONDS = 60.0
"""For which a page leaves its place to the newer ones of the same person."""

_BEGINNING = "retry: 1000\n\n"
_RELOAD = "event: reload\ndata:\n\n"
_MEDIA_TYPE = "text/event-stream"


@pages.get("live", scope="messages:read")
async def stream(visit: Visit) -> Response:
    return _respond(_told(visit))


def is_listening(request: Request) -> bool:
    """Whether a page asks to be told what happens: what a person reads is no answer to it."""
    return request.headers.get("accept") == _MEDIA_TYPE


def tell_to_reload() -> Response:
    return _respond(_pause(DISPLACED_SECONDS) + _RELOAD)


def tell_to_wait(seconds: float) -> Response:
    """An `EventSource` knows no `Retry-After`: after another status than 200 it is closed."""
    return _respond(_pause(seconds))


def _respond(content: str | AsyncIterator[str]) -> Response:
    if isinstance(content, str):
        return Response(content, media_type=_MEDIA_TYPE)
    return StreamingResponse(
        content,
        media_type=_MEDIA_TYPE,
        headers={"X-Accel-Buffering": "no"},  # nginx keeps back what is not yet a bufferful
    )


async def _told(visit: Visit) -> AsyncIterator[str]:
    """Ends when the database can't be asked, too: the browser comes again."""
    yield _BEGINNING
    try:
        async with visit.services.live.watch(
            visit.principal, _conversation(visit), session=visit.session
        ) as view:
            yield ": here\n\n"
            async for told in _follow(visit, view):
                yield told
    except TooManyRequestsError as error:
        yield _pause(error.retry_after)
    except DisplacedError:
        yield _pause(DISPLACED_SECONDS)
    except AccessRevokedError:
        yield _RELOAD
    except GatewayError:
        return


def _pause(seconds: float) -> str:
    """The browser comes again after so long, or up to half as long more: not all at once."""
    return f"retry: {round(1000 * seconds * random.uniform(1, 1.5))}\n\n"  # noqa: S311 - no secret


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
    return "".join(f"event: {hint.kind}\ndata: {hint.subject or ''}\n\n" for hint in hints)
