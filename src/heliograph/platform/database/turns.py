"""Two queues for a limited number of connections. No I/O."""

import asyncio
from collections import deque


class ConnectionTurns:
    """Admits `most` at once, from two queues: urgent tasks, and all others. Each queue is served in
    order. While both have waiting tasks, they are served alternately: a few urgent tasks need not
    wait for hundreds of others, and the others progress however many urgent ones there are.

    Serves one event loop.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._patient: deque[asyncio.Future[None]] = deque()
        self._hasty: deque[asyncio.Future[None]] = deque()
        self._last_was_hasty = False

    def hold(self, *, in_haste: bool) -> "_ConnectionTurn":
        """Return a block that waits for a turn when it is entered, and keeps it until it ends."""
        return _ConnectionTurn(self, in_haste)

    async def acquire(self, *, in_haste: bool) -> None:
        """Wait for a turn, which `release` gives back."""
        if self._free:  # then the queues are empty
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._hasty if in_haste else self._patient).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn came at the same moment
                self.release()
            raise

    def release(self) -> None:
        turn = self._next(self._patient if self._last_was_hasty else self._hasty)
        turn = turn or self._next(self._hasty if self._last_was_hasty else self._patient)
        if turn is None:
            self._free += 1
        else:
            turn.set_result(None)

    def _next(self, line: "deque[asyncio.Future[None]]") -> "asyncio.Future[None] | None":
        """Take the first task in a queue that is still waiting."""
        while line:
            turn = line.popleft()
            if not turn.done():
                self._last_was_hasty = line is self._hasty
                return turn
        return None


class _ConnectionTurn:
    """A turn of one `ConnectionTurns`."""

    __slots__ = ("_in_haste", "_turns")

    def __init__(self, turns: ConnectionTurns, in_haste: bool) -> None:
        self._turns = turns
        self._in_haste = in_haste

    async def __aenter__(self) -> None:
        await self._turns.acquire(in_haste=self._in_haste)

    async def __aexit__(self, *_: object) -> None:
        self._turns.release()
