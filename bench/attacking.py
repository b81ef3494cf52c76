"""An attacker: a process of its own that asks at a steady rate, or as soon as it is answered.

`python -m bench.attacking` reads an `Attack` as a line of JSON from its standard input, goes on
until that is closed, and then prints how often each status was answered; 0 counts connections that
ended without an answer.
"""

import asyncio
import itertools
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

import msgspec
import uvloop

from bench.client import Connection

CONNECTIONS = 64
PER_SECOND = 100
LONGEST = 120.0  # seconds after which it stops by itself, whatever its parent does
_BROKEN = 0


class Attack(msgspec.Struct, frozen=True):
    """`requests` are sent in turn, `PER_SECOND` of them. With `holds`, each goes out on a new
    connection that is then left open, and the oldest is closed when there are `CONNECTIONS`.
    Without, each takes a free one of as many connections, or is left out when none is free.

    With `loops`, each goes out when one of so many connections has the answer to its last one."""

    port: int
    requests: list[bytes]
    holds: bool = False
    loops: int = 0


class Attacker:
    """`statuses` counts how often each status was answered."""

    def __init__(self, attack: Attack) -> None:
        self._port = attack.port
        self._requests = itertools.cycle(attack.requests)
        self._act = self._hold if attack.holds else self._ask
        self._loops = attack.loops
        self._free: deque[Connection | None] = deque([None] * CONNECTIONS)
        self._held: deque[Connection] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self.statuses: Counter[int] = Counter()

    async def go_on(self) -> None:
        if self._loops:
            await asyncio.gather(*(self._ask_without_end() for _ in range(self._loops)))
        else:
            await self._ask_at_rate()

    async def _ask_without_end(self) -> None:
        connection = await self._connect()
        while True:
            await self._await_answer(connection)

    async def _ask_at_rate(self) -> None:
        """Start a request at each tick, whether or not earlier ones were answered."""
        began = time.monotonic()
        for tick in range(1, int(LONGEST * PER_SECOND)):
            self._start(self._act())
            await asyncio.sleep(max(0.0, began + tick / PER_SECOND - time.monotonic()))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _ask(self) -> None:
        if not self._free:
            return
        connection = self._free.popleft()
        try:
            if connection is None or not connection.is_open:
                connection = await self._connect()
            await self._await_answer(connection)
        except OSError:
            self.statuses[_BROKEN] += 1
        finally:
            self._free.append(connection)

    async def _hold(self) -> None:
        if len(self._held) >= CONNECTIONS:
            self._held.popleft().close()
        try:
            connection = await self._connect()
            self._held.append(connection)
            await self._await_answer(connection)
        except OSError:
            self.statuses[_BROKEN] += 1

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        return (await loop.create_connection(Connection, "127.0.0.1", self._port))[1]

    async def _await_answer(self, connection: Connection) -> None:
        answer = await connection.ask(next(self._requests))
        self.statuses[answer.status] += 1


async def _run() -> None:
    attack = msgspec.json.decode(sys.stdin.buffer.readline(), type=Attack)
    attacker = Attacker(attack)
    attacking = asyncio.create_task(attacker.go_on())
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
    attacking.cancel()
    print(msgspec.json.encode(attacker.statuses).decode(), flush=True)


@asynccontextmanager
async def attacking(attack: Attack) -> AsyncIterator[Counter[int]]:
    """Attack while the block lasts; at its end, the value that it yields has the answers."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.attacking",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    statuses: Counter[int] = Counter()
    process.stdin.write(msgspec.json.encode(attack) + b"\n")
    try:
        yield statuses
    finally:
        process.stdin.close()
        output, _ = await process.communicate()
        statuses.update(msgspec.json.decode(output, type=dict[int, int]))


if __name__ == "__main__":
    uvloop.run(_run())
