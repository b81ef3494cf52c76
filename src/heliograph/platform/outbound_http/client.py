"""`GuardedClient`: one POST or GET to an address that a customer gave.

Every exchange has one deadline, DNS and body included. Redirects are not followed, proxies of the
environment not used, cookies not kept, compressed answers not unpacked. Of the answer to a POST, at
most 64 KiB are read and 1 KiB is kept; that to a GET is read as it is taken. hyper refuses a head
of more than about 408 KiB or 100 fields.
"""

import asyncio
import codecs
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime

import msgspec
from pyreqwest.client import Client
from pyreqwest.exceptions import DetailedPyreqwestError, PyreqwestError, RequestTimeoutError
from pyreqwest.response import Response

from heliograph.platform.aio.watchdog import Watchdog, WatchedTimeout
from heliograph.platform.outbound_http.addresses import AddressPolicy
from heliograph.platform.outbound_http.clients import Clients
from heliograph.platform.outbound_http.errors import (
    ConnectError,
    DeadlineError,
    DnsError,
    OutboundError,
    ProtocolError,
    TlsError,
)
from heliograph.platform.outbound_http.own_ports import OwnPorts
from heliograph.platform.outbound_http.resolver import Resolver
from heliograph.platform.outbound_http.targets import Target, check_url, judge_answer

CALL_TIMEOUT = 15.0
MAX_RESPONSE_BODY = 64 * 1024
KEPT_BODY = 1024
READ_AT_ONCE = 64 * 1024

_MAX_ADDRESSES_TRIED = 3
_GRACE = 1.0
"""Seconds past the deadline after which we stop waiting for the library to notice it; the watchdog
adds up to one."""


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


class StreamedAnswer:
    """The head of an answer to a GET, and its body as it arrives."""

    def __init__(
        self, response: Response, mapped: Callable[[PyreqwestError], OutboundError]
    ) -> None:
        self.status = response.status
        self._response = response
        self._mapped = mapped

    def header(self, name: str) -> str | None:
        return self._response.get_header(name)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body, 64 KiB at a time. Raises an `OutboundError` when it breaks off."""
        while True:
            try:
                chunk = await self._response.body_reader.read(READ_AT_ONCE)
            except PyreqwestError as error:
                raise self._mapped(error) from error
            if not chunk:
                return
            yield bytes(chunk)


class _Stopwatch:
    """Measures an exchange against its `limit`; it is `stopped` for time that the gateway itself
    takes."""

    def __init__(self, limit: asyncio.Timeout | WatchedTimeout) -> None:
        self.limit = limit
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    @contextmanager
    def stopped(self) -> Iterator[None]:
        began, ends_at = time.perf_counter(), self.limit.when()
        self.limit.reschedule(None)
        yield
        spent = time.perf_counter() - began
        self._started += spent
        self.limit.reschedule(None if ends_at is None else ends_at + spent)


class GuardedClient:
    """Posts to public addresses, and to those that `policy` adds, but to none of `own_ports`.

    `max_clients` bounds the connection pools that are kept; `root_certificates` (PEM) are trusted
    besides the usual ones; see `Clients`. Serves one event loop.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        resolver: Resolver,
        *,
        own_ports: OwnPorts | None = None,
        timeout: float = CALL_TIMEOUT,
        max_clients: int = 1024,
        root_certificates: bytes | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._own_ports = own_ports or OwnPorts()
        self._timeout = timeout
        self._now = now
        self._clients = Clients(max_clients, root_certificates)
        self._watchdog = Watchdog()

    def check_url(self, url: str) -> Target:
        """Return what `url` dials. Raises `InvalidUrlError` or `RefusedAddressError`."""
        return check_url(url, self._policy)

    async def resolve(self, target: Target) -> Sequence[str]:
        """Return the addresses of a target, once all of them are allowed.

        Raises `DnsError`, `DeadlineError`, and `RefusedAddressError` when a single one is not.
        """
        if target.address is not None:
            await self._own_ports.judge(target, target.address)
            return target.literal
        found = self._resolver.find_kept(target.host)
        if found is None:
            found = await self._look_up(target.host)
        for text in found:
            address = judge_answer(target.host, text, self._policy)
            await self._own_ports.judge(target, address)
        if not found:
            raise DnsError(f"The name {target.host} has no address.")
        return found

    async def _look_up(self, host: str) -> Sequence[str]:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._resolver(host)
        except TimeoutError:
            raise DeadlineError(
                f"The name servers did not answer for {host} within {self._timeout:g} s."
            ) from None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Exchange:
        """POST `body` and return the answer. Raises an `OutboundError` when there is none."""
        watch = _Stopwatch(self._watchdog.limit(self._timeout + _GRACE))
        try:
            async with watch.limit:
                return await self._post(self.check_url(url), headers, body, watch)
        except TimeoutError:
            error: OutboundError = self._deadline_error(None)
        except OutboundError as failed:
            error = failed
        error.duration_ms = watch.seconds * 1000
        raise error

    async def _post(
        self, target: Target, headers: Mapping[str, str], body: bytes, watch: _Stopwatch
    ) -> Exchange:
        addresses = (await self.resolve(target))[:_MAX_ADDRESSES_TRIED]
        for address in addresses[:-1]:
            try:
                return await self._exchange(target, address, headers, body, watch)
            except ConnectError:
                continue
        return await self._exchange(target, addresses[-1], headers, body, watch)

    async def _exchange(
        self,
        target: Target,
        address: str,
        headers: Mapping[str, str],
        body: bytes,
        watch: _Stopwatch,
    ) -> Exchange:
        client = await self._client(target, address, watch)
        remaining = self._timeout - watch.seconds
        if remaining <= 0:
            raise self._deadline_error(address)
        request = (
            client.post(target.url)
            .headers(headers)
            .body_bytes(body)
            # Canceling from here does not close the connection; the library's own deadline does.
            .timeout(timedelta(seconds=remaining))
            .streamed_read_buffer_limit(MAX_RESPONSE_BODY)
            .build_streamed()
        )
        try:
            async with request as response:
                text = await _read_start(response)
                return Exchange(
                    status=response.status,
                    body=text,
                    retry_after=parse_retry_after(response.get_header("retry-after"), self._now()),
                    duration_ms=watch.seconds * 1000,
                    address=address,
                )
        except PyreqwestError as error:
            raise self._mapped(error, target, address) from error

    @asynccontextmanager
    async def get(
        self, url: str, headers: Mapping[str, str], *, seconds: float
    ) -> AsyncIterator[StreamedAnswer]:
        """GET `url` and yield the answer, whose body is read within the block.

        The whole block may take `seconds`. Raises an `OutboundError` when there is no answer, or
        when it breaks off.
        """
        watch = _Stopwatch(asyncio.timeout(seconds))
        try:
            async with watch.limit, AsyncExitStack() as stack:
                yield await self._get(stack, self.check_url(url), headers, watch, seconds)
        except TimeoutError:
            raise DeadlineError(f"The answer did not end within {seconds:.0f} s.") from None

    async def _get(
        self,
        stack: AsyncExitStack,
        target: Target,
        headers: Mapping[str, str],
        watch: _Stopwatch,
        seconds: float,
    ) -> StreamedAnswer:
        addresses = (await self.resolve(target))[:_MAX_ADDRESSES_TRIED]
        for address in addresses[:-1]:
            try:
                return await self._answer(stack, target, address, headers, watch, seconds)
            except ConnectError:
                continue
        return await self._answer(stack, target, addresses[-1], headers, watch, seconds)

    async def _answer(
        self,
        stack: AsyncExitStack,
        target: Target,
        address: str,
        headers: Mapping[str, str],
        watch: _Stopwatch,
        seconds: float,
    ) -> StreamedAnswer:
        client = await self._client(target, address, watch)
        request = (
            client.get(target.url)
            # Requests to one server are rare, and it may close an idle connection unannounced.
            .headers({**headers, "connection": "close"})
            .timeout(timedelta(seconds=max(0.001, seconds - watch.seconds)))
            .streamed_read_buffer_limit(READ_AT_ONCE)
            .build_streamed()
        )
        try:
            response = await stack.enter_async_context(request)
        except PyreqwestError as error:
            raise self._mapped(error, target, address) from error
        return StreamedAnswer(response, lambda error: self._mapped(error, target, address))

    async def _client(self, target: Target, address: str, watch: _Stopwatch) -> Client:
        client = self._clients.find(target, address)
        if client is None:
            with watch.stopped():  # the endpoint is not to blame for what this takes
                client = await self._clients.make(target, address)
        return client

    def _mapped(self, error: PyreqwestError, target: Target, address: str) -> OutboundError:
        if not isinstance(error, RequestTimeoutError):
            return _map_error(error, target, address)
        if _is_connecting(error):
            return ConnectError(
                f"{target.host} ({address}) did not accept a connection in time.", address=address
            )
        return self._deadline_error(address)

    def _deadline_error(self, address: str | None) -> DeadlineError:
        return DeadlineError(
            f"The endpoint did not finish its answer within {self._timeout:g} s.", address=address
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._clients.close()


async def _read_start(response: Response) -> str:
    """Return the first 1 KiB as text, after reading to the end or to 64 KiB, whichever is first."""
    read = bytes(await response.body_reader.read(MAX_RESPONSE_BODY) or b"")
    if len(read) <= KEPT_BODY:
        text = read.decode(errors="replace")
    else:  # a character that is cut off at the end is left out
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(read[:KEPT_BODY])
    return text.replace("\x00", "")


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds to wait, from a number or an HTTP date (RFC 9110, 10.2.3); else None."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)  # infinity for a number that is longer than any
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:  # the form of C's asctime(), in GMT like the others
            when = when.replace(tzinfo=UTC)
        return max(0.0, when.timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _map_error(error: PyreqwestError, target: Target, address: str) -> OutboundError:
    reason = _reason(error)
    if not _is_connecting(error):
        return ProtocolError(f"The endpoint gave no valid HTTP answer: {reason}.", address=address)
    if target.scheme == "https" and "tcp connect error" not in _causes(error):
        return TlsError(f"No trusted connection to {target.host}: {reason}.", address=address)
    return ConnectError(f"No connection to {target.host} ({address}): {reason}.", address=address)


def _causes(error: PyreqwestError) -> list[str]:
    details = error.details if isinstance(error, DetailedPyreqwestError) else None
    causes = details["causes"] if details is not None else None
    return [cause["message"] for cause in causes or ()]


def _is_connecting(error: PyreqwestError) -> bool:
    """Return whether the connection failed; reqwest also says so of an answer that is cut off."""
    return "client error (Connect)" in _causes(error)


def _reason(error: PyreqwestError) -> str:
    """Return the innermost cause, which is the one that a person understands."""
    return (_causes(error) or [error.message])[-1]
