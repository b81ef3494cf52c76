"""`GuardedClient`: one POST to an address that a customer gave.

Every exchange has one deadline, DNS and body included; redirects, proxies of the environment,
cookies and compressed answers are not followed, used, kept or unpacked; of the body at most 64 KiB
are read and 1 KiB is kept. hyper refuses a head of more than about 408 KiB or 100 fields.
"""

import asyncio
import codecs
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime

from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import DetailedPyreqwestError, PyreqwestError, RequestTimeoutError
from pyreqwest.response import Response

from heliograph import __version__
from heliograph.outbound_http.addresses import AddressPolicy, parse_address
from heliograph.outbound_http.errors import (
    ConnectError,
    DeadlineError,
    DnsError,
    OutboundError,
    ProtocolError,
    TlsError,
)
from heliograph.outbound_http.resolver import Resolver
from heliograph.outbound_http.targets import Target, check_url, judge

DEADLINE = 15.0
MAX_BODY = 64 * 1024
KEPT_BODY = 1024

_CONNECT_TIMEOUT = 5.0
_MAX_ADDRESSES_TRIED = 3
_IDLE_CONNECTION = timedelta(seconds=4)
"""Shorter than the 5 s after which common servers close an idle connection, else a POST would now
and then go into one that is just being closed."""
_IDLE_CONNECTIONS = 64
"""For each endpoint; with fewer than are in use at once, the rest are opened anew each time."""
_GRACE = 1.0
"""Seconds past the deadline after which we stop waiting for the library to notice it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An answer, whatever its status.

    `body` is the first 1 KiB as text, without NUL; `retry_after` is in seconds from now;
    `address` is the one dialled.
    """

    status: int
    body: str
    retry_after: float | None
    duration_ms: float
    address: str


class GuardedClient:
    """Posts to public addresses, and to those that `policy` adds. Serves one event loop.

    `max_clients` bounds the connection pools kept, one for each (host, port, address), about
    110 KiB each. `root_certificates` (PEM) are trusted besides the usual ones.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        resolver: Resolver,
        *,
        deadline: float = DEADLINE,
        max_clients: int = 512,
        root_certificates: bytes | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._deadline = deadline
        self._max_clients = max_clients
        self._root_certificates = root_certificates
        self._now = now
        self._clients: OrderedDict[tuple[str, int, str], Client] = OrderedDict()

    def check_url(self, url: str) -> Target:
        """What `url` dials. Raises `InvalidUrlError` or `RefusedAddressError`."""
        return check_url(url, self._policy)

    async def resolve(self, target: Target) -> Sequence[str]:
        """The addresses of a target, all of them allowed.

        Raises `DnsError`, `DeadlineError`, and `RefusedAddressError` when a single one is not.
        """
        if target.address is not None:
            return [str(target.address)]
        try:
            async with asyncio.timeout(self._deadline):
                found = await self._resolver(target.host)
        except TimeoutError:
            raise DeadlineError(
                f"The name servers did not answer for {target.host} within {self._deadline:g} s."
            ) from None
        for text in found:
            address = parse_address(text)
            if address is None:
                raise DnsError(f"The name {target.host} leads to something that is no address.")
            judge(target.host, address, self._policy)
        if not found:
            raise DnsError(f"The name {target.host} has no address.")
        return found

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Exchange:
        """POST `body` and return the answer. Raises an `OutboundError` when there is none."""
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._deadline + _GRACE):
                return await self._post(self.check_url(url), headers, body, started)
        except TimeoutError:
            error: OutboundError = self._deadline_error(None)
        except OutboundError as failed:
            error = failed
        error.duration_ms = _milliseconds_since(started)
        raise error

    async def _post(
        self, target: Target, headers: Mapping[str, str], body: bytes, started: float
    ) -> Exchange:
        addresses = (await self.resolve(target))[:_MAX_ADDRESSES_TRIED]
        for address in addresses[:-1]:
            try:
                return await self._exchange(target, address, headers, body, started)
            except ConnectError:
                continue
        return await self._exchange(target, addresses[-1], headers, body, started)

    async def _exchange(
        self, target: Target, address: str, headers: Mapping[str, str], body: bytes, started: float
    ) -> Exchange:
        remaining = started + self._deadline - time.perf_counter()
        if remaining <= 0:
            raise self._deadline_error(address)
        request = (
            self._client(target, address)
            .post(target.url)
            .headers(headers)
            .body_bytes(body)
            # Cancelling from here does not close the connection; the library's own deadline does.
            .timeout(timedelta(seconds=remaining))
            .streamed_read_buffer_limit(MAX_BODY)
            .build_streamed()
        )
        with self._mapped_errors(target, address):
            async with request as response:
                text = await _read_start(response)
                return Exchange(
                    status=response.status,
                    body=text,
                    retry_after=parse_retry_after(response.get_header("retry-after"), self._now()),
                    duration_ms=_milliseconds_since(started),
                    address=address,
                )

    def _client(self, target: Target, address: str) -> Client:
        key = (target.host, target.port, address)
        client = self._clients.get(key)
        if client is None:
            client = self._clients[key] = self._build(target, address)
            if len(self._clients) > self._max_clients:
                # Dropped, not closed: requests under way keep theirs alive to their end.
                self._clients.popitem(last=False)
        self._clients.move_to_end(key)
        return client

    def _build(self, target: Target, address: str) -> Client:
        builder = (
            ClientBuilder()
            .no_proxy()
            .follow_redirects(False)
            .referer(False)
            .gzip(False)
            .brotli(False)
            .zstd(False)
            .deflate(False)
            .user_agent(f"Heliograph/{__version__}")
            .connect_timeout(timedelta(seconds=_CONNECT_TIMEOUT))
            .pool_idle_timeout(_IDLE_CONNECTION)
            .pool_max_idle_per_host(_IDLE_CONNECTIONS)
        )
        if self._root_certificates is not None:
            builder = builder.add_root_certificate_pem(self._root_certificates)
        if target.address is None:
            builder = builder.resolve(target.host, address, target.port)
        return builder.build()

    @contextmanager
    def _mapped_errors(self, target: Target, address: str) -> Iterator[None]:
        try:
            yield
        except RequestTimeoutError as error:
            if _is_connecting(error):
                raise ConnectError(
                    f"{target.host} ({address}) did not accept a connection in time.",
                    address=address,
                ) from error
            raise self._deadline_error(address) from error
        except PyreqwestError as error:
            raise _map_error(error, target, address) from error

    def _deadline_error(self, address: str | None) -> DeadlineError:
        return DeadlineError(
            f"The endpoint did not finish its answer within {self._deadline:g} s.", address=address
        )

    async def close(self) -> None:
        """Close every connection."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.close()


async def _read_start(response: Response) -> str:
    """The first 1 KiB as text, after reading on to the end or to 64 KiB, whichever is first."""
    read = bytes(await response.body_reader.read(MAX_BODY) or b"")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(read[:KEPT_BODY], final=len(read) <= KEPT_BODY).replace("\x00", "")


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait, from a number of seconds or an HTTP date (RFC 9110, 10.2.3); else None."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit() and len(value) <= 10:
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
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
    """reqwest's classes also call it a connect error when an answer is cut off."""
    return "client error (Connect)" in _causes(error)


def _reason(error: PyreqwestError) -> str:
    """The innermost cause, which is the one a person understands."""
    return (_causes(error) or [error.message])[-1]


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
