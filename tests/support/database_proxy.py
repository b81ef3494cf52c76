"""A database that can stop answering, be gone, or lose the answer to a commit: a proxy in front of
the real one."""

import asyncio
import struct
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

_PORT = 5432
_READY = b"Z\x00\x00\x00\x05I"
"""PostgreSQL's ReadyForQuery, outside a transaction: what was asked for has been done."""


class Conversation:
    """What one client says to the server: which statements each of its commits makes durable.

    Reads the protocol's messages (PostgreSQL's documentation, 54.7).
    """

    def __init__(self, said: "Counter[str]") -> None:
        self.loses_answer = False
        self._said = said
        self._heard = b""
        self._has_begun = False
        self._prepared: dict[bytes, bytes] = {}
        self._in_transaction = False
        self._open: list[bytes] = []

    def commits(self, data: bytes) -> list[bytes]:
        """The statements that what was just sent commits."""
        self._heard += data
        committed: list[bytes] = []
        for kind, body in self._messages():
            if (statement := self._statement(kind, body)) is not None:
                self._said[statement.decode()] += 1
                committed += self._run(statement)
        return committed

    def _messages(self) -> Iterator[tuple[bytes, bytes]]:
        while len(self._heard) >= 5:
            head = 1 if self._has_begun else 0  # the first message has no letter before it
            (length,) = struct.unpack_from("!i", self._heard, head)
            if len(self._heard) < head + length:
                return
            message, self._heard = self._heard[: head + length], self._heard[head + length :]
            if self._has_begun:
                yield message[:1], message[5:]
            self._has_begun = True

    def _statement(self, kind: bytes, body: bytes) -> bytes | None:
        if kind == b"Q":
            return body.rstrip(b"\0")
        if kind == b"P":
            name, statement, _ = body.split(b"\0", 2)
            self._prepared[name] = statement
        return self._prepared.get(body.split(b"\0", 2)[1]) if kind == b"B" else None

    def _run(self, statement: bytes) -> list[bytes]:
        word = statement.split(None, 1)[0].rstrip(b";").upper() if statement.strip() else b""
        if word == b"BEGIN":
            self._in_transaction, self._open = True, []
        elif word in (b"COMMIT", b"ROLLBACK"):
            self._in_transaction = False
            return self._open if word == b"COMMIT" else []
        elif self._in_transaction:
            self._open.append(statement)
        else:
            return [statement]
        return []


class DatabaseProxy:
    """`url` leads to the same database as the one it was made with. `lost` counts the answers that
    never arrived, `said` how often each statement was run."""

    def __init__(self, database_url: str, folder: Path) -> None:
        parts = urlsplit(database_url)
        self._target = (parse_qs(parts.query).get("host", [parts.hostname or ""])[0], parts.port)
        self._path = folder / f".s.PGSQL.{_PORT}"
        credentials = parts.netloc.rpartition("@")[0]
        query = urlencode({"host": str(folder), "port": _PORT})
        self.url = parts._replace(netloc=f"{credentials}@", query=query).geturl()
        self._answers = asyncio.Event()
        self._answers.set()
        self._losing: list[bytes] = []
        self.lost = 0
        self.said: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def freeze(self) -> None:
        """Nothing gets through any more, and nobody is told."""
        self._answers.clear()

    def thaw(self) -> None:
        self._answers.set()

    def lose_commit_of(self, words: str, times: int = 1) -> None:
        """The next commits of a statement with these words succeed and are never answered: their
        connections break."""
        self._losing += [words.encode()] * times

    async def listen(self) -> None:
        self._server = await asyncio.start_unix_server(self._accept, self._path)

    async def disappear(self) -> None:
        """Refuse connections and drop those there are."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._answers.wait()
        host, port = self._target
        if host.startswith("/"):
            theirs = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port or _PORT}")
        else:
            theirs = await asyncio.open_connection(host, port or _PORT)
        conversation = Conversation(self.said)
        for work in (
            self._forward(reader, theirs[1], conversation),
            self._answer(theirs[0], writer, conversation),
        ):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        conversation: Conversation,
    ) -> None:
        try:
            with suppress(OSError):
                while data := await reader.read(65536):
                    await self._answers.wait()
                    self._choose_to_lose(conversation, data)
                    writer.write(data)
                    await writer.drain()
        finally:
            writer.close()

    def _choose_to_lose(self, conversation: Conversation, data: bytes) -> None:
        for statement in conversation.commits(data):
            for words in self._losing:
                if words in statement and not conversation.loses_answer:
                    conversation.loses_answer = True
                    self._losing.remove(words)
                    break

    async def _answer(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        conversation: Conversation,
    ) -> None:
        kept = b""
        try:
            with suppress(OSError):
                while data := await reader.read(65536):
                    await self._answers.wait()
                    if conversation.loses_answer:
                        kept = (kept + data)[-len(_READY) :]
                        if kept == _READY:
                            self.lost += 1
                            return
                        continue
                    writer.write(data)
                    await writer.drain()
        finally:
            writer.close()


@asynccontextmanager
async def proxied(database_url: str) -> AsyncIterator[DatabaseProxy]:
    with tempfile.TemporaryDirectory(prefix="hg-") as folder:
        proxy = DatabaseProxy(database_url, Path(folder))
        await proxy.listen()
        try:
            yield proxy
        finally:
            proxy.thaw()
            await proxy.disappear()
