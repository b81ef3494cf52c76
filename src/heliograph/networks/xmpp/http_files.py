"""Files over HTTP: uploaded to an address from the account's server, downloaded from addresses of
strangers.

Every IP address is checked before it is dialed, and the checked address is the one dialed: names
are resolved here, once. Redirects of downloads are followed, and each is checked like the first
address.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import NamedTuple
from urllib.parse import urljoin

import httpx2
from aiodns import DNSResolver
from aiodns.error import DNSError

from heliograph import __version__
from heliograph.networks.errors import NetworkError

MAX_REDIRECTS = 3
MAX_ADDRESSES = 3
STALL_TIMEOUT = 20.0
"""Seconds for a connection, and for each piece of a file."""
DNS_TIMEOUT = 3.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TOO_LARGE = frozenset({413, 415})


class FileServers:
    """The HTTP client of one account.

    `why_refused` checks IP addresses. TLS is required, unless `plaintext` is set: then uploads, and
    downloads from `own_hosts` and their subdomains, may go without.
    """

    def __init__(
        self,
        why_refused: Callable[[str], str | None],
        tls: ssl.SSLContext,
        *,
        plaintext: bool,
        own_hosts: Collection[str],
    ) -> None:
        self._why_refused = why_refused
        self._tls = tls
        self._plaintext = plaintext
        self._own_hosts = own_hosts

    async def put(
        self, url: str, headers: Mapping[str, str], data: AsyncIterator[bytes], size: int
    ) -> None:
        """Put a file of this size. Raises `NetworkError`, and what reading `data` raises."""
        sized = {**headers, "Content-Length": str(size)}
        async with self._exchange("PUT", url, sized, data) as answer:
            if not answer.is_success:
                raise NetworkError(
                    f"The server for files does not take it (HTTP {answer.status_code}).",
                    permanent=answer.status_code in _TOO_LARGE,
                )

    async def get(self, url: str, most: int) -> tuple[bytes, str]:
        """Fetch at most `most` bytes. Returns them with their media type.

        Raises `NetworkError`: `permanent` for a file that is larger.
        """
        for _ in range(MAX_REDIRECTS + 1):
            async with self._exchange("GET", url, {}, None) as answer:
                if answer.status_code not in _REDIRECTS:
                    return await _read(answer, most), _media_type(answer)
                url = urljoin(url, answer.headers.get("location", ""))
        raise NetworkError("The link leads from one address to the next.", permanent=True)

    @contextlib.asynccontextmanager
    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], data: AsyncIterator[bytes] | None
    ) -> AsyncIterator[httpx2.Response]:
        try:
            target = self._target(url, is_own=method == "PUT")
            async with httpx2.AsyncClient(
                verify=self._tls, timeout=STALL_TIMEOUT, trust_env=False
            ) as client:
                address = await self._address(target)
                request = client.build_request(
                    method,
                    target.url.copy_with(host=address),
                    headers={**_HEADERS, **headers, "Host": target.url.netloc.decode()},
                    content=data,
                    extensions={"sni_hostname": target.host},
                )
                answer = await client.send(request, stream=True)
                try:
                    yield answer
                finally:
                    await answer.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise NetworkError(f"The file's server can't be used ({_words(error)}).") from error
        except (OSError, ValueError) as error:
            raise NetworkError(f"The file's server can't be reached ({_words(error)}).") from error

    def _target(self, url: str, *, is_own: bool) -> "_Target":
        parsed = httpx2.URL(url)
        host = parsed.raw_host.decode("ascii")
        is_own = is_own or any(f".{host}".endswith(f".{own}") for own in self._own_hosts)
        schemes = ("https", "http") if self._plaintext and is_own else ("https",)
        if parsed.scheme not in schemes or not host or parsed.userinfo:
            raise NetworkError("The link to the file is not one that may be followed: https only.")
        return _Target(parsed, host, parsed.port or _PORTS[parsed.scheme])

    async def _address(self, target: "_Target") -> str:
        """Look up the host and return an address that may be dialed and answers."""
        addresses = await _addresses(target.host)
        for address in addresses:
            # a forbidden address among several is a sign of an attack
            if why := self._why_refused(address):
                raise NetworkError(
                    f"The file's server is at {address}, {why}: not allowed here.", permanent=True
                )
        for address in addresses[: MAX_ADDRESSES - 1]:
            if len(addresses) == 1 or await _answers(address, target.port):
                return address
        return addresses[min(len(addresses), MAX_ADDRESSES) - 1]


class _Target(NamedTuple):
    url: httpx2.URL
    host: str
    port: int


_PORTS = {"https": 443, "http": 80}
_HEADERS = {"User-Agent": f"Heliograph/{__version__}", "Accept-Encoding": "identity"}


async def _addresses(host: str) -> list[str]:
    # a stranger's name servers may be slow: `getaddrinfo` would block a thread for each
    resolver = DNSResolver(timeout=DNS_TIMEOUT, tries=2)
    try:
        found = await resolver.getaddrinfo(host, type=socket.SOCK_STREAM)
    except DNSError as error:
        raise NetworkError(f"The file's server {host} can't be found.") from error
    finally:
        await resolver.close()
    addresses = list(dict.fromkeys(node.addr[0].decode() for node in found.nodes))
    if not addresses:
        raise NetworkError(f"The file's server {host} has no address.")
    return addresses


async def _answers(address: str, port: int) -> bool:
    try:
        async with asyncio.timeout(STALL_TIMEOUT / MAX_ADDRESSES):
            _, writer = await asyncio.open_connection(address, port)
    except OSError:
        return False
    writer.close()
    return True


async def _read(answer: httpx2.Response, most: int) -> bytes:
    if not answer.is_success:
        raise NetworkError(f"The file can't be fetched (HTTP {answer.status_code}).")
    stated = answer.headers.get("content-length", "")
    if stated.isdigit() and int(stated[:20]) > most:
        raise NetworkError(f"The file is larger than {most} bytes.", permanent=True)
    data = bytearray()
    async for piece in answer.aiter_raw():
        data += piece
        if len(data) > most:
            raise NetworkError(f"The file is larger than {most} bytes.", permanent=True)
    return bytes(data)


def _media_type(answer: httpx2.Response) -> str:
    return str(answer.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
