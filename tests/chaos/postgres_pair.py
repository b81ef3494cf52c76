"""Two PostgreSQL servers, a primary and its synchronous standby, that can fail over."""

import contextlib
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg

from chaos.postgres import freeze_server, kill_server
from connections import connected
from databases import run
from free_ports import free_port
from heliograph.platform.embedded.programs import provide_binaries
from heliograph.platform.embedded.server_user import ServerUser, find_server_user

_USER = "heliograph"
_PATIENCE = 60.0


class Server:
    """One of the two: a cluster and the process that serves it on a port of its own."""

    def __init__(self, pair: "PostgresPair", name: str) -> None:
        self._pair = pair
        self._cluster = pair.folder / name
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"postgresql://{_USER}:{self._pair.password}@{self.host}/postgres"

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def initialize(self) -> None:
        password_file = self._pair.folder / "password"
        password_file.write_text(self._pair.password)
        os.chown(password_file, self._pair.user.uid, self._pair.user.gid)
        self._pair.run(
            "initdb",
            "--auth=scram-sha-256",
            f"--username={_USER}",
            f"--pwfile={password_file}",
            f"--pgdata={self._cluster}",
        )

    def copy_from(self, other: "Server") -> None:
        """Become a standby of the other, whatever this was before."""
        self._pair.run("rm", "-rf", str(self._cluster))
        arguments = ("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast")
        dsn = f"host=127.0.0.1 port={other.port} user={_USER} password={self._pair.password}"
        self._pair.run("pg_basebackup", f"--pgdata={self._cluster}", f"--dbname={dsn}", *arguments)

    def start(self) -> None:
        options = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "shared_buffers": "32MB",
            "max_connections": "100",
            "wal_level": "logical",
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        with (self._pair.folder / f"{self._cluster.name}.log").open("ab") as log:
            self._process = self._pair.begin(
                "postgres", "-D", str(self._cluster), *arguments, stdout=log, stderr=log
            )
        self.until("SELECT 1")

    def kill(self) -> None:
        """`kill -9` for the whole server: as if its machine had lost its power."""
        assert self._process is not None
        kill_server(self._process.pid)
        self._process.wait(_PATIENCE)
        self._process = None

    def freeze(self) -> None:
        """The machine is gone without a word: what it is sent is neither answered nor refused."""
        assert self._process is not None
        freeze_server(self._process.pid)

    def stop(self) -> None:
        if self._process is not None:
            self.kill()

    def promote(self) -> None:
        """Take over. Commits wait for nobody then: the other one's settings are not copied."""
        self.rows("SELECT pg_promote(true, 20)")

    def wait_for_standby(self) -> None:
        """Commits wait for the other server from now on."""
        self.rows("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        self.until("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")

    def rows(self, *statements: str) -> list[Any]:
        """What the last of the statements finds."""

        async def fetch() -> list[Any]:
            async with connected(self.url, timeout=_PATIENCE) as connection:
                return [await connection.fetch(statement) for statement in statements][-1]

        return run(fetch())

    def until(self, statement: str) -> None:
        """Wait until the statement finds something."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            with contextlib.suppress(OSError, asyncpg.PostgresError):
                if self.rows(statement):
                    return
            assert time.monotonic() < deadline, statement
            time.sleep(0.1)


class PostgresPair:
    """`url` names both servers and asks for the one that takes writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.password = secrets.token_hex(12)
        self.user: ServerUser = find_server_user(None, None)
        self.user.make_folder(folder)
        self._binaries = provide_binaries(self.user, folder)
        self.first, self.second = Server(self, "first"), Server(self, "second")

    @property
    def url(self) -> str:
        hosts = f"{self.first.host},{self.second.host}"
        query = "target_session_attrs=read-write"
        return f"postgresql://{_USER}:{self.password}@{hosts}/postgres?{query}"

    def start(self) -> None:
        """A primary, whose commits wait for its standby."""
        self.first.initialize()
        self.first.start()
        self.second.copy_from(self.first)
        self.second.start()
        self.first.wait_for_standby()

    def run(self, program: str, *arguments: str) -> None:
        process = self.begin(program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, output.decode()

    def begin(self, program: str, *arguments: str, **streams: Any) -> "subprocess.Popen[bytes]":
        path = self._binaries / program
        return subprocess.Popen(
            [str(path) if path.exists() else program, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
            start_new_session=True,
            **streams,
            **self.user.credentials,
        )


@contextlib.contextmanager
def postgres_pair(folder: Path) -> Iterator[PostgresPair]:
    pair = PostgresPair(folder)
    try:
        pair.start()
        yield pair
    finally:
        pair.first.stop()
        pair.second.stop()
