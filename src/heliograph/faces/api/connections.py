"""Connections: uvicorn's HTTP protocol with limits on their number, time and memory.

Uvicorn waits forever for a request to end and for a client to read its response, keeps headers of
any size and number, and reads whatever has arrived at once. Here a request has a limited time to
arrive, its head a limited size, and a client has to read its response. Data is read a few KiB at a
time, and requests that are sent ahead wait unread. A malformed request gets an error like every
other, with a code and an `X-Request-Id`.
"""

import asyncio
import socket
import struct
from asyncio import TimerHandle, Transport
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NoReturn
from uuid import uuid4

import httptools
import msgspec
import structlog
from starlette.types import Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.errors import (
    AddressTooLongError,
    BodyTooLargeError,
    GatewayError,
    HeadTooLargeError,
    MalformedRequestError,
    RequestTimeoutError,
    TooManyConnectionsError,
)
from heliograph.faces.api.connection_limits import ConnectionLimits
from heliograph.faces.api.encoding import SAFE_HEADERS
from heliograph.faces.api.unnamed_proxies import FORWARDED, UnnamedProxies
from heliograph.faces.unavailability import log_unavailable

log = structlog.get_logger()

_RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: drop what was not sent, and reset the connection."""


LONG_BODY = "heliograph.long_body"
"""The extension of the ASGI scope with which the application allows one request a long body."""


def expect_long_body(scope: Scope, limit: int) -> None:
    """Allow this request a body of `limit` bytes, for as long as its client keeps sending fast
    enough. Do nothing where other bounds apply, such as on a test's transport."""
    allow = scope.get("extensions", {}).get(LONG_BODY)
    if allow is not None:
        allow(scope, limit)


class _StopParsing(Exception):  # noqa: N818 - a signal; the error is in `_refusal`
    """The request is refused, whatever is left of it."""


class ReadingTurns:
    """Let the connections that have sent much be read in turn, one in each round of the event loop.

    A request needs a few rounds to be answered. If all connections read on in each of them, 64 with
    requests sent ahead, or with bodies of tiny chunks, would make each round 64 times as long.
    Clients have turns, not connections: opening many gains nothing. Serves one event loop.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Callable[[], None]]] = {}

    def wait(self, client: str, read_on: Callable[[], None]) -> None:
        """Call `read_on` once this client's turn comes, after whatever it already waits for."""
        is_first = not self._waiting
        self._waiting.setdefault(client, deque()).append(read_on)
        if is_first:
            self._schedule()

    def _take_turn(self) -> None:
        client = next(iter(self._waiting))
        waiting = self._waiting.pop(client)
        read_on = waiting.popleft()
        if waiting:
            self._waiting[client] = waiting  # behind the others
        if self._waiting:
            self._schedule()
        read_on()

    def _schedule(self) -> None:
        asyncio.get_running_loop().call_soon(self._take_turn)


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection.

    `max_head` and `max_request` are in bytes as they come over the wire, the latter with chunk
    sizes and trailers: it bounds what the application's own limit does not count. `limits`, `turns`
    and `proxies` are shared by all connections of a server.
    """

    max_head = 64 * 1024
    max_headers = 100
    max_address = 8 * 1024
    """Our longest is a provider's answer, with a code and a state."""
    max_segments = 64
    max_parameters = 200
    """Segments and parameters are processed one by one, before the caller is authenticated."""
    max_request = 8 * 1024 * 1024
    request_seconds = 30.0
    """For a whole request, counted from when the connection is free for it."""
    least_rate = 16 * 1024
    """Bytes a second of a long body, over `request_seconds`, while nobody makes the client wait."""
    unread_seconds = 60.0
    """For an answer that fills the buffers because its client does not read."""

    piece = 4 * 1024
    """Bytes that are parsed in one turn: 160 of the shortest requests, or 700 chunks."""

    def __init__(
        self,
        *arguments: Any,
        limits: ConnectionLimits | None = None,
        turns: ReadingTurns | None = None,
        proxies: UnnamedProxies | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        self._limits = limits or ConnectionLimits()
        self._turns = turns or ReadingTurns()
        self._proxies = proxies or UnnamedProxies(ClientAddresses())
        self._sender = ""
        self._extensions = {LONG_BODY: self._expect_long_body}
        self._unread = bytearray()
        self._is_to_go_on = False
        self._refusal: GatewayError | None = None
        self._in_message = False
        self._has_arrived = False  # a whole request, with the piece parsed last
        self._in_head = False
        self._in_known_head = False
        self._is_last = False
        self._lingers = False
        self._received = 0  # bytes of the message after the piece that began it
        self._head_size = 0  # bytes that the parser has reported of the head or trailers
        self._untold = 0  # bytes of the body since the parser last reported any
        self._most = self.max_request
        self._paced_at: int | None = None  # `_received` when a long body was last looked at
        self._had_to_wait = False
        self._answering: RequestResponseCycle | None = None
        """That of the request at work; `cycle` is that of the last to arrive."""
        self._arrival: TimerHandle | None = None
        self._reading: TimerHandle | None = None

    # --- the connection's life ---------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_request()
        host = None if self.client is None else self.client[0]
        self._sender = self._limits.name_client(host)
        if not self._limits.admit(self, host):
            self._refuse(TooManyConnectionsError())

    def connection_lost(self, exc: Exception | None) -> None:
        self._limits.release(self)
        self._unread.clear()
        self._stop_awaiting_request()
        self._stop_awaiting_reader()
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)
        self._forget_itself()

    def _forget_itself(self) -> None:
        """Drop the references that lead back here: with them, only a collection of garbage, during
        which the node stands still, would find what was a connection."""
        self._unset_keepalive_if_required()
        self._extensions.clear()
        if self._answering is not None:
            self.cycle = self._answering  # what was sent ahead is not answered any more
            self.cycle.transport = self.transport

    def close_with_next_answer(self) -> None:
        """Say `connection: close` in the next answer, which is this request's if there is one: a
        client told this way loses no request to a connection that is just being closed (RFC 9112,
        9.6)."""
        self._is_last = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if len(data) <= self.piece and not self._unread and not self.pipeline:
            self._take(data)
            return
        self._await_request()
        self._unread += data
        self.transport.pause_reading()
        self._go_on()

    def _read_piece(self) -> None:
        """Parse some of what has arrived. The rest waits for its turn, or until a request that was
        sent ahead is answered; nothing more is taken in meanwhile."""
        self._is_to_go_on = False
        if not self.transport.is_closing() and not self.pipeline:
            piece = bytes(self._unread[: self.piece])
            del self._unread[: self.piece]
            self._take(piece)
        if self.transport.is_closing():
            self._unread.clear()
        elif self._unread:
            if not self.pipeline:
                self._go_on()
        elif not self.flow.read_paused:
            self.transport.resume_reading()

    def _take(self, piece: bytes) -> None:
        self._received += len(piece)
        self._untold += len(piece)
        self._has_arrived = False
        try:
            self._parse(piece)
        except httptools.HttpParserError:
            self._refuse(self._refusal or MalformedRequestError())
        if (self._in_head and self._received > self.max_head) or self._untold > self.max_head:
            self._refuse(HeadTooLargeError(self.max_head, self.max_headers))
        elif self._received > self._most:
            self._refuse(BodyTooLargeError(self._most))
        if not self._has_arrived:
            self._await_request()  # a line break does not begin one (RFC 9112, 2.2)

    def _go_on(self) -> None:
        if not self._is_to_go_on:
            self._is_to_go_on = True
            self._turns.wait(self._sender, self._read_piece)

    def _parse(self, data: bytes) -> None:
        """Parse what has arrived. Raises `HttpParserError`.

        An upgrade that a client offers (Java's sends `Upgrade: h2c` by default) is ignored, as RFC
        9110, 7.8 allows.
        """
        # The parser takes the bytes after such a head for another protocol: it would drop them, or
        # parse this request's body as the next request.
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as end_of_head:
                data = data[end_of_head.args[0] :]
                self._forget_upgrade()
            else:
                return

    def _forget_upgrade(self) -> None:
        """Replace the parser by one that has read the same head without its upgrade."""
        framing = (b"content-length", b"transfer-encoding")
        lines = [b"POST / HTTP/1.1"]
        lines += [name + b": " + value for name, value in self.headers if name in framing]
        self.parser = httptools.HttpRequestParser(self)
        self._in_known_head = True
        self.parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")
        self._in_known_head = False

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self.loop.call_later(self.unread_seconds, self._give_up_reader)

    def resume_writing(self) -> None:
        self._stop_awaiting_reader()
        super().resume_writing()

    def _give_up_reader(self) -> None:
        """Reset the connection: after a plain close, the system would keep the unread data for as
        long as the client is there."""
        self._reading = None
        log.info("an answer was not read", seconds=self.unread_seconds)
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()

    def _stop_awaiting_reader(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    # --- what the parser reports ---------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._in_known_head:
            return
        self._in_message, self._in_head, self._received, self._head_size = True, True, 0, 0
        self._untold, self._has_arrived = 0, False
        self._most, self._paced_at = self.max_request, None
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_head(len(name) + len(value))
        if not self._in_head:
            return  # a trailer is no header (RFC 9110, 6.5.1), and a key in one would go unchecked
        super().on_header(name, value)
        if len(self.headers) > self.max_headers:
            self._fail(HeadTooLargeError(self.max_head, self.max_headers))

    def on_url(self, url: bytes) -> None:
        if self._in_head:
            self._count_head(len(url))
            super().on_url(url)

    def _count_head(self, size: int) -> None:
        self._head_size += size
        if self._head_size > self.max_head:
            self._fail(HeadTooLargeError(self.max_head, self.max_headers))

    def _fail(self, error: GatewayError) -> NoReturn:
        """Stop parsing at once."""
        # raised itself, its traceback would hold this frame, and this frame the connection and it
        self._refusal = error
        raise _StopParsing

    def on_headers_complete(self) -> None:
        if self._in_known_head:
            return
        names = [name for name, _ in self.headers]
        self._check_address()
        self._check_host(names.count(b"host"))
        if b"transfer-encoding" in names:
            self._check_transfer_coding()
        if not FORWARDED.isdisjoint(names):
            self._proxies.notice(None if self.client is None else self.client[0])
        self.scope["extensions"] = self._extensions  # type: ignore[typeddict-item]  # only ours
        super().on_headers_complete()
        self._in_head, self._head_size, self._untold = False, 0, 0
        if self._is_last or self._announces_too_much():
            self.cycle.keep_alive = False
        close = self.transport.close if self.cycle.keep_alive else self._close_when_read
        gathered = _GatheredAnswer(self.transport, self.loop, close)
        self.cycle.transport = gathered  # type: ignore[assignment]  # has all that an answer uses

    def _announces_too_much(self) -> bool:
        """Return whether the connection will be closed before the body has come."""
        for name, value in self.headers:
            if name == b"content-length" and int(value) > self.max_request:
                return True
        return False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        self._untold = 0
        super().on_body(body)
        self._had_to_wait = self._had_to_wait or self.flow.read_paused

    def _expect_long_body(self, scope: object, limit: int) -> None:
        """Allow `limit` bytes, and as much again for the sizes of chunks."""
        if scope is self.scope and self._in_body():
            self._most = self.max_request + 2 * limit
            self._paced_at, self._had_to_wait = self._received, self.flow.read_paused
            self._stop_awaiting_request()
            self._await_request()

    def _keeps_pace(self) -> bool:
        """Return whether a long body has arrived fast enough since it was last looked at."""
        if self._paced_at is None:
            return False
        arrived, self._paced_at = self._received - self._paced_at, self._received
        waited, self._had_to_wait = self._had_to_wait, self.flow.read_paused
        return waited or arrived >= self.least_rate * self.request_seconds

    def on_chunk_header(self) -> None:
        self._untold = 0

    def _check_address(self) -> None:
        path, _, query = self.url.partition(b"?")
        segments = path.count(b"/") + path.lower().count(b"%2f")
        if (
            len(self.url) > self.max_address
            or segments > self.max_segments
            or query.count(b"&") >= self.max_parameters
        ):
            self._fail(
                AddressTooLongError(self.max_address, self.max_segments, self.max_parameters)
            )

    def _check_host(self, hosts: int) -> None:
        """Fail unless there is exactly one Host header; HTTP/1.0 may have none (RFC 9112, 3.2)."""
        # With two, a proxy may have routed by the other.
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):
            self._fail(MalformedRequestError("A request carries exactly one Host header."))

    def _check_transfer_coding(self) -> None:
        """Fail for a transfer coding other than chunked (RFC 9112, 6.1): undecoded, the body would
        not be the one that was sent."""
        for name, value in self.headers:
            if name == b"transfer-encoding" and value.strip().lower() != b"chunked":
                self._fail(MalformedRequestError("The only transfer coding of a body is chunked."))

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._in_message, self._received, self._untold = False, 0, 0
        self._has_arrived = True
        self._stop_awaiting_request()
        if self._lingers:
            self.transport.close()
            self._fail(MalformedRequestError())  # nothing is read of what follows the last request
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self.cycle.response_complete:
            self.cycle.body = bytearray()  # nobody reads it any more
        if self.pipeline:
            self._turns.wait(self._sender, self._start_next)
            return
        super().on_response_complete()
        if self._unread and not self.transport.is_closing():
            self._unset_keepalive_if_required()
            self._go_on()

    def _start_next(self) -> None:
        """Start on the next request that was sent ahead. If the last one's body had not been read
        when the others were, it is read now: nothing else would cause that."""
        super().on_response_complete()
        if self._unread and self._in_body() and not self.pipeline:
            self._go_on()

    def _close_when_read(self) -> None:
        if self.transport.is_closing() or not self._linger():
            self.transport.close()

    def _linger(self) -> bool:
        """Return whether the connection's last request was answered before its end.

        What is still sent is then read and dropped, within the bounds of every request.
        """
        # Data that arrives on a closed connection resets it, and the client may lose the response
        # (RFC 9112, 9.6).
        self._lingers = self._in_body()
        if self._lingers:
            self.transport.write_eof()
        return self._lingers

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
        # an earlier one may be at work, and reading paused for it; or what has arrived waits to be
        # parsed, on a node that stood still for as long
        if self._owes_an_answer() or self._keeps_pace() or self._unread:
            self._await_request()
        elif self._in_message:
            self._refuse(RequestTimeoutError(self.request_seconds))
        else:
            self.transport.close()

    # --- refusals ----------------------------------------------------------------------------

    def _refuse(self, error: GatewayError) -> None:
        """Answer, unless the client would take it for the answer to another request; hang up."""
        if self.transport.is_closing():
            return
        has_answered = self._in_body() and self.cycle.response_complete
        if not self._owes_an_answer() and not has_answered:
            request_id = uuid4().hex
            log_unavailable(error)
            log.info("request refused", status=error.status, code=error.code, request_id=request_id)
            self.transport.write(_answer(error, request_id))
        self.transport.close()

    def _owes_an_answer(self) -> bool:
        """Return whether a response is due to an earlier request, or this one's has begun."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return False
        return not self._in_body() or cycle.response_started or bool(self.pipeline)

    def _in_body(self) -> bool:
        """Return whether `cycle` belongs to the arriving request, not to the previous one."""
        return self._in_message and not self._in_head


class _GatheredAnswer:
    """The transport of one answer, whose head waits for the body that usually follows at once: one
    system call instead of two, and one packet."""

    __slots__ = ("_close", "_has_begun", "_head", "_loop", "_write", "is_closing")

    def __init__(
        self, transport: Transport, loop: asyncio.AbstractEventLoop, close: Callable[[], None]
    ) -> None:
        self._write = transport.write
        self._loop = loop
        self._close = close
        self.is_closing = transport.is_closing
        self._head = b""
        self._has_begun = False

    def write(self, data: bytes) -> None:
        if self._has_begun:
            head, self._head = self._head, b""
            self._write(head + data if head else data)
        else:
            self._has_begun, self._head = True, data
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._write(head)

    def close(self) -> None:
        self._flush()
        self._close()


def _answer(error: GatewayError, request_id: str) -> bytes:
    body = msgspec.json.encode(error.body())
    head = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"x-request-id: {request_id}",
        "connection: close",
        *(f"{name.decode()}: {value.decode()}" for name, value in SAFE_HEADERS),
        *(f"{name}: {value}" for name, value in error.headers().items()),
    )
    return "\r\n".join(head).encode("ascii") + b"\r\n\r\n" + body
