"""`Clients`: a connection pool for each place that is posted to, made beside the event loop."""

import asyncio
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from pyreqwest.client import Client, ClientBuilder

from heliograph import __version__
from heliograph.platform.outbound_http.targets import Target

_CONNECT_TIMEOUT = 5.0
_IDLE_CONNECTION = timedelta(seconds=4)
"""Shorter than the 5 s after which common servers close an idle connection, else a POST would now
and then go into one that is just being closed."""
_IDLE_CONNECTIONS = 64
"""For each endpoint; with fewer than are in use at once, the rest are opened anew each time."""

_Key = tuple[str, str, int, str]


class Clients:
    """At most `limit` of them, about 110 KiB each, one for each (scheme, host, port, address).

    Making one for https takes a millisecond or, where `prefer_bundle` does not help, four: each
    reads the root certificates of the system, and the library lets none share them. A node that is
    new to a thousand endpoints would stand still for seconds, so they are made in a thread, one at
    a time and with pauses, for that holds the interpreter while it works.

    `root_certificates` (PEM) are trusted besides the usual ones. Serves one event loop.
    """

    def __init__(self, limit: int, root_certificates: bytes | None) -> None:
        self._limit = limit
        self._root_certificates = root_certificates
        self._kept: OrderedDict[_Key, Client] = OrderedDict()
        self._in_making: dict[_Key, asyncio.Task[Client]] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="outbound-clients")

    def find(self, target: Target, address: str) -> Client | None:
        """The one that is kept for this place."""
        key = (target.scheme, target.host, target.port, address)
        client = self._kept.get(key)
        if client is not None:
            self._kept.move_to_end(key)
        return client

    async def make(self, target: Target, address: str) -> Client:
        """A new one, which is kept; those who ask for the same meanwhile get the same."""
        key = (target.scheme, target.host, target.port, address)
        making = self._in_making.get(key)
        if making is None:
            making = self._in_making[key] = asyncio.create_task(self._make(key, target, address))
        return await asyncio.shield(making)

    async def _make(self, key: _Key, target: Target, address: str) -> Client:
        try:
            client = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._build_and_pause, target, address
            )
        finally:
            del self._in_making[key]
        self._kept[key] = client
        if len(self._kept) > self._limit:
            # Dropped, not closed: requests under way keep theirs alive to their end.
            self._kept.popitem(last=False)
        return client

    def _build_and_pause(self, target: Target, address: str) -> Client:
        began = time.perf_counter()
        client = self._build(target, address)
        time.sleep(time.perf_counter() - began)
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
        if target.scheme == "http":
            # It never speaks TLS, for no redirect is followed: no certificate need be read.
            builder = builder.danger_accept_invalid_certs(True)
        elif self._root_certificates is not None:
            builder = builder.add_root_certificate_pem(self._root_certificates)
        if target.address is None:
            builder = builder.resolve(target.host, address, target.port)
        return builder.build()

    async def close(self) -> None:
        """Close every connection."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        clients = list(self._kept.values())
        self._kept.clear()
        for client in clients:
            await client.close()
