"""`Clients`: a connection pool for each endpoint, made beside the event loop."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import NamedTuple

from cachetools import LRUCache
from pyreqwest.client import Client, ClientBuilder

from heliograph import __version__
from heliograph.platform.aio.cache import SingleFlight
from heliograph.platform.outbound_http.targets import Target

_CONNECT_TIMEOUT = 5.0
_IDLE_CONNECTION = timedelta(seconds=4)
"""Shorter than the 5 s after which common servers close an idle connection, else a POST would now
and then go into one that is just being closed."""
_IDLE_CONNECTIONS = 64
"""For each endpoint; with fewer than are in use at once, the rest are opened anew each time."""


class _Endpoint(NamedTuple):
    """What a client is for. `is_named` says that the host is a name, which leads to `address`."""

    scheme: str
    host: str
    port: int
    address: str
    is_named: bool

    @classmethod
    def of(cls, target: Target, address: str) -> "_Endpoint":
        return cls(target.scheme, target.host, target.port, address, target.address is None)


class Clients:
    """Keeps at most `limit` clients, about 110 KiB each, by scheme, host, port and address.

    Making one for https takes a millisecond or, where `prefer_bundle` does not help, four: it reads
    the system's root certificates, which the library lets no two clients share. A node that is new
    to a thousand endpoints would stand still for seconds. So they are made in a thread, one at a
    time and with pauses, since that work holds the interpreter.

    `root_certificates` (PEM) are trusted besides the usual ones. Serves one event loop.
    """

    def __init__(self, limit: int, root_certificates: bytes | None) -> None:
        self._root_certificates = root_certificates
        # dropped, not closed: requests under way keep theirs alive to their end
        self._kept: LRUCache[_Endpoint, Client] = LRUCache(limit)
        self._builds = SingleFlight(self._make)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="outbound-clients")

    def find(self, target: Target, address: str) -> Client | None:
        """Return the client that is kept for this endpoint."""
        return self._kept.get(_Endpoint.of(target, address))

    async def make(self, target: Target, address: str) -> Client:
        """Make a client and keep it; those who ask for the same meanwhile get the same."""
        return await self._builds.join(_Endpoint.of(target, address))

    async def _make(self, endpoint: _Endpoint) -> Client:
        self._kept[endpoint] = client = await asyncio.get_running_loop().run_in_executor(
            self._thread, self._build_and_pause, endpoint
        )
        return client

    def _build_and_pause(self, endpoint: _Endpoint) -> Client:
        began = time.perf_counter()
        client = self._build(endpoint)
        time.sleep(time.perf_counter() - began)
        return client

    def _build(self, endpoint: _Endpoint) -> Client:
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
        if endpoint.scheme == "http":
            # It never speaks TLS, for no redirect is followed: no certificate need be read.
            builder = builder.danger_accept_invalid_certs(True)
        elif self._root_certificates is not None:
            builder = builder.add_root_certificate_pem(self._root_certificates)
        if endpoint.is_named:
            builder = builder.resolve(endpoint.host, endpoint.address, endpoint.port)
        return builder.build()

    async def close(self) -> None:
        """Close every connection."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        clients = list(self._kept.values())
        self._kept.clear()
        for client in clients:
            await client.close()
