"""What an account has sent and received, in all and on one day, in whatever round."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core_scene import Scene, arrival, playing
from heliograph.core.accounts.sql import list_versions
from heliograph.core.accounts.totals_sql import fold_total_rounds
from heliograph.core.cluster import counter_rounds_sql
from heliograph.core.events.payload_sql import unpack
from heliograph.core.ingest.model import ReportedEvent
from heliograph.networks.port import AccountStatus, SessionState

A_DAY = 86_400.0
STEPS = st.sampled_from(
    [
        *("send", "send", "receive", "send and connect", "sleep a day"),
        *("begin a round", "end rounds", "fold"),
    ]
)
LATEST_EVENT = "SELECT payload FROM events WHERE type LIKE 'device.%' ORDER BY seq DESC LIMIT 1"


@dataclass
class Totals:
    sent: int = 0
    received: int = 0
    sent_on: date | None = None
    sent_that_day: int = 0

    def send(self, today: date) -> None:
        self.sent += 1
        self.sent_that_day = self.sent_that_day + 1 if self.sent_on == today else 1
        self.sent_on = today


class Story:
    """Plays steps, and keeps what they should come to."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.expected = Totals()
        self._numbers = count()
        self.acts: dict[str, Callable[[], Awaitable[None]]] = {
            "send": self.send,
            "receive": self.receive,
            "send and connect": self.send_and_connect,
            "begin a round": self.begin_round,
            "end rounds": self.end_rounds,
            "fold": self.fold,
            "sleep a day": self.sleep,
        }

    @property
    def today(self) -> date:
        return self.scene.database.clock.now().astimezone(UTC).date()

    def _arrival(self, *, from_me: bool) -> ReportedEvent:
        return arrival(f"A{next(self._numbers)}", from_me=from_me)

    async def send(self) -> None:
        await self.scene.report(self._arrival(from_me=True))
        self.expected.send(self.today)

    async def receive(self) -> None:
        await self.scene.report(self._arrival(from_me=False))
        self.expected.received += 1

    async def send_and_connect(self) -> None:
        await self.scene.report(
            SessionState(AccountStatus.DISCONNECTED),
            self._arrival(from_me=True),
            SessionState(AccountStatus.CONNECTED),
        )
        self.expected.send(self.today)
        [event] = await self.scene.rows(LATEST_EVENT)
        told = json.loads(unpack(event["payload"]))["data"]
        assert told["total_messages_sent"] == self.expected.sent
        assert told["total_messages_received"] == self.expected.received

    async def begin_round(self) -> None:
        now = self.scene.database.clock.now()
        await self.scene.database.transact(counter_rounds_sql.begin_round, now)
        await self.scene.rows(
            "UPDATE counter_rounds SET began_at = "
            "(began_at AT TIME ZONE 'UTC' - interval '1 minute') AT TIME ZONE 'UTC'"
        )

    async def end_rounds(self) -> None:
        now = self.scene.database.clock.now()
        await self.scene.database.transact(counter_rounds_sql.end_rounds, now)

    async def fold(self) -> None:
        tenant = self.scene.principal.tenant
        await self.scene.database.transact(fold_total_rounds, tenant, 2)

    async def sleep(self) -> None:
        clock = self.scene.database.clock
        clock.set_offset(clock.offset + A_DAY)

    async def found(self) -> Totals:
        account = await self.scene.accounts.get(self.scene.principal, self.scene.account.id)
        return Totals(
            account.total_messages_sent,
            account.total_messages_received,
            account.sent_on,
            account.sent_that_day,
        )


async def play(database_url: str, steps: list[str]) -> None:
    async with playing(database_url) as scene:
        story = Story(scene)
        for step in steps:
            await story.acts[step]()
            assert await story.found() == story.expected, step
        [version] = await scene.database.read(list_versions, scene.principal.tenant)
        assert (version.sent, version.received) == (story.expected.sent, story.expected.received)


@pytest.mark.usefixtures("today")
@given(steps=st.lists(STEPS, max_size=20))
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_history_adds_up(database_url: str, steps: list[str]) -> None:
    asyncio.run(play(database_url, steps))
