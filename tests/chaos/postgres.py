"""A PostgreSQL of a test's own that can be killed and started again while others use it."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import asyncpg

from connections import connected
from heliograph.platform.embedded.postmaster import EmbeddedPostgresError
from heliograph.platform.embedded.server import EmbeddedPostgres, find_home
from heliograph.settings import DataSettings, Settings
from prepared_data import prepare_data
from processes import list_children

T = TypeVar("T")

_PATIENCE = 60.0  # seconds


class Queried(Protocol):
    """A database of a world's: what the gateway is given as its address, and what a test asks."""

    @property
    def url(self) -> str: ...

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]: ...


@dataclass(frozen=True, slots=True)
class GivenDatabase:
    """On a server that others use as well, and that stays as it is."""

    url: str

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        return await _fetch(self.url, statement, *values)


class Postgres:
    """`url` stays the same over restarts. The server's process ends with the thread that started
    it, so one thread does it all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        prepare_data(folder)
        self._server = EmbeddedPostgres(Settings(data=DataSettings(dir=folder)))
        self._thread = ThreadPoolExecutor(1)
        self.url = ""

    @property
    def home(self) -> Path:
        """The folder of the server's files; the cluster is `data` in it."""
        home = find_home(self._folder)
        assert home is not None
        return home

    @property
    def process_id(self) -> int:
        return int((self.home / "data" / "postmaster.pid").read_text().split("\n", 1)[0])

    async def start(self) -> None:
        await self._call(self._server.start)
        self.url = self._server.superuser_url

    async def restart(self, how: signal.Signals = signal.SIGQUIT, *, away: float = 0.0) -> None:
        """Down and, after `away` seconds, up again: SIGINT ends it in order, SIGQUIT at once,
        SIGKILL without a word."""
        os.kill(self.process_id, how)
        await self._call(self._await_end)
        await asyncio.sleep(away)
        await self._call(self._launch)

    async def kill_and_restart(self, *, away: float = 0.0) -> None:
        """All of its processes at one moment, as if the machine had lost its power: what was not
        on disk is gone."""
        kill_server(self.process_id)
        await self._call(self._await_end)
        await asyncio.sleep(away)
        await self._call(self._launch)

    def _await_end(self) -> None:
        while self._server.postmaster.is_running:
            time.sleep(0.02)

    def _launch(self) -> None:
        """Again, as a supervisor does, while a child of one that was killed has not ended yet."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._server.postmaster.launch()
            except EmbeddedPostgresError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    @asynccontextmanager
    async def as_standby(self) -> AsyncIterator[None]:
        """Down, and up again as a standby that takes no writes until the block ends."""
        os.kill(self.process_id, signal.SIGINT)
        await self._call(self._await_end)
        cluster = self.home / "data"
        (cluster / "standby.signal").touch()
        os.chown(cluster / "standby.signal", cluster.stat().st_uid, cluster.stat().st_gid)
        started = asyncio.create_task(
            self._call(self._server.postmaster.launch)
        )  # done once it is promoted
        yield
        await self.fetch("SELECT pg_promote(false)")
        await started

    async def stop(self) -> None:
        await self._call(self._server.stop)
        self._thread.shutdown()

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        return await _fetch(self.url, statement, *values)

    async def _call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


async def _fetch(url: str, statement: str, *values: object) -> list[asyncpg.Record]:
    async with connected(url, timeout=_PATIENCE) as connection:
        return list(await connection.fetch(statement, *values))


def freeze_server(postmaster: int) -> None:
    """Stop all processes of a server: what it is sent is neither answered nor refused."""
    # the postmaster first: from then on it begins no child, and what ends stays in its list
    os.kill(postmaster, signal.SIGSTOP)
    for child in list_children(postmaster):
        os.kill(child, signal.SIGSTOP)


def kill_server(postmaster: int) -> None:
    """`kill -9` for all processes of a server."""
    freeze_server(postmaster)  # the server must not answer for a child that is gone
    for process in [*list_children(postmaster), postmaster]:
        os.kill(process, signal.SIGKILL)


@asynccontextmanager
async def running_postgres(folder: Path) -> AsyncIterator[Postgres]:
    server = Postgres(folder)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
