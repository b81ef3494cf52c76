"""A session that keeps one connection: what most drivers would otherwise write by hand.

connecting --logged in--> connected --lost--> disconnected --backoff--> connecting --> …
                              |
                              +--logged out, banned, replaced--> the end

`stay_connected` is that loop, and `ReconnectingSession` a `Session` around it. `dial` opens a TCP
connection to a host that a customer has named, `read_lines` reads it line by line, and `parsing`
blames the network for what can't be read.
"""

import asyncio
import itertools
import re
import socket
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, NoReturn, TypeVar

import structlog

from heliograph.networks import errors
from heliograph.networks.port import (
    Account,
    AccountStatus,
    Events,
    NetworkEvent,
    Session,
    SessionState,
)
from heliograph.networks.reporting import Reporter
from heliograph.platform.aio.backoff import MAX_DELAY, backoff
from heliograph.platform.aio.futures import resolve

M = TypeVar("M")
"""What requests and their answers are made of, such as a `dict` that is sent as JSON."""

DIAL_TIMEOUT = 30.0
ANSWER_TIMEOUT = 30.0
"""Seconds for an answer to what a session asks of its own accord, such as a log-in."""
LAST_PORT = 65535
MAX_LINE_LENGTH = 1024**2
"""Bytes of a line; a longer one is dropped."""
MAX_WAITING = 1000
"""Events that wait for the gateway; while there are so many, nothing more is read."""
STEADY = 30.0
"""Seconds after which a connection counts as one that holds."""

log = structlog.get_logger(__name__)


async def stay_connected(
    connect: Callable[[], Awaitable[object]],
    reporter: Reporter,
    first_delay: float,
    max_delay: float = MAX_DELAY,
) -> errors.NetworkError:
    """Keep an account connected; return the error that ended this for good.

    `connect` logs in, reports `connected` and stays, until it raises why the connection has ended.
    After `LoggedOutError`, `BannedError` and `ReplacedError` it is not called again; after any
    other error it is, first after about `first_delay` seconds and at last every `max_delay`. All
    other states are reported here. Raises `LeaseLostError` once another node owns the account.
    """
    attempt = 0
    clock = asyncio.get_running_loop().time
    while True:
        await reporter.require_lease()
        began = clock()
        error = await _reason_of_end(connect, reporter)
        if isinstance(error, (errors.LoggedOutError, errors.BannedError)):
            await reporter.show(AccountStatus.LOGGED_OUT, error.reason)
            return error
        is_replaced = isinstance(error, errors.ReplacedError)
        if is_replaced or reporter.status is not AccountStatus.CONNECTING:
            await reporter.show(AccountStatus.DISCONNECTED, error.reason, stays_away=is_replaced)
        if is_replaced:
            return error
        if clock() - began > STEADY:  # a server may let everybody in and drop them at once
            attempt = 0
        await asyncio.sleep(backoff(attempt, first_delay, max_delay))
        attempt += 1
        await reporter.show(AccountStatus.CONNECTING, error.reason)


async def _reason_of_end(
    connect: Callable[[], Awaitable[object]], reporter: Reporter
) -> errors.NetworkError:
    try:
        await connect()
    except errors.LeaseLostError:
        raise
    except errors.NetworkError as error:
        return error
    except OSError as error:
        return errors.NetworkError(f"The connection was lost ({error}).")
    except Exception:
        log.exception("connection_failed", account_id=str(reporter.account_id))
        return errors.NetworkError("The gateway failed while it kept the account connected.")
    return errors.NetworkError("The network closed the connection.")


async def dial(
    host: str,
    port: int | str,
    why_refused: Callable[[str], str | None],
    *,
    limit: int = MAX_LINE_LENGTH,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a TCP connection. Raises `NetworkError`.

    A host that a customer has typed may lead where the gateway must not dial: `why_refused`, which
    is the `NetworkContext`'s, judges each address of it. `port` may be a form's, as text. `limit`
    is in bytes: how long a line or another unit may be that the reader looks for an end of.
    """
    number = int(port) if re.fullmatch(r"\d{1,5}", str(port)) else 0
    if not 1 <= number <= LAST_PORT:
        raise errors.NetworkError(f"There is no port {str(port)[:20]}: ports are 1 to {LAST_PORT}.")
    error = errors.NetworkError(f"{host} has no address.")
    try:
        async with asyncio.timeout(DIAL_TIMEOUT):
            loop = asyncio.get_running_loop()
            for *_, where in await loop.getaddrinfo(host, number, type=socket.SOCK_STREAM):
                address = str(where[0])
                if why := why_refused(address):
                    error = errors.NetworkError(f"{host} is at {address}, {why}: not allowed here.")
                    continue
                try:
                    return await asyncio.open_connection(address, number, limit=limit)
                except OSError as failure:
                    error = errors.NetworkError(f"{host} can't be reached ({failure}).")
    except TimeoutError:
        error = errors.NetworkError(f"{host} does not answer.")
    except OSError as failure:
        error = errors.NetworkError(f"{host} can't be found ({failure}).")
    raise error


async def read_lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield each whole line until the connection ends.

    A line over the reader's limit is dropped and logged: `async for line in reader` would raise
    `ValueError` for it, and again each time the network sends it anew.
    """
    dropped = 0
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as overrun:
            dropped += len(await reader.readexactly(overrun.consumed))
        except asyncio.IncompleteReadError:
            return
        else:
            if dropped:
                log.warning("line_too_long", size=dropped + len(line))
            else:
                yield line
            dropped = 0


@contextmanager
def parsing() -> Iterator[None]:
    """Raise `NetworkError` for what a parser raises when the network has sent something wrong.

    It is not `certain`: a message whose answer can't be read may have gone out.
    """
    try:
        yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"[:100]
        reason = f"The network sent something that can't be read ({what})."
        raise errors.NetworkError(reason, certain=False) from error


class ReconnectingSession(Session, Generic[M]):
    """A session of one connection, over which numbered requests are answered and events arrive.

    A driver says in `open`, `log_in`, `read`, `write`, `acknowledge` and `hang_up` how that is done
    on its network, and builds the methods of `Session` on `ask`. `first_delay` is the first wait,
    in seconds, before a lost connection is built up again.
    """

    def __init__(
        self,
        account: Account,
        events: Events,
        *,
        first_delay: float = 1.0,
        why_refused: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.account = account
        self.reporter = Reporter(events, account.id, first_delay=first_delay)
        self.why_refused = why_refused
        self._first_delay = first_delay
        self._final: errors.NetworkError | None = None
        self._is_logged_in = False
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[M]] = {}
        self._arrived: asyncio.Queue[tuple[NetworkEvent, int]] = asyncio.Queue(MAX_WAITING)
        self._life = asyncio.create_task(self._live())

    # --- what a driver says ---

    @abstractmethod
    async def open(self) -> None:
        """Open the connection. Raises `NetworkError`."""

    @abstractmethod
    async def log_in(self) -> SessionState:
        """Log in with `request`; return the state `connected`, with who the account is.

        `read` runs beside it. Raises `LoggedOutError` and `BannedError` to stay out for good.
        """

    @abstractmethod
    async def read(self) -> None:
        """Read until the connection ends; return, or raise why it has ended.

        Hand over what comes: to `answered`, `refused` and `arrived`. Raises `LoggedOutError`,
        `BannedError` and `ReplacedError` for an end without return.
        """

    @abstractmethod
    def write(self, number: int, request: M) -> None:
        """Send a request under this number, which its answer has to name."""

    @abstractmethod
    def hang_up(self) -> None:
        """Close what `open` has opened."""

    def acknowledge(self, number: int) -> None:
        """Tell the network that all that arrived up to this number is on disk.

        It is the highest `number` given to `arrived` so far, and never 0. Nothing is acknowledged
        that arrived over an earlier connection, so numbers may begin again with each.
        """

    # --- what a driver calls ---

    async def ask(self, request: M) -> M:
        """Return the answer to a request; who calls ends the wait.

        Raises what the driver gave to `refused`, `NoAnswerError` when the connection is lost, and
        `NotConnectedError` or `LoggedOutError` without asking.
        """
        if self._final is not None:
            raise self._final
        if not self._is_logged_in:
            raise errors.NotConnectedError(
                "The account is not connected to its network at the moment."
            )
        return await self._request(request)

    async def request(self, request: M) -> M:
        """Return the answer as `ask` does, for `log_in`: before the account is logged in.

        Raises `NoAnswerError` after `ANSWER_TIMEOUT`, too.
        """
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                return await self._request(request)
        except TimeoutError:
            raise errors.NoAnswerError("The network does not answer.") from None

    async def _request(self, request: M) -> M:
        number = next(self._numbers)
        answer: asyncio.Future[M] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            self.write(number, request)
            return await answer
        finally:
            del self._answers[number]

    def answered(self, number: int, answer: M) -> None:
        """Pass an answer to the request of this number, if anybody still waits for it."""
        if waiting := self._answers.get(number):
            resolve(waiting, answer)

    def refused(self, number: int, error: errors.NetworkError) -> None:
        """Raise an error from the request of this number, if anybody still waits for it."""
        if waiting := self._answers.get(number):
            resolve(waiting, error)

    async def arrived(self, event: NetworkEvent, number: int = 0) -> None:
        """Report an event, in order; it is acknowledged with this number once it is on disk.

        Numbers of one connection rise. An event without one (0) is not acknowledged. Waits while
        too many events wait for the gateway.
        """
        await self._arrived.put((event, number))

    # --- the connection ---

    async def close(self) -> None:
        self._final = self._final or errors.NotConnectedError("This session is closed.")
        self._life.cancel()
        await asyncio.wait([self._life])

    async def _live(self) -> None:
        try:
            error = await stay_connected(self._connect_once, self.reporter, self._first_delay)
            # jobs know by this error's kind that a session is over
            is_replaced = isinstance(error, errors.ReplacedError)
            self._final = errors.NotConnectedError(error.reason) if is_replaced else error
        except errors.LeaseLostError:
            self._final = errors.NotConnectedError("Another node owns the account.")
            log.info("session_gave_way", account_id=str(self.account.id))

    async def _connect_once(self) -> None:
        await self.open()
        self._arrived = asyncio.Queue(MAX_WAITING)  # what is not acknowledged comes again
        tasks = [asyncio.create_task(self.read()), asyncio.create_task(self._serve())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:  # `read` first: its error tells why the connection ended
                if task in done:
                    task.result()
        finally:
            self._is_logged_in = False
            for task in tasks:
                task.cancel()
            self.hang_up()
            await asyncio.gather(*tasks, return_exceptions=True)
            for number in list(self._answers):  # the network may have carried it out
                self.refused(number, errors.NoAnswerError("The connection was lost."))

    async def _serve(self) -> NoReturn:
        """Log in, then pass on what arrives, in batches."""
        state = await self.log_in()
        self._is_logged_in = True
        await self.reporter.report(state)
        while True:
            batch = [await self._arrived.get()]
            while not self._arrived.empty():
                batch.append(self._arrived.get_nowait())
            await self.reporter.publish([event for event, _ in batch])
            if highest := max(number for _, number in batch):
                self.acknowledge(highest)
