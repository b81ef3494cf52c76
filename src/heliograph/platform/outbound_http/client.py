"""`GuardedClient`: one POST or GET to an address that a customer gave.

Every exchange has one deadline, DNS and body included. Redirects are not followed, proxies of the
environment not used, cookies not kept, compressed answers not unpacked. Of the answer to a POST, at
most 64 KiB are read and 1 KiB is kept; that to a GET is read as it is taken.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from uuid import UUID

import msgspec

from heliograph.platform.aio.watchdog import Watchdog
from heliograph.platform.outbound_http.addresses import AddressPolicy
from heliograph.platform.outbound_http.answers import AnswerError
from heliograph.platform.outbound_http.certificates import make_context
from heliograph.platform.outbound_http.connections import Connection, Endpoint
from heliograph.platform.outbound_http.errors import (
    ConnectError,
    DeadlineError,
    DnsError,
    OutboundError,
    ProtocolError,
)
from heliograph.platform.outbound_http.own_ports import OwnPorts
from heliograph.platform.outbound_http.pool import ConnectionPool
from heliograph.platform.outbound_http.receivers import KeptStart, StreamedAnswer
from heliograph.platform.outbound_http.requests import encode_request
from heliograph.platform.outbound_http.resolver import Resolver
from heliograph.platform.outbound_http.retry_after import parse_retry_after
from heliograph.platform.outbound_http.targets import Target, check_url, judge_answer

CALL_TIMEOUT = 15.0

_MAX_ADDRESSES_TRIED = 3


class Exchange(msgspec.Struct, frozen=True):
    """An answer, whatever its status.

    `body` is the first 1 KiB as text, without NUL; `retry_after` is in seconds from now;
    `address` is the one dialed.
    """

    status: int
    body: str
    retry_after: float | None
    duration_ms: float
    address: str


class GuardedClient:
    """Posts to public addresses, and to those that `policy` adds, but to none of `own_ports`.

    `root_certificates` (PEM) are trusted besides the usual ones. Serves one event loop.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        resolver: Resolver,
        *,
        own_ports: OwnPorts | None = None,
        timeout: float = CALL_TIMEOUT,
        root_certificates: bytes | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._own_ports = own_ports or OwnPorts()
        self._timeout = timeout
        self._now = now
        self._pool = ConnectionPool(partial(make_context, root_certificates))
        self._watchdog = Watchdog(timeout)

    def check_url(self, url: str) -> Target:
        """Return what `url` dials. Raises `InvalidUrlError` or `RefusedAddressError`."""
        return check_url(url, self._policy)

    async def _resolve(self, target: Target) -> Sequence[str]:
        """Return the addresses to try, once all that the target has are allowed.

        Raises `DnsError`, and `RefusedAddressError` when a single one is not.
        """
        if target.address is not None:
            await self._own_ports.judge(target, target.address)
            return target.literal
        found = self._resolver.find_kept(target.host)
        if found is None:
            found = await self._resolver(target.host)
        for text in found:
            address = judge_answer(target.host, text, self._policy)
            await self._own_ports.judge(target, address)
        if not found:
            raise DnsError(f"The name {target.host} has no address.")
        return found[:_MAX_ADDRESSES_TRIED]

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, owner: UUID | None = None
    ) -> Exchange:
        """POST `body` and return the answer. Raises an `OutboundError` when there is none.

        A connection is used again only for the same owner: what a server says unasked, and so late
        that the next request is under way, is taken for its answer.
        """
        attempt = _Attempt()
        try:
            async with self._watchdog.limit():
                return await self._post(self.check_url(url), headers, body, owner, attempt)
        except TimeoutError:
            late = f"{attempt.awaited} within {self._timeout:g} s."
            raise attempt.ended_by(DeadlineError(late, address=attempt.address)) from None
        except AnswerError as error:
            raise attempt.ended_by(_no_answer(error, attempt.address)) from None
        except OutboundError as error:
            attempt.ended_by(error)
            raise

    async def _post(
        self,
        target: Target,
        headers: Mapping[str, str],
        body: bytes,
        owner: UUID | None,
        attempt: "_Attempt",
    ) -> Exchange:
        request = encode_request("POST", target, headers, body)
        attempt.awaited = f"The name servers did not answer for {target.host}"
        endpoints = _endpoints(target, await self._resolve(target), owner)
        attempt.awaited = "The endpoint did not finish its answer"
        connection = self._take_idle(endpoints)
        if connection is not None:
            try:
                return await self._exchange(connection, request, attempt)
            except AnswerError as error:
                # the server was just closing it, and saw nothing of the request
                if not error.is_unanswered:
                    raise
        return await self._exchange(await self._open(endpoints), request, attempt)

    async def _exchange(
        self, connection: Connection, request: bytes, attempt: "_Attempt"
    ) -> Exchange:
        address = attempt.address = connection.endpoint.address
        answer = KeptStart(self._watchdog.loop)
        connection.send(request, answer)
        try:
            await answer.ended
        except BaseException:
            connection.abort()
            del answer  # it has the error, and the error this frame
            raise
        return Exchange(
            status=answer.head.status,
            body=answer.text,
            retry_after=parse_retry_after(answer.head.header("retry-after"), self._now()),
            duration_ms=attempt.duration_ms,
            address=address,
        )

    @asynccontextmanager
    async def get(
        self, url: str, headers: Mapping[str, str], *, seconds: float
    ) -> AsyncIterator[StreamedAnswer]:
        """GET `url` and yield the answer, whose body is read within the block.

        The whole block may take `seconds`. Raises an `OutboundError` when there is no answer, or
        when it breaks off.
        """
        try:
            async with asyncio.timeout(seconds):
                target = self.check_url(url)
                connection = await self._open(_endpoints(target, await self._resolve(target)))
                try:
                    yield await _get(connection, target, headers)
                finally:
                    connection.abort()
        except TimeoutError:
            raise DeadlineError(f"The answer did not end within {seconds:.0f} s.") from None

    def _take_idle(self, endpoints: Sequence[Endpoint]) -> Connection | None:
        for endpoint in endpoints:
            connection = self._pool.take_idle(endpoint)
            if connection is not None:
                return connection
        return None

    async def _open(self, endpoints: Sequence[Endpoint]) -> Connection:
        """Open a connection to the first that accepts one."""
        for endpoint in endpoints[:-1]:
            with suppress(ConnectError):
                return await self._pool.open(endpoint)
        return await self._pool.open(endpoints[-1])

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.close()


class _Attempt:
    """How far a POST has come: the address dialed, what has not come yet, and the time it took."""

    __slots__ = ("_started", "address", "awaited")

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.address: str | None = None
        self.awaited = ""

    @property
    def duration_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1000

    def ended_by(self, error: OutboundError) -> OutboundError:
        """Return the error, which knows now how long the attempt took."""
        error.duration_ms = self.duration_ms
        return error


async def _get(
    connection: Connection, target: Target, headers: Mapping[str, str]
) -> StreamedAnswer:
    address = connection.endpoint.address
    answer = StreamedAnswer(connection, partial(_no_answer, address=address))
    # requests to one server are rare: the connection would be of no use
    request = encode_request("GET", target, {**headers, "connection": "close"})
    connection.send(request, answer)
    try:
        await answer.begun
    except AnswerError as error:
        del answer  # it has the error, and the error this frame
        raise _no_answer(error, address) from error
    return answer


def _endpoints(
    target: Target, addresses: Sequence[str], owner: UUID | None = None
) -> list[Endpoint]:
    return [
        Endpoint(target.scheme, target.host, target.port, address, owner) for address in addresses
    ]


def _no_answer(error: AnswerError, address: str | None) -> OutboundError:
    return ProtocolError(f"The endpoint gave no valid HTTP answer: {error}.", address=address)
