"""The log of events: a page of it, or a stream."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Header, Query, Request, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from heliograph import errors
from heliograph.core.events.log import SLICE, EventReader, parse_after
from heliograph.core.events.model import EventPosition, LoggedEvent
from heliograph.core.pages import MAX_CURSOR, encode_cursor
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.faces.address_limits import client_host
from heliograph.faces.api.accepting import accepted_types
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import JSONBytes
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.event_log import STREAM, EventPage
from heliograph.faces.api.schemas.fields import SearchText

router = api_router("events", "Event log")

MEDIA_TYPE = "text/event-stream"
MAX_WAIT = 30
"""Seconds."""
KEEP_ALIVE = 15.0
"""Seconds of silence after which a line says that the stream is alive."""
RECHECK = 1.0
"""Seconds after which a reader's key is checked again, usually without I/O."""
CHUNK = 200
"""Events that a stream sends at once."""
LAST_EVENT_ID = "Last-Event-ID"


@router.get(
    "",
    response_model=EventPage,
    responses={
        **error_responses(
            errors.OtherOrganizationError, errors.CursorExpiredError, errors.TooManyReadersError
        ),
        200: {"content": {MEDIA_TYPE: STREAM}},
    },
)
async def list_events(
    principal: Annotated[Principal, requires("webhooks:read")],
    services: ServicesDependency,
    request: Request,
    after: Annotated[
        SearchText | None,
        Query(
            max_length=MAX_CURSOR,
            description="Where to continue: the `next_cursor` of the previous page, or `oldest` "
            "for all events that are kept. Without it, only events from now on.",
        ),
    ] = None,
    types: Annotated[
        SearchText | None,
        Query(
            description="Only events of these types, separated by commas: `message.received`, "
            "`device.*`. They require the scope to read what they show: `messages:read`, "
            "`conversations:read` or `contacts:read`, `*` all three. Without it, all events that "
            "the key may read.",
        ),
    ] = None,
    chat_account_id: Annotated[UUID | None, Query(description="Only of this account.")] = None,
    limit: Annotated[
        int, Query(ge=1, le=100, description="Maximum number of entries; streams ignore it.")
    ] = 50,
    wait: Annotated[
        int,
        Query(
            ge=0,
            le=MAX_WAIT,
            description="Seconds to wait if there is nothing yet; streams ignore it.",
        ),
    ] = 0,
    last_event_id: Annotated[
        SearchText | None,
        Header(
            alias=LAST_EVENT_ID,
            max_length=MAX_CURSOR,
            description="The id of the last event from a stream; takes precedence over `after`.",
        ),
    ] = None,
) -> Response:
    """Read events after a cursor, oldest first: as a page, or, with `Accept: text/event-stream`, as
    a stream of server-sent events whose ids are cursors. A client that keeps the cursor misses
    nothing and gets nothing twice. A page may hold no events and still move the cursor. A page
    without events whose cursor is the one you sent means that there is nothing more for now.
    """
    is_draining: Callable[[], bool] = request.app.state.is_draining
    is_stream = MEDIA_TYPE in accepted_types(", ".join(request.headers.getlist("accept")))
    begins = parse_after(after)
    if last_event_id:
        begins = parse_after(last_event_id, LAST_EVENT_ID, "header")
    opened = services.event_log.open(
        principal,
        begins,
        types=None if types is None else [name.strip() for name in types.split(",")],
        account_id=chat_account_id,
        waits=is_stream or wait > 0,
    )
    authorization = request.headers.get("authorization")
    key = _ReaderKey(services, principal, authorization, client_host(request.scope))
    if is_stream:
        return _EventStream(opened, key, is_draining)

    async def is_over() -> bool:
        return is_draining() or await request.is_disconnected() or not await key.is_still_good()

    return await read_page(opened, limit, wait, is_over, key.authenticate)


async def read_page(
    opened: AbstractAsyncContextManager[EventReader],
    limit: int,
    wait: int,
    is_over: Callable[[], Awaitable[bool]],
    authenticate: Callable[[], Awaitable[Principal]],
) -> JSONBytes:
    """Answer with a page; after a wait, `authenticate` checks the key again."""
    async with opened as reader:
        events = await reader.read_or_wait(limit, wait, is_over)
        if wait:
            await authenticate()
        return _respond(events, reader.position)


def _encode(event: LoggedEvent) -> bytes:
    # what is stored is the body for webhooks, which begins with its type
    return b'{"id":"%s",%s' % (str(event.id).encode(), event.payload[1:])


def _respond(events: Sequence[LoggedEvent], position: EventPosition) -> JSONBytes:
    cursor = encode_cursor(position).encode()
    listed = b",".join(map(_encode, events))
    return JSONBytes(b'{"events":[%s],"next_cursor":"%s"}' % (listed, cursor))


@dataclass(slots=True)
class _ReaderKey:
    """The key of a reader who waits or streams, checked again from time to time."""

    services: Services
    principal: Principal
    authorization: str | None
    address: str | None
    _look_at: float = 0.0

    async def is_still_good(self) -> bool:
        """Whether the key may still do what it could when the request came."""
        if time.monotonic() < self._look_at:
            return True
        self._look_at = time.monotonic() + RECHECK
        try:
            return await self.authenticate() == self.principal
        except errors.UnavailableError:
            return True  # it can't be checked now, which is no reason to disconnect anybody
        except errors.UnauthorizedError:
            return False

    async def authenticate(self) -> Principal:
        """Check the key again. Raises `UnauthorizedError`, or `UnavailableError` if that fails."""
        if self.authorization is None:  # a signed-in person, who never waits for long
            return self.principal
        return await self.services.keys.authenticate(self.authorization, self.address)


# --- the stream --------------------------------------------------------------------------------


class _EventStream(Response):
    """The events as server-sent events, until the client leaves, the node stops, or the key is no
    longer good.

    A faulty request is answered with an error before the stream begins.
    """

    def __init__(
        self,
        opened: AbstractAsyncContextManager[EventReader],
        key: _ReaderKey,
        is_draining: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._opened = opened
        self._key = key
        self._is_draining = is_draining

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened as reader:
            beginning = _beginning(reader.position)
            events = await reader.read(CHUNK)
            response = StreamingResponse(
                self._follow(reader, beginning + _encode_stream(events)),
                media_type=MEDIA_TYPE,
                # or nginx holds back what does not fill a buffer
                headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
            )
            await response(scope, receive, send)

    async def _follow(self, reader: EventReader, first: bytes) -> AsyncIterator[bytes]:
        yield first
        sent_at = time.monotonic()
        try:
            while not self._is_draining() and await self._key.is_still_good():
                if events := await reader.read(CHUNK):
                    yield _encode_stream(events)
                    sent_at = time.monotonic()
                elif time.monotonic() - sent_at >= KEEP_ALIVE:
                    yield _keep_alive(reader.position)
                    sent_at = time.monotonic()
                else:
                    await reader.wait(SLICE)
        except (errors.UnavailableError, errors.CursorExpiredError):
            return  # the client reconnects, and gets the error then


def _beginning(position: EventPosition) -> bytes:
    """Have the client reconnect after a second, from here if it has received nothing."""
    return b"retry: 1000\n" + _keep_alive(position)


def _keep_alive(position: EventPosition) -> bytes:
    # an id without data is not an event, but the client keeps it: it may be far past the last event
    return b": here\nid: %s\n\n" % encode_cursor(position).encode()


def _encode_stream(events: Sequence[LoggedEvent]) -> bytes:
    return b"".join(
        b"id: %s\ndata: %s\n\n" % (encode_cursor(event.position).encode(), _encode(event))
        for event in events
    )
