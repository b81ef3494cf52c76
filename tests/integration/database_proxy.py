"""A database that can stop answering, or be gone: a proxy in front of the real one."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

_PORT = 5432


class DatabaseProxy:
    """`url` leads to the same database as the one it was made with."""

    def __init__(self, database_url: str, folder: Path) -> None:
        parts = urlsplit(database_url)
        self._target = (parse_qs(parts.query).get("host", [parts.hostname or ""])[0], parts.port)
        self._path = folder / f".s.PGSQL.{_PORT}"
        credentials = parts.netloc.rpartition("@")[0]
        query = urlencode({"host": str(folder), "port": _PORT})
        self.url = parts._replace(netloc=f"{credentials}@", query=query).geturl()
        self._answers = asyncio.Event()
        self._answers.set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def freeze(self) -> None:
        """Nothing gets through any more, and nobody is told."""
        self._answers.clear()

    def thaw(self) -> None:
        self._answers.set()

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
        for pair in ((reader, theirs[1]), (theirs[0], writer)):
            task = asyncio.create_task(self._forward(*pair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError):
                while data := await reader.read(65536):
                    await self._answers.wait()
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
