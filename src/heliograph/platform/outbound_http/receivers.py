"""What becomes of an answer: its beginning is kept, or all of it is read as it arrives."""

import asyncio
import codecs
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable

from heliograph.platform.outbound_http.answers import AnswerError, Head
from heliograph.platform.outbound_http.connections import Connection
from heliograph.platform.outbound_http.errors import OutboundError

MAX_RESPONSE_BODY = 64 * 1024
KEPT_BODY = 1024
READ_AHEAD = 64 * 1024
"""Bytes that may wait for whoever reads them, besides those of one more read from the socket."""


class KeptStart:
    """The answer to a POST, once it has `ended`: its head, and the first KiB of its body."""

    max_body = MAX_RESPONSE_BODY
    takes_parts = True

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.ended: asyncio.Future[None] = loop.create_future()
        self.head: Head
        self._kept = b""

    @property
    def text(self) -> str:
        """The first KiB as text, without NUL."""
        if len(self._kept) <= KEPT_BODY:
            text = self._kept.decode(errors="replace")
        else:  # a character that is cut off at the end is left out
            text = codecs.getincrementaldecoder("utf-8")("replace").decode(self._kept[:KEPT_BODY])
        return text.replace("\x00", "")

    def begin(self, head: Head) -> None:
        self.head = head

    def receive(self, chunk: bytes) -> None:
        if len(self._kept) <= KEPT_BODY:
            self._kept += chunk[: KEPT_BODY + 1]

    def complete(self) -> None:
        if not self.ended.done():  # nobody waits any more
            self.ended.set_result(None)

    def fail(self, error: AnswerError) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)


class StreamedAnswer:
    """The answer to a GET: its head, once it has `begun`, and its body as it is read.

    `connection` waits for the reader; `described` makes errors of what breaks it off.
    """

    max_body = sys.maxsize
    takes_parts = False

    def __init__(
        self, connection: Connection, described: Callable[[AnswerError], OutboundError]
    ) -> None:
        self.begun: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._connection = connection
        self._described = described
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._error: AnswerError | None = None
        self._has_ended = False
        self._arrived = asyncio.Event()

    @property
    def status(self) -> int:
        return self.begun.result().status

    def header(self, name: str) -> str | None:
        return self.begun.result().header(name)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces. Raises an `OutboundError` when it breaks off."""
        while True:
            while self._chunks:
                yield self._take()
            if self._error is not None:
                raise self._described(self._error) from self._error
            if self._has_ended:
                return
            self._arrived.clear()
            await self._arrived.wait()

    def _take(self) -> bytes:
        chunk = self._chunks.popleft()
        was_full = self._size >= READ_AHEAD
        self._size -= len(chunk)
        if was_full and self._size < READ_AHEAD:
            self._connection.resume()
        return chunk

    def begin(self, head: Head) -> None:
        if not self.begun.done():  # nobody waits any more
            self.begun.set_result(head)

    def receive(self, chunk: bytes) -> None:
        was_full = self._size >= READ_AHEAD
        self._chunks.append(chunk)
        self._size += len(chunk)
        if not was_full and self._size >= READ_AHEAD:
            self._connection.pause()
        self._arrived.set()

    def complete(self) -> None:
        self._has_ended = True
        self._arrived.set()

    def fail(self, error: AnswerError) -> None:
        if not self.begun.done():
            self.begun.set_exception(error)
        self._error = error
        self._arrived.set()
