"""`ReadingTurns`: of the connections that have sent much, one is read on in each round of the event
loop."""

import asyncio
from collections import deque
from collections.abc import Callable


class ReadingTurns:
    """What waits here is done in the order of coming, one in each round of the event loop.

    Whoever has sent little meets a few rounds on the way to an answer. Read on for all in each of
    them, 64 connections with requests sent ahead, or bodies of tiny chunks, would make each round
    64 times as long. Serves one event loop.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def wait(self, read_on: Callable[[], None]) -> None:
        """Call it when those before it have had their turn."""
        self._waiting.append(read_on)
        if len(self._waiting) == 1:
            self._schedule()

    def _take_turn(self) -> None:
        read_on = self._waiting.popleft()
        if self._waiting:
            self._schedule()
        read_on()

    def _schedule(self) -> None:
        asyncio.get_running_loop().call_soon(self._take_turn)
