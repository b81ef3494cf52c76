"""A gate between nodes and PostgreSQL that holds a commit, or the answer to one.

It reads just enough of the protocol (PostgreSQL's documentation, 54.7) to know which statements a
transaction has run when its COMMIT passes. A statement outside of any is a transaction of its own.
The kernel says whose connection it is, so that exactly the node can be killed that waits there.
"""

import asyncio
import socket
import struct
import tempfile
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from heliograph.core.tenants.insertion import SIZES, Insertion
from heliograph.core.tenants.rows import TenantStatement

_PORT = 5432
_PATIENCE = 60.0
_BROKEN = (OSError, asyncio.IncompleteReadError)


class Moment(Enum):
    """Where a transaction is held."""

    BEFORE_COMMIT = "before its commit"
    """The server has run its statements and was not asked to commit."""
    BEFORE_ANSWER = "between commit and answer"
    """It is on disk, and the node has not heard of it."""


@dataclass(eq=False, slots=True)
class Held:
    """A transaction that waits at the gate, and the node whose it is."""

    process: int
    moment: Moment
    _goes_on: "asyncio.Future[bool]"

    def let_go(self) -> None:
        """Go on as if nothing had been."""
        if not self._goes_on.done():
            self._goes_on.set_result(True)

    def drop(self) -> None:
        """Cut the connection: what was not handed on never is."""
        if not self._goes_on.done():
            self._goes_on.set_result(False)

    async def wait(self) -> None:
        if not await self._goes_on:
            raise ConnectionAbortedError


@dataclass(slots=True)
class Trap:
    """Holds transactions that ran a statement with one of `texts` in it, of these nodes, each at
    its own moment."""

    texts: Collection[str]
    moments: Mapping[int, Moment]
    held: list[Held] = field(default_factory=list)

    @property
    def processes(self) -> set[int]:
        """The nodes that wait at the gate."""
        return {statement.process for statement in self.held}

    def moment_of(self, process: int, statements: Sequence[str]) -> Moment | None:
        is_caught = any(text in statement for text in self.texts for statement in statements)
        return self.moments.get(process) if is_caught else None

    async def hold(self, process: int, moment: Moment) -> None:
        held = Held(process, moment, asyncio.get_running_loop().create_future())
        self.held.append(held)
        await held.wait()

    async def full(self) -> None:
        """Return when each of the nodes waits at the gate with a transaction at least."""
        deadline = time.monotonic() + _PATIENCE
        while missing := self.moments.keys() - self.processes:
            assert time.monotonic() < deadline, f"{missing} did not come to the gate"
            await asyncio.sleep(0.005)

    async def first(self) -> Held:
        """Return what is held first, of whichever node."""
        deadline = time.monotonic() + _PATIENCE
        while not self.held:
            assert time.monotonic() < deadline, "nobody came to the gate"
            await asyncio.sleep(0.005)
        return self.held[0]


def _texts_of(statement: str | TenantStatement) -> set[str]:
    """What is in all forms of a statement as they are sent: of one that others may be joined to,
    all before its first parameter, which has another number then."""
    if isinstance(statement, str):
        return {statement}
    values = statement.form.text if isinstance(statement, Insertion) else None
    forms = (statement.one, statement.many, *(map(values, SIZES) if values else ()))
    return {form.partition("$")[0] for form in forms}


class CommitGate:
    """`url` leads to the same database as the one it was made with."""

    def __init__(self, database_url: str, folder: Path) -> None:
        parts = urlsplit(database_url)
        query = parse_qs(parts.query)
        self._host = query["host"][0] if "host" in query else str(parts.hostname)
        self._port = int(query["port"][0] if "port" in query else parts.port or _PORT)
        self.path = folder / f".s.PGSQL.{_PORT}"
        credentials = parts.netloc.rpartition("@")[0]
        query_of_ours = urlencode({"host": str(folder), "port": _PORT})
        self.url = parts._replace(netloc=f"{credentials}@", query=query_of_ours).geturl()
        self._traps: list[Trap] = []

    @asynccontextmanager
    async def trap(
        self, statement: str | TenantStatement, moments: Mapping[int, Moment]
    ) -> AsyncIterator[Trap]:
        """Holds what it catches until the block ends, and cuts that off then."""
        trap = Trap(_texts_of(statement), moments)
        self._traps.append(trap)
        try:
            yield trap
        finally:
            self._traps.remove(trap)
            for held in trap.held:
                held.drop()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await _Line(self._traps, (reader, writer), await self._connect()).run()
        writer.close()

    async def _connect(self) -> "Stream":
        """To the server: where its socket is, if the host is a folder."""
        if self._host.startswith("/"):
            return await asyncio.open_unix_connection(f"{self._host}/.s.PGSQL.{self._port}")
        return await asyncio.open_connection(self._host, self._port)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Line:
    """One connection of a node to the server, in messages."""

    def __init__(self, traps: Sequence[Trap], node: Stream, server: Stream) -> None:
        self._traps = traps
        self._node, self._server = node, server
        self._process = _peer(node[1])
        self._prepared: dict[bytes, str] = {}
        self._statements: list[str] = []
        self._in_transaction = False
        self._awaited: Trap | None = None
        """What wants the answer to the commit that is under way."""

    async def run(self) -> None:
        """Until either side hangs up; then both are."""
        tasks = [asyncio.create_task(way) for way in (self._from_node(), self._from_server())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for _, writer in (self._node, self._server):
                writer.close()

    async def _from_node(self) -> None:
        reader, writer = self._node[0], self._server[1]
        with suppress(*_BROKEN):
            length = await reader.readexactly(4)  # of the first message, which has no type
            writer.write(length + await reader.readexactly(_length(length)))
            while True:
                kind, head, body = await _message(reader)
                await self._note(kind, body)
                writer.write(head + body)
                await writer.drain()

    async def _note(self, kind: bytes, body: bytes) -> None:
        if kind == b"P":  # prepare
            name, statement = body.split(b"\0", 2)[:2]
            self._prepared[name] = statement.decode()
        elif kind == b"B":  # bind, to run what was prepared
            self._statements.append(self._prepared[body.split(b"\0", 2)[1]])
            if not self._in_transaction:
                await self._commit()
                self._statements = []
        elif kind == b"Q":
            await self._note_simple(body.rstrip(b"\0").decode())

    async def _note_simple(self, statement: str) -> None:
        """One without values, as BEGIN and COMMIT are."""
        if statement.startswith("COMMIT"):
            await self._commit()
        if statement.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            self._statements = []
            self._in_transaction = statement.startswith("BEGIN")
        else:
            self._statements.append(statement)

    async def _commit(self) -> None:
        for trap in self._traps:
            moment = trap.moment_of(self._process, self._statements)
            if moment is Moment.BEFORE_COMMIT:
                await trap.hold(self._process, moment)
            elif moment is Moment.BEFORE_ANSWER:
                self._awaited = trap

    async def _from_server(self) -> None:
        reader, writer = self._server[0], self._node[1]
        with suppress(*_BROKEN):
            while True:
                kind, head, body = await _message(reader)
                if self._awaited is not None and kind == b"C":
                    await self._answer(body)
                writer.write(head + body)
                await writer.drain()

    async def _answer(self, body: bytes) -> None:
        trap, self._awaited = self._awaited, None
        if trap is not None and body != b"ROLLBACK\0":
            await trap.hold(self._process, Moment.BEFORE_ANSWER)


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes, bytes]:
    """The type, type and length, and the rest of a message."""
    head = await reader.readexactly(5)
    return head[:1], head, await reader.readexactly(_length(head[1:]))


def _length(encoded: bytes) -> int:
    return int.from_bytes(encoded) - 4


def _peer(writer: asyncio.StreamWriter) -> int:
    """The process at the other end."""
    connection = writer.get_extra_info("socket")
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", found)[0])


@asynccontextmanager
async def commit_gate(database_url: str) -> AsyncIterator[CommitGate]:
    with tempfile.TemporaryDirectory(prefix="hg-gate-", dir="/tmp") as folder:
        gate = CommitGate(database_url, Path(folder))
        server = await asyncio.start_unix_server(gate.accept, gate.path)
        try:
            yield gate
        finally:
            server.close()
