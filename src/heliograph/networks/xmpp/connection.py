"""The connection of one account to its server: logging in, losing the connection, reconnecting.

connecting --logged in--> connected --dropped--> disconnected --backoff--> connecting --> …
                              |
                              +--credentials refused, replaced by another connection--> the end
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NoReturn

import structlog

from heliograph.networks.connection import stay_connected
from heliograph.networks.errors import (
    LeaseLostError,
    LoggedOutError,
    NetworkError,
    NotConnectedError,
    ReplacedError,
)
from heliograph.networks.port import AccountStatus, NetworkEvent, SessionState
from heliograph.networks.reporting import Reporter
from heliograph.networks.xmpp.stream import Stream
from heliograph.networks.xmpp.wire import SessionGoneError
from heliograph.platform.aio.futures import retrieve

TAKE_OVER = 120.0
"""Seconds after its first attempt within which a replaced connection reconnects once: the account's
former node may have been dialing while it lost the lease, and hangs up when it notices."""

log = structlog.get_logger(__name__)


class Connection:
    """Keeps one account connected.

    `make` creates its streams. `begin` sets up a new session, and returns events that have to be on
    disk before it counts as open. `serve` runs while the session lasts, and may raise
    `NetworkError` to have it dropped. `end` is called after each session.
    """

    def __init__(
        self,
        reporter: Reporter,
        *,
        first_delay: float,
        make: Callable[[], Stream],
        begin: Callable[[Stream], Awaitable[Sequence[NetworkEvent]]],
        serve: Callable[[Stream], Awaitable[None]],
        end: Callable[[], None],
        identity: SessionState,
    ) -> None:
        self._reporter = reporter
        self._first_delay = first_delay
        self._make = make
        self._begin = begin
        self._serve = serve
        self._end = end
        self._identity = identity
        self._stream: Stream | None = None
        self._serving: asyncio.Task[None] | None = None
        self._final: NetworkError | None = None
        self._comes_back_until = 0.0

    @property
    def stream(self) -> Stream:
        """The open stream. Raises `LoggedOutError` and `NotConnectedError`."""
        if self._final is not None:
            raise self._final
        if self._stream is None or not self._stream.is_open:
            raise NotConnectedError("The account is not connected to its server at the moment.")
        return self._stream

    async def run(self) -> None:
        """Stay connected until canceled, logged out or replaced, or until another node owns the
        account."""
        self._comes_back_until = asyncio.get_running_loop().time() + TAKE_OVER
        try:
            error = await stay_connected(self._connect, self._reporter, self._first_delay)
            if isinstance(error, LoggedOutError):
                await self.log_out(error)
            self._final = self._final or NotConnectedError(error.reason)
        except LeaseLostError:
            log.info("xmpp_session_gave_way", account_id=str(self._reporter.account_id))
            self.drop()
        finally:
            await self._stop_serving()

    async def _connect(self) -> NoReturn:
        """Keep one connection, and reconnect at once if only its session is lost: no wait is needed
        for a server that answers."""
        while True:
            try:
                await self._connect_once()
            except SessionGoneError:
                await self._reporter.require_lease()
            except ReplacedError as error:
                if asyncio.get_running_loop().time() > self._comes_back_until:
                    raise
                self._comes_back_until = 0.0
                raise NetworkError(error.reason) from error

    async def _connect_once(self) -> NoReturn:
        """Keep one connection from its start to its end. Raises the reason for its end."""
        try:
            stream = await self._opened()
            raise await self._until_dropped(stream)
        finally:
            if self._stream is not None and not self._stream.can_resume:
                await self._discard(self._stream)

    async def _opened(self) -> Stream:
        if self._stream is None:
            self._stream = self._make()
        stream = self._stream
        before: Sequence[NetworkEvent] = ()
        is_new = await stream.open() == "new"
        if is_new:
            await self._stop_serving()
            before = await self._begun(stream)
        await self._reporter.report(self._identity, before)
        if is_new or self._serving_failed() is not None:
            self._serving = asyncio.ensure_future(self._serve(stream))
        return stream

    async def _begun(self, stream: Stream) -> Sequence[NetworkEvent]:
        try:
            return await self._begin(stream)
        except Exception:
            await stream.close()  # half a session must not be resumed
            raise

    async def _until_dropped(self, stream: Stream) -> NetworkError:
        dropped = asyncio.ensure_future(stream.dropped())
        waiting: set[asyncio.Future[Any]] = {dropped}
        if self._serving is not None and not self._serving.done():
            waiting.add(self._serving)
        try:
            while not dropped.done():
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                waiting = {dropped}
                error = self._serving_failed()
                if error is not None and stream.is_open:
                    await stream.close()
                    return error
            return dropped.result()
        finally:
            dropped.cancel()

    def _serving_failed(self) -> NetworkError | None:
        if self._serving is None or not self._serving.done() or self._serving.cancelled():
            return None
        error = self._serving.exception()
        if error is None or isinstance(error, NetworkError):
            return error
        account_id = str(self._reporter.account_id)
        log.error("xmpp_session_failed", exc_info=error, account_id=account_id)
        return NetworkError("The gateway failed while it read what the server keeps.")

    async def _discard(self, stream: Stream) -> None:
        self._stream = None
        stream.cut()
        stream.retire()
        try:
            await self._stop_serving()
        finally:
            self._end()

    async def _stop_serving(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.cancel()
            await asyncio.wait([serving])
            retrieve(serving)

    def drop(self) -> None:
        """Drop the connection without notifying the server."""
        # the server then keeps what was not acknowledged
        if self._stream is not None:
            self._stream.cut()
            self._stream.retire()
        self._final = self._final or NotConnectedError("This session is over.")
        self._end()

    async def log_out(self, error: LoggedOutError) -> None:
        """End the connection, and do not reconnect."""
        self._final = error
        await self.close()
        await self._reporter.show(AccountStatus.LOGGED_OUT, error.reason)

    async def close(self) -> None:
        """Close the connection gracefully."""
        self._final = self._final or NotConnectedError("This session is closed.")
        await self._stop_serving()
        if self._stream is not None:
            await self._stream.close()
        self._end()
