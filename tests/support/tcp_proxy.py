"""A way to a server that can be cut, or held up, from a test."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field


@dataclass
class TcpProxy:
    """`port` leads to the target. While `is_closed`, new connections are refused; while what comes
    back is held (`hold_answers`), the client hears nothing. What comes back takes `delay` seconds
    longer, piece by piece, and what is sent `delay_there`."""

    target_port: int
    port: int = 0
    is_closed: bool = False
    delay: float = 0.0
    delay_there: float = 0.0
    connections: int = 0
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _answers: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def open_connections(self) -> int:
        return len(self._writers) // 2

    def cut(self) -> None:
        """Every connection ends here and now, as when a router dies."""
        for writer in list(self._writers):
            writer.transport.abort()

    def hold_answers(self) -> None:
        self._answers.clear()

    def let_answers_through(self) -> None:
        self._answers.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            if self.is_closed:
                writer.transport.abort()
                return
            there = await asyncio.open_connection("127.0.0.1", self.target_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, there[1]}
        try:
            await asyncio.gather(
                self._pass(reader, there[1]), self._pass(there[0], writer, self._answers)
            )
        finally:
            for each in (writer, there[1]):
                self._writers.discard(each)
                each.transport.abort()

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        gate: asyncio.Event | None = None,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                if gate is None:
                    await asyncio.sleep(self.delay_there)
                else:
                    await gate.wait()
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@contextlib.asynccontextmanager
async def tcp_proxy(target_port: int) -> AsyncIterator[TcpProxy]:
    proxy = TcpProxy(target_port)
    proxy.let_answers_through()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(proxy._connected(reader, writer))
        proxy._tasks.add(task)
        task.add_done_callback(proxy._tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in list(proxy._tasks):
            task.cancel()
        await asyncio.gather(*proxy._tasks, return_exceptions=True)
