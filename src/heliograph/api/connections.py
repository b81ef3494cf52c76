"""How long and how much a connection may take: uvicorn's HTTP protocol with bounds.

Uvicorn waits for ever for a request that does not come to its end and for a client that does not
read its answer, and keeps headers of any size. Here a request has to arrive as a whole in good
time, its head in so many bytes, and what is written has to be read. What can't be understood is
answered like every other error, with a code and an `X-Request-Id`.
"""

from asyncio import TimerHandle
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import httptools
import msgspec
import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from heliograph.errors import (
    BodyTooLargeError,
    GatewayError,
    HeadTooLargeError,
    MalformedRequestError,
    RequestTimeoutError,
)

log = structlog.get_logger()


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection.

    `max_head` and `max_request` are in bytes as they come over the wire, the latter with chunk
    sizes and trailers: it bounds what the application's own limit does not count.
    """

    max_head = 64 * 1024
    max_request = 8 * 1024 * 1024
    request_seconds = 30.0
    """For a whole request, counted from when the connection is free for it."""
    unread_seconds = 60.0
    """For an answer that fills the buffers: then the client does not read."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._in_message = False
        self._in_head = False
        self._in_known_head = False
        self._is_last = False
        self._received = 0  # of the message, without what came together with its first bytes
        self._arrival: TimerHandle | None = None
        self._reading: TimerHandle | None = None

    # --- the connection's life ---------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_awaiting_request()
        self._stop_awaiting_reader()
        super().connection_lost(exc)

    def close_with_next_answer(self) -> None:
        """Say `connection: close` in the next answer, which is this request's if there is one: a
        client that learns it so loses no request to a connection that is just being closed (RFC
        9112, 9.6)."""
        self._is_last = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._received += len(data)
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self._refuse(MalformedRequestError())
        if self._in_head and self._received > self.max_head:
            self._refuse(HeadTooLargeError(self.max_head))
        elif self._received > self.max_request:
            self._refuse(BodyTooLargeError(self.max_request))

    def _parse(self, data: bytes) -> None:
        """Raises `HttpParserError`.

        An upgrade that a client offers (Java's sends `Upgrade: h2c` by default) is passed over, as
        RFC 9110, 7.8 allows. The parser believes that another protocol begins after the head: what
        follows would be dropped, or be taken for a request where it is this one's body.
        """
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as end_of_head:
                data = data[end_of_head.args[0] :]
                self._forget_upgrade()
            else:
                return

    def _forget_upgrade(self) -> None:
        """A parser that stands behind the same head without its upgrade."""
        framing = (b"content-length", b"transfer-encoding")
        lines = [b"POST / HTTP/1.1"]
        lines += [name + b": " + value for name, value in self.headers if name in framing]
        self.parser = httptools.HttpRequestParser(self)
        self._in_known_head = True
        self.parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")
        self._in_known_head = False

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self.loop.call_later(self.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_awaiting_reader()
        super().resume_writing()

    def _stop_awaiting_reader(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    # --- what the parser tells ---------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._in_known_head:
            return
        self._in_message, self._in_head, self._received = True, True, 0
        self._await_request()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A trailer is no header (RFC 9110, 6.5.1): a key in it would pass what looks at heads."""
        if self._in_head:
            super().on_header(name, value)

    def on_url(self, url: bytes) -> None:
        if self._in_head:
            super().on_url(url)

    def on_headers_complete(self) -> None:
        if self._in_known_head:
            return
        super().on_headers_complete()
        self._in_head = False
        if self._is_last:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._in_message, self._received = False, 0
        self._stop_awaiting_request()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._await_request()

    # --- a request that does not arrive ------------------------------------------------------

    def _await_request(self) -> None:
        if self._arrival is None:
            self._arrival = self.loop.call_later(self.request_seconds, self._give_up)

    def _stop_awaiting_request(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _give_up(self) -> None:
        self._arrival = None
        if self._owes_an_answer():
            self._await_request()  # an earlier one is at work, and reading may be paused for it
        elif self._in_message:
            self._refuse(RequestTimeoutError(self.request_seconds))
        else:
            self.transport.close()

    # --- refusals ----------------------------------------------------------------------------

    def _refuse(self, error: GatewayError) -> None:
        """Answer, unless the client would take it for the answer to another request; hang up."""
        if self.transport.is_closing():
            return
        if not self._owes_an_answer() and not self._has_answered():
            request_id = uuid4().hex
            log.info("request refused", status=error.status, code=error.code, request_id=request_id)
            self.transport.write(_answer(error, request_id))
        self.transport.close()

    def _owes_an_answer(self) -> bool:
        """To a request before the one that is arriving; or this one's answer has begun."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return False
        return not self._in_body() or cycle.response_started or bool(self.pipeline)

    def _has_answered(self) -> bool:
        """The request that is arriving has its answer already, before its end."""
        return self._in_body() and self.cycle.response_complete

    def _in_body(self) -> bool:
        """`cycle` belongs to the request that is arriving, not to the one before."""
        return self._in_message and not self._in_head


def _answer(error: GatewayError, request_id: str) -> bytes:
    body = msgspec.json.encode(error.body())
    head = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"x-request-id: {request_id}",
        "connection: close",
    )
    return "\r\n".join(head).encode("ascii") + b"\r\n\r\n" + body
