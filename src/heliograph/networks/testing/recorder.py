"""What a session reports, for a test to wait for."""

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from heliograph.networks.port import AccountStatus, NetworkEvent, Receipt, SessionState

E = TypeVar("E")

PATIENCE = 60.0
"""Seconds to wait for something that hangs; what works takes far less."""


class Recorder:
    """An `Events` that keeps what it takes, in order.

    While `refusing` is set, `publish` raises it and keeps the events in `refused` instead. Waiting
    raises `TimeoutError` after `within` seconds.
    """

    def __init__(self) -> None:
        self.events: list[NetworkEvent] = []
        self.refusing: Exception | None = None
        self.refused: list[NetworkEvent] = []
        self._taken: set[int] = set()
        self._changed = asyncio.Event()

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        if self.refusing is not None:
            self.refused += events
            self._changed.set()
            raise self.refusing
        self.events += events
        self._changed.set()

    def all(self, kind: type[E]) -> list[E]:
        """All events of this kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def next(self, kind: type[E], /, *, within: float = PATIENCE, **fields: object) -> E:
        """Wait for an event of this kind with these fields; each is returned once."""
        async with asyncio.timeout(within):
            while True:
                for n, event in enumerate(self.events):
                    if n not in self._taken and isinstance(event, kind) and _has(event, fields):
                        self._taken.add(n)
                        return event
                await self._change()

    async def refusal(self, *, within: float = PATIENCE) -> None:
        """Wait until something was refused."""
        async with asyncio.timeout(within):
            while not self.refused:
                await self._change()

    async def status(self, status: AccountStatus, *, within: float = PATIENCE) -> SessionState:
        """Wait until the session reports this state."""
        return await self.next(SessionState, status=status, within=within)

    async def receipt(
        self, chat_message_id: str, kind: str, *, within: float = PATIENCE
    ) -> Receipt:
        """Wait for a receipt of this kind, such as `delivered`."""
        return await self.next(Receipt, chat_message_id=chat_message_id, kind=kind, within=within)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


def _has(event: object, fields: dict[str, object]) -> bool:
    return all(getattr(event, name) == value for name, value in fields.items())
