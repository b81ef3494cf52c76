"""One connection over HTTP/1.1: a request, its answer, and maybe the next."""

import asyncio
import ssl
from collections.abc import Callable
from typing import NamedTuple, cast
from uuid import UUID

from heliograph.platform.outbound_http.answers import AnswerError, AnswerReader, Receiver
from heliograph.platform.outbound_http.errors import describe_failure


class Endpoint(NamedTuple):
    """What a connection leads to, and for whom. `host` is what its certificate has to name."""

    scheme: str
    host: str
    port: int
    address: str
    owner: UUID | None


class Connection(asyncio.Protocol):
    """Serves one exchange at a time. `released` is called at the end of each that another may
    follow, `closed` once at the end of it all."""

    def __init__(
        self,
        endpoint: Endpoint,
        released: "Callable[[Connection], None]",
        closed: "Callable[[Connection], None]",
    ) -> None:
        self.endpoint = endpoint
        self._released = released
        self._closed = closed
        self._receiver: Receiver | None = None
        self._reader: AnswerReader
        self._transport: asyncio.Transport

    @property
    def is_open(self) -> bool:
        return not self._transport.is_closing()

    async def start_tls(self, context: ssl.SSLContext) -> None:
        """Go on in TLS, if the server is who it should be. Raises `OSError`, which
        `ssl.SSLError` is, and then the connection is closed."""
        plain = self._transport
        if plain.is_closing():
            raise ConnectionAbortedError("it was closed before the TLS handshake")
        try:
            secured = await asyncio.get_running_loop().start_tls(
                plain, self, context, server_hostname=self.endpoint.host.removesuffix(".")
            )
        except BaseException:
            plain.abort()
            raise
        self._transport = cast("asyncio.Transport", secured)

    def send(self, request: bytes, receiver: Receiver) -> None:
        """Send a request. What comes of it, the receiver is told."""
        self._receiver = receiver
        self._reader.expect(receiver)
        self._transport.write(request)

    def abort(self) -> None:
        """Close the connection at once, whatever is under way."""
        self._transport.abort()

    def pause(self) -> None:
        """Let the server wait: nothing is read until `resume`."""
        if self.is_open:
            self._transport.pause_reading()

    def resume(self) -> None:
        if self.is_open:
            self._transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._reader = AnswerReader()  # which `connection_lost` closes

    def data_received(self, data: bytes) -> None:
        if self._receiver is None:
            self.abort()  # nothing was asked for: it could be taken for the next answer
            return
        try:
            self._reader.feed(data)
        except AnswerError as error:
            self._fail(error)
            return
        if self._reader.is_complete:
            self._complete()

    def eof_received(self) -> None:
        self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self._closed(self)
        reason = describe_failure(error) if isinstance(error, OSError) else "it was closed"
        self._end(f"the connection broke off: {reason}")
        self._reader.close()

    def _end(self, problem: str | None = None) -> None:
        """Let the server's end of the connection be that of the answer, where it can be."""
        if self._receiver is None:
            return
        try:
            self._reader.end(problem)
        except AnswerError as error:
            self._fail(error)
        else:
            self._complete()

    def _complete(self) -> None:
        receiver, self._receiver = self._receiver, None
        # a request that is still being written would be followed by the next one's bytes
        if self._reader.is_reusable and not self._transport.get_write_buffer_size():
            self._released(self)
        else:
            self._transport.abort()
        if receiver is not None:
            receiver.complete()

    def _fail(self, error: AnswerError) -> None:
        receiver, self._receiver = self._receiver, None
        self._transport.abort()
        if receiver is not None:
            # without the frames in which it was raised: they lead back to who waits
            receiver.fail(AnswerError(str(error), is_unanswered=error.is_unanswered))
