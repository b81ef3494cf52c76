"""What a session reports, for a test to wait for."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from heliograph.networks.port import AccountStatus, NetworkEvent, Receipt, SessionState

E = TypeVar("E")

EVENT_TIMEOUT = 60.0
"""Seconds to wait for something that hangs; what works takes far less."""
_MAX_SHOWN = 10
_MAX_LETTERS = 200


class Recorder:
    """An `Events` that keeps what it takes, in order.

    While `refusing` is set, `publish` raises it and keeps the events in `refused` instead; with
    `refusing_kind`, only if an event of this kind is among them. Waiting
    raises `TimeoutError` after `within` seconds, by default `timeout`, and says what was reported.
    """

    timeout = EVENT_TIMEOUT

    def __init__(self) -> None:
        self.events: list[NetworkEvent] = []
        self.refusing: Exception | None = None
        self.refusing_kind: type[NetworkEvent] | None = None
        self.refused: list[NetworkEvent] = []
        self._taken: set[int] = set()
        self._changed = asyncio.Event()

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        kind = self.refusing_kind
        is_refused = kind is None or any(isinstance(event, kind) for event in events)
        if self.refusing is not None and is_refused:
            self.refused += events
            self._changed.set()
            raise self.refusing
        self.events += events
        self._changed.set()

    def all(self, kind: type[E]) -> list[E]:
        """All events of this kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def next(self, kind: type[E], /, *, within: float | None = None, **fields: object) -> E:
        """Wait for an event of this kind with these fields; each is returned once."""
        wanted = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        async with self.waiting(f"{kind.__name__}({wanted})", within):
            while True:
                for n, event in enumerate(self.events):
                    if n not in self._taken and isinstance(event, kind) and _has(event, fields):
                        self._taken.add(n)
                        return event
                await self._change()

    async def refusal(self, *, within: float | None = None) -> None:
        """Wait until something was refused."""
        async with self.waiting("an event to refuse", within):
            while not self.refused:
                await self._change()

    async def status(self, status: AccountStatus, *, within: float | None = None) -> SessionState:
        """Wait until the session reports this state."""
        return await self.next(SessionState, status=status, within=within)

    async def receipt(
        self, chat_message_id: str, kind: str, *, within: float | None = None
    ) -> Receipt:
        """Wait for a receipt of this kind, such as `delivered`."""
        return await self.next(Receipt, chat_message_id=chat_message_id, kind=kind, within=within)

    @asynccontextmanager
    async def waiting(self, wanted: str, within: float | None = None) -> AsyncIterator[None]:
        """Limit how long something is waited for; say what was reported when it does not come."""
        seconds = self.timeout if within is None else within
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise TimeoutError(f"waited {seconds:g} s for {wanted}; {self._describe()}") from None

    def _describe(self) -> str:
        """Say what came instead, the newest last."""
        shown = [("reported", self.events), ("refused", self.refused)]
        return "; ".join(
            f"{what}: {', '.join(map(_short, events[-_MAX_SHOWN:])) or 'nothing'}"
            for what, events in shown
            if events or what == "reported"
        )

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


def _short(event: NetworkEvent) -> str:
    text = repr(event)
    return text if len(text) <= _MAX_LETTERS else text[:_MAX_LETTERS] + "…"


def _has(event: object, fields: dict[str, object]) -> bool:
    return all(getattr(event, name) == value for name, value in fields.items())
