"""Patroni's cluster as deploy/postgresql/ has it: three members, an etcd, and HAProxy in front."""

import asyncio
import contextlib
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import yaml  # type: ignore[import-untyped]  # comes without types, and two calls of it are needed

from chaos.postgres import kill_server
from connections import connected
from debian_programs import need_postgres, need_program
from free_ports import free_port
from heliograph.platform.embedded.server_user import ServerUser, find_server_user
from processes import read_command
from repository import ROOT
from tcp_proxy import TcpProxy, tcp_proxy
from waiting import seen_until

DEPLOYED = ROOT / "deploy" / "postgresql"
MEMBERS = 3
PATIENCE = 180.0  # seconds in which a cluster begins, or a member joins it again
PACKAGES = {"etcd": "etcd-server", "patroni": "patroni", "haproxy": "haproxy"}
PATH = "/usr/sbin:/usr/bin:/bin"
PRIMARY = ("master", "primary")
"""What Patroni calls it: releases before 4, and later ones."""


class Member:
    """One member: a Patroni that runs a PostgreSQL on `port`, where clients reach it. The other
    members and etcd are reached, and reach it, by ways that can be cut."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self.name = f"postgres-{number}"
        self.port, self.api_port = free_port(), free_port()
        self._cluster = cluster
        self._ways: list[TcpProxy] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._file = cluster.folder / f"{self.name}.yml"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @asynccontextmanager
    async def in_reach(self, etcd_port: int) -> AsyncIterator[None]:
        async with (
            tcp_proxy(etcd_port) as etcd,
            tcp_proxy(self.port) as postgres,
            tcp_proxy(self.api_port) as api,
        ):
            self._ways = [etcd, postgres, api]
            addresses = [f"127.0.0.1:{way.port}" for way in self._ways]
            self._file.write_text(yaml.safe_dump(self._configuration(*addresses)))
            self._file.chmod(0o644)
            try:
                yield
            finally:
                self.stop()

    def _configuration(self, etcd: str, postgres: str, api: str) -> dict[str, Any]:
        """The deployed one, with addresses of this machine."""
        made: dict[str, Any] = yaml.safe_load((DEPLOYED / "patroni.yml").read_text())
        made["name"] = self.name
        made["restapi"] = {"listen": f"127.0.0.1:{self.api_port}", "connect_address": api}
        # else it would ask etcd for its members, and go past the way that can be cut
        made["etcd3"] = {"hosts": [etcd], "use_proxies": True}
        made["postgresql"] |= {
            "listen": self.host,
            "connect_address": postgres,
            "bin_dir": str(self._cluster.binaries),
            "data_dir": str(self._cluster.folder / self.name),
            "pgpass": str(self._cluster.folder / f"{self.name}.pgpass"),
            "parameters": {"unix_socket_directories": "", "shared_buffers": "64MB"},
            "pg_hba": [
                line.replace("10.0.0.0/24", "127.0.0.1/32")
                for line in made["postgresql"]["pg_hba"]
                if line.startswith("host")
            ],
        }
        return made

    def start(self) -> None:
        self._process = self._cluster.begin("patroni", str(self._file), log=self.name)

    def kill(self) -> None:
        """Patroni and PostgreSQL at one moment, as if the machine had lost its power."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)  # else it would see its server end
        postmaster = self._find_postmaster()
        if postmaster is not None:
            kill_server(postmaster)
        self._process.kill()
        self._process.wait()
        self._process = None

    def _find_postmaster(self) -> int | None:
        """None where it does not run: a file that was left behind may name anybody's process."""
        data = self._cluster.folder / self.name
        with contextlib.suppress(FileNotFoundError):
            process = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
            if str(data).encode() in read_command(process):
                return process
        return None

    def stop(self) -> None:
        if self._process is not None:
            self.kill()

    def cut_off(self) -> None:
        """Clients still reach it; etcd and the other members neither reach it nor are reached."""
        for way in self._ways:
            way.is_closed = True
            way.cut()

    def come_back(self) -> None:
        """From whatever was done to it."""
        for way in self._ways:
            way.is_closed = False
        if self._process is None:
            self.start()


class Cluster:
    """`url` names every member and asks for the one that takes writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.binaries = need_postgres()
        self._user: ServerUser = find_server_user(None, None)
        self._user.make_folder(folder)
        folder.chmod(0o711)
        self.members = [Member(self, number) for number in range(1, MEMBERS + 1)]

    @property
    def url(self) -> str:
        hosts = ",".join(member.host for member in self.members)
        return f"postgresql://postgres:change-me@{hosts}/postgres?target_session_attrs=read-write"

    def begin(self, *command: str, log: str) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{log}.log").open("ab") as stream:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env={"LC_ALL": "C.UTF-8", "PATH": PATH, "HOME": str(self.folder)},
                start_new_session=True,
                **self._user.credentials,
            )

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        """What the primary finds; waits for one."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                async with connected(self.url, timeout=5) as connection:
                    return list(await connection.fetch(statement, *values))
            except (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError):
                assert time.monotonic() < deadline, statement
                await asyncio.sleep(0.5)

    async def roles(self) -> dict[str, str]:
        """What each member that runs says of itself."""
        found = {}
        async with httpx.AsyncClient(timeout=2) as client:
            for member in self.members:
                with contextlib.suppress(httpx.TransportError):
                    answer = await client.get(f"http://127.0.0.1:{member.api_port}/patroni")
                    said = answer.json()
                    if said.get("state") == "running":
                        found[member.name] = "sync" if said.get("sync_standby") else said["role"]
        return found

    async def primary(self) -> Member:
        """Wait for a primary with a synchronous standby, and a third that follows."""
        deadline = time.monotonic() + PATIENCE
        while True:
            roles = await self.roles()
            leaders = [member for member in self.members if roles.get(member.name) in PRIMARY]
            if len(leaders) == 1 and len(roles) == MEMBERS and "sync" in roles.values():
                return leaders[0]
            assert time.monotonic() < deadline, f"not whole: {roles}\n{self._ends_of_logs()}"
            await asyncio.sleep(0.5)

    def _ends_of_logs(self) -> str:
        texts = {path.name: path.read_text(errors="replace") for path in self.folder.glob("*.log")}
        return "\n".join(f"{name}:\n{text[-2000:]}" for name, text in texts.items())

    async def elect_another(self, former: Member) -> None:
        """Wait until a member other than the former primary is the primary."""
        deadline = time.monotonic() + PATIENCE
        while not await self._is_led_by_another(former):
            assert time.monotonic() < deadline, f"no other became primary: {await self.roles()}"
            await asyncio.sleep(0.1)

    async def _is_led_by_another(self, former: Member) -> bool:
        roles = await self.roles()
        return any(role in PRIMARY for name, role in roles.items() if name != former.name)

    async def switch_over(self, leader: Member) -> None:
        [candidate] = [name for name, role in (await self.roles()).items() if role == "sync"]
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            answer = await client.post(
                f"http://127.0.0.1:{leader.api_port}/switchover",
                json={"leader": leader.name, "candidate": candidate},
            )
        assert answer.status_code == 200, answer.text


@contextmanager
def _running_etcd(cluster: Cluster) -> Iterator[int]:
    port, peers = free_port(), free_port()
    address, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
    process = cluster.begin(
        "etcd",
        *("--data-dir", str(cluster.folder / "etcd"), "--name", "one"),
        *("--listen-client-urls", address, "--advertise-client-urls", address),
        *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
        *("--initial-cluster", f"one={peer}"),
        log="etcd",
    )
    try:
        yield port
    finally:
        process.kill()
        process.wait()


async def _version_of_etcd(port: int) -> str:
    """The version of its cluster, empty while that is not decided: Patroni ends if it is started
    before."""
    async with httpx.AsyncClient(timeout=2) as client:
        with contextlib.suppress(httpx.TransportError):
            version = str(
                (await client.get(f"http://127.0.0.1:{port}/version")).json()["etcdcluster"]
            )
            return "" if version == "not_decided" else version
    return ""


@asynccontextmanager
async def patroni_cluster(folder: Path) -> AsyncIterator[Cluster]:
    """Three members, one of them the primary and one its synchronous standby."""
    for program, package in PACKAGES.items():
        need_program(program, package)
    cluster = Cluster(folder)
    async with AsyncExitStack() as stack:
        port = stack.enter_context(_running_etcd(cluster))
        await seen_until(lambda: _version_of_etcd(port), lambda version: version)
        for member in cluster.members:
            await stack.enter_async_context(member.in_reach(port))
            member.start()
        await cluster.primary()
        yield cluster


@contextmanager
def every_member_named(cluster: Cluster) -> Iterator[str]:
    yield cluster.url


@contextmanager
def behind_haproxy(cluster: Cluster) -> Iterator[str]:
    """HAProxy as deployed, with addresses of this machine; the URL of the cluster through it."""
    port, text = free_port(), (DEPLOYED / "haproxy.cfg").read_text()
    text = text.replace("10.0.0.31:5432", f"127.0.0.1:{port}")
    for number, member in enumerate(cluster.members, 1):
        deployed = rf"10\.0\.0\.2{number}:5432 check port 8008"
        text = re.sub(deployed, f"{member.host} check port {member.api_port}", text)
    assert "10.0.0." not in text, "an address of the example was left in"
    file = cluster.folder / "haproxy.cfg"
    file.write_text(text)
    process = cluster.begin("haproxy", "-db", "-f", str(file), log="haproxy")
    try:
        yield f"postgresql://postgres:change-me@127.0.0.1:{port}/postgres"
    finally:
        process.kill()
        process.wait()
