"""From the library's threads to the event loop: a queue that can't grow without bound.

A foreign thread that finds the queue full waits in it: the library then holds back what it reads
from the network. The event loop never waits for a thread; it is woken once however much there is.
"""

import asyncio
from collections import deque
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")
CAPACITY = 500


class HandOver(Generic[T]):
    """Made on the event loop that takes; `put` is for any other thread."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._loop = asyncio.get_running_loop()
        self._items: deque[T] = deque()
        self._changed = Condition()
        self._wake = asyncio.Event()
        self._is_woken = False
        self._is_closed = False

    def put(self, item: T) -> bool:
        """Hand over, waiting while there is no room; false once nobody takes any more."""
        with self._changed:
            while len(self._items) >= self._capacity and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return False
            self._items.append(item)
            if not self._is_woken:
                self._is_woken = True
                self._call_loop()
            return True

    async def take(self, most: int) -> list[T]:
        """The next items in order, at least one."""
        while True:
            self._wake.clear()
            items = self.take_now(most)
            if items:
                return items
            await self._wake.wait()

    def take_now(self, most: int) -> list[T]:
        """What there is, up to so many."""
        with self._changed:
            items = [self._items.popleft() for _ in range(min(most, len(self._items)))]
            self._is_woken = bool(self._items)
            self._changed.notify_all()
        if self._is_woken:
            self._wake.set()
        return items

    def close(self) -> None:
        """Nobody takes any more: whoever waits to put goes on."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _call_loop(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:  # the loop is closed: the process ends
            self._is_closed = True
