"""Whatever happens to messages, the counters say what a recount of the table says, and of what was
cleaned up."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from connections import connected
from core_scene import ADA, BOB, NETWORK, Scene, arrival, playing, receipt, sent_to
from heliograph.core.cluster import counter_rounds_sql
from heliograph.core.cluster.counter_rounds_sql import STRIPES
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.model import ClaimedMessage, MessageStatus
from heliograph.core.messages.retention_sql import delete_messages
from heliograph.core.messages.statistics.folds_sql import fold_account_counts, fold_counts
from heliograph.core.messages.statistics.service import StatisticsService
from heliograph.core.tenants.old_rows import NIL
from heliograph.core.upkeep.rounds_sql import FOLDS

KINDS = ["sent", "delivered", "read", "failed"]
steps = st.one_of(
    st.tuples(st.just("accept"), st.sampled_from([ADA, BOB])),
    st.tuples(st.just("claim"), st.integers(1, 3)),
    st.tuples(st.sampled_from(["taken", "refused", "postponed"]), st.integers(0, 5)),
    st.tuples(st.just("receipt"), st.tuples(st.integers(0, 5), st.sampled_from(KINDS))),
    st.tuples(st.just("inbound"), st.integers(0, 3)),
    st.tuples(st.just("lost answer"), st.just(1)),
    st.tuples(st.just("take back"), st.none()),
    st.tuples(st.just("clean up"), st.integers(1, 3)),
    st.tuples(st.just("fold"), st.integers(1, 3)),
    st.tuples(st.just("begin a round"), st.none()),
    st.tuples(st.just("fold rounds"), st.integers(1, 3)),
)
IN_A_YEAR = timedelta(days=365)


class Story:
    """Plays steps; what a step is about is one of the messages that were claimed so far."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.claimed: list[ClaimedMessage] = []
        self.gone: Counter[tuple[str, str]] = Counter()
        """What clean-ups have deleted."""

    async def play(self, what: str, value: object) -> None:
        acts: dict[str, Callable[..., Awaitable[None]]] = {
            "accept": self.accept,
            "claim": self.claim,
            "taken": self.taken,
            "refused": self.refused,
            "postponed": self.postponed,
            "receipt": self.receipt,
            "inbound": self.inbound,
            "lost answer": self.lose_answer,
            "take back": self.take_back,
            "clean up": self.clean_up,
            "fold": self.fold,
            "begin a round": self.begin_round,
            "fold rounds": self.fold_rounds,
        }
        await acts[what](value)

    def one(self, number: int) -> ClaimedMessage | None:
        return self.claimed[number % len(self.claimed)] if self.claimed else None

    async def accept(self, to: str) -> None:
        await self.scene.accept("Hello", to)

    async def claim(self, limit: int) -> None:
        self.claimed += await self.scene.claim(limit)

    async def taken(self, number: int) -> None:
        if message := self.one(number):
            await self.scene.report(MessageTaken(message.id, sent_to(message.recipient)))

    async def refused(self, number: int) -> None:
        if message := self.one(number):
            await self.scene.report(MessageRefused(message.id, "No."))

    async def postponed(self, number: int) -> None:
        if message := self.one(number):
            until = self.scene.database.clock.now() + timedelta(milliseconds=1)
            await self.scene.report(MessagePostponed(message.id, until, "Busy.", is_attempt=True))

    async def receipt(self, value: tuple[int, str]) -> None:
        if message := self.one(value[0]):
            await self.scene.report(receipt(message, value[1]))

    async def inbound(self, number: int) -> None:
        await self.scene.report(arrival(f"A{number}"))

    async def lose_answer(self, times: int) -> None:
        self.scene.database.forgets = times

    async def take_back(self, _: None) -> None:
        await self.scene.database.transact(requeue_claimed, self.scene.lease)

    async def clean_up(self, limit: int) -> None:
        """As it will be in a year, when all is over that can be."""
        before = self.scene.database.clock.now() + IN_A_YEAR
        there = Counter(await self.scene.recounted())
        await self.scene.database.transact(
            delete_messages, self.scene.principal.tenant, NIL, before, limit
        )
        self.gone += there - Counter(await self.scene.recounted())

    async def fold(self, limit: int) -> None:
        before = (self.scene.database.clock.now() + IN_A_YEAR).date()
        for fold in (fold_counts, fold_account_counts):
            await self.scene.database.transact(fold, self.scene.principal.tenant, before, limit)

    async def begin_round(self, _: None) -> None:
        await begin_round(self.scene)

    async def fold_rounds(self, limit: int) -> None:
        for fold in FOLDS:
            await self.scene.database.transact(fold, self.scene.principal.tenant, limit)


async def begin_round(scene: Scene) -> None:
    """A minute after the one before."""
    await scene.database.transact(counter_rounds_sql.begin_round, scene.database.clock.now())
    await scene.rows(
        "UPDATE counter_rounds SET began_at = "
        "(began_at AT TIME ZONE 'UTC' - interval '1 minute') AT TIME ZONE 'UTC'"
    )


async def stripes(scene: Scene) -> set[int]:
    rows = await scene.rows(
        "SELECT stripe FROM message_counts UNION SELECT stripe FROM account_message_counts "
        "UNION SELECT stripe FROM delivery_counts"
    )
    return {row["stripe"] for row in rows}


async def play(database_url: str, history: list[tuple[str, object]]) -> None:
    async with playing(database_url) as scene:
        await scene.database.pool.execute(
            "TRUNCATE messages, message_counts, account_message_counts, inbound_keys,"
            " counter_rounds"
        )
        story, total = Story(scene), 0
        for what, value in history:
            await story.play(what, value)
            before, total = total, sum((await scene.counted()).values())
            assert total >= before
        assert await scene.counted() == Counter(await scene.recounted()) + story.gone
        assert await scene.counted() == await scene.counted_of_account()


@given(history=st.lists(steps, max_size=30))
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_history_adds_up(database_url: str, history: list[tuple[str, object]]) -> None:
    asyncio.run(play(database_url, history))


async def test_many_writers_at_once_add_up(scene: Scene) -> None:
    ids = await asyncio.gather(*[scene.accept(f"{n}", (ADA, BOB)[n % 2]) for n in range(200)])
    claimed = await scene.claim(120)
    await asyncio.gather(
        scene.report(*[MessageTaken(message.id, sent_to(ADA)) for message in claimed[:60]]),
        scene.report(*[MessageRefused(message.id, "No.") for message in claimed[60:100]]),
        scene.report(*[arrival(f"A{number % 20}") for number in range(50)]),
        *[scene.accept(f"late {number}") for number in range(50)],
    )
    assert len(set(ids)) == 200
    assert await scene.counted() == {
        ("outbound", "sent"): 60,
        ("outbound", "failed"): 40,
        ("outbound", "sending"): 20,
        ("outbound", "queued"): 130,
        ("inbound", "received"): 20,
    }
    assert await scene.counted() == await scene.recounted()


async def test_an_accept_and_its_repeat_count_once(scene: Scene) -> None:
    first = await asyncio.gather(*[scene.accept("Once", key="k") for _ in range(20)])
    assert len(set(first)) == 1
    assert await scene.counted() == {("outbound", MessageStatus.QUEUED): 1}


async def test_a_key_for_some_accounts_counts_their_messages_alone(scene: Scene) -> None:
    await scene.send("Sent")
    await scene.report(arrival("A1"))
    other = await scene.accounts.create(scene.principal, NETWORK, "Other", "other", {})
    await scene.accept("Waits", account_id=other.id)
    statistics = StatisticsService(scene.database)

    mine = await statistics.summary(scene.limited(scene.account.id))
    assert mine["by_status"] == {"sent": 1, "received": 1}
    assert (mine["last_7_days"], mine["last_30_days"]) == (2, 2)
    assert (await statistics.summary(scene.limited(other.id)))["by_status"] == {"queued": 1}
    assert (await statistics.summary(scene.limited(scene.account.id, other.id)))["total"] == 3
    assert (await statistics.summary(scene.limited()))["total"] == 0
    assert (await statistics.summary(scene.principal))["total"] == 3
    days = await statistics.by_day(scene.limited(other.id))
    assert days[-1].counts == {"queued": 1}


READER = ("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT FROM messages")
WRITER = ("BEGIN", "SELECT pg_current_xact_id()")


@pytest.mark.parametrize(("begin", "statement"), [READER, WRITER], ids=["reader", "writer"])
async def test_a_transaction_that_stays_open_lags_behind(
    scene: Scene, database_url: str, begin: str, statement: str
) -> None:
    async with connected(database_url) as connection:
        await connection.execute(begin)
        await connection.fetch(statement)
        before = await scene.database.read(counter_rounds_sql.find_lag)
        for text in "abcd":
            await scene.accept(text)
        assert await scene.database.read(counter_rounds_sql.find_lag) >= before + 4


async def test_counters_begin_a_round_while_a_snapshot_lags_and_are_folded_after_it(
    scene: Scene, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counter_rounds_sql, "LAGGING", 3)
    janitor = scene.janitor
    async with (
        connected(database_url) as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        await connection.fetch("SELECT FROM messages")
        for text in "abcd":
            await scene.accept(text)
        assert max(await stripes(scene)) < STRIPES
        await janitor.look_after_counters()
        await scene.accept("of the first round")
        await janitor.look_after_counters()  # too soon
        assert await scene.database.read(counter_rounds_sql.find_round) == 1
        await begin_round(scene)
        await begin_round(scene)
        await scene.accept("of the second round")
        assert max(await stripes(scene)) >= 2 * STRIPES
        assert await scene.counted() == await scene.recounted()
    monkeypatch.undo()
    await janitor.look_after_counters()
    assert max(await stripes(scene)) < STRIPES
    assert await scene.counted() == await scene.recounted() == await scene.counted_of_account()
    await scene.accept("later")
    assert max(await stripes(scene)) < STRIPES
