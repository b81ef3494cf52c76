"""A cluster of Citus of a test's own: a coordinator and two workers, of which any can be killed."""

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from chaos.postgres import GivenDatabase, kill_server
from citus import distribute_all, fetch, join_workers, make_coordinator
from free_ports import free_port
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.embedded.server_user import ServerUser, find_server_user

_DEBIAN = Path("/usr/lib/postgresql")
_USER = "heliograph"
_PATIENCE = 60.0  # seconds
WORKERS = 2

OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_preload_libraries": "citus",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "max_prepared_transactions": "400",
    "wal_level": "logical",
    # what is in doubt on a worker that comes back is settled by then: by itself each minute
    "citus.recover_2pc_interval": "5s",
}


class Server:
    """A cluster of files and the process that serves it, on a port of its own of loopback."""

    def __init__(self, folder: Path, binaries: Path, user: ServerUser) -> None:
        self._folder = folder
        self._binaries = binaries
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.url = f"postgresql://{_USER}@127.0.0.1:{self.port}/postgres"

    def initialize(self) -> None:
        options = ("--auth=trust", f"--username={_USER}", "--encoding=UTF8", "--no-locale")
        begun = self._begin("initdb", *options, f"--pgdata={self._folder}")
        assert begun.wait(_PATIENCE) == 0, self._log.read_text()

    async def start(self) -> None:
        options = [f"--{name}={value}" for name, value in OPTIONS.items()]
        self._process = self._begin("postgres", "-D", str(self._folder), f"-p{self.port}", *options)
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                await fetch(self.url, "SELECT 1")
            except (OSError, asyncpg.PostgresError):
                assert time.monotonic() < deadline, self._log.read_text()
                await asyncio.sleep(0.1)
            else:
                return

    def kill(self) -> None:
        """All of its processes at one moment, as if its machine had lost its power."""
        if self._process is not None:
            kill_server(self._process.pid)
            self._process.wait(_PATIENCE)
            self._process = None

    @property
    def _log(self) -> Path:
        return self._folder.with_suffix(".log")

    def _begin(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [str(self._binaries / program), *arguments],
                cwd=self._folder.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"LC_ALL": "C", "PATH": os.defpath},
                start_new_session=True,
                **self._user.credentials,
            )


class CitusCluster:
    """`database` is the coordinator's, with every table where it belongs."""

    def __init__(self, folder: Path) -> None:
        user = find_server_user(None, None)
        user.make_folder(folder)
        binaries = _need_citus()
        self.coordinator = Server(folder / "coordinator", binaries, user)
        self.workers = [Server(folder / f"worker-{n}", binaries, user) for n in range(WORKERS)]
        self.database = GivenDatabase(self.coordinator.url)

    async def start(self) -> None:
        for server in (*self.workers, self.coordinator):
            server.initialize()
            await server.start()
        url, workers = self.coordinator.url, [worker.url for worker in self.workers]
        await make_coordinator(url, workers)
        await join_workers(url, url, workers)
        await Migrations(NetworkRegistry().list_migration_folders()).upgrade(url)
        await distribute_all(url)

    async def move(self, shard: int) -> None:
        """Have the other worker serve the tenants of this shard."""
        [place] = await self.database.fetch(PLACE, shard)
        ports = [worker.port for worker in self.workers if worker.port != place["port"]]
        await self.database.fetch(MOVE, place["id"], place["port"], ports[0])

    async def server_of(self, shard: int) -> Server:
        """The worker that has it."""
        [place] = await self.database.fetch(PLACE, shard)
        return next(worker for worker in self.workers if worker.port == place["port"])

    def stop(self) -> None:
        for server in (self.coordinator, *self.workers):
            server.kill()


PLACE = """
SELECT shardid AS id, nodeport AS port FROM pg_dist_shard_placement
WHERE shardid = get_shard_id_for_distribution_column('messages', $1::integer)
"""
MOVE = "SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3)"


@asynccontextmanager
async def citus_cluster(folder: Path) -> AsyncIterator[CitusCluster]:
    """One that runs until the block ends; the test is skipped where Citus is not installed."""
    cluster = CitusCluster(folder)
    try:
        await cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _need_citus() -> Path:
    """The programs of the newest of Debian's PostgreSQL that has Citus, or skip."""
    found = sorted(_DEBIAN.glob("*/lib/citus.so"), key=lambda library: int(library.parts[-3]))
    if not found:
        pytest.skip("needs Citus in Debian's PostgreSQL")
    return found[-1].parents[1] / "bin"
