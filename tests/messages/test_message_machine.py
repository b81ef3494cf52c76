"""Messages under everything that can happen on their way, in any order: never a step back, each
state told once, recipients' order kept, counters right at each commit."""

from collections import defaultdict
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from typing import ClassVar, Literal
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from connections import connected
from core_scene import ADA, BOB, arrival, playing, receipt
from delivery_tables import of_all
from heliograph.errors import ConflictError, InvalidInputError
from heliograph.networks.content import Text
from lease_world import tables_as_text
from machine_runs import LONGEST_RUN, Machine, run_machine
from message_world import ERRORS, Book, Dispatcher, Queue, keep_watch

TABLES = (
    *("deliveries", "events", "message_changes", "message_expiries", "messages"),
    *("message_counts", "inbound_keys", "conversations"),
    *("contact_addresses", "contacts", "webhooks", "accounts", "nodes"),
)
TOLD = {"sent": "sent_at", "delivered": "delivered_at", "read": "read_at", "failed": "failed_at"}
picks = st.integers(0, 1000)
recipients = st.sampled_from([ADA, BOB])
kinds = st.sampled_from(["sent", "delivered", "read", "failed"])


class Messages(Machine):
    database_url: ClassVar[str]

    @initialize()
    def begin(self) -> None:
        self.do(self._begin())

    async def _begin(self) -> None:
        self.stack = AsyncExitStack()
        await self._clear()
        self.scene = scene = await self.stack.enter_async_context(playing(self.database_url))
        await keep_watch(scene)
        await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/")
        await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/", ["message.sent"])
        self.book = Book()
        self.queue = Queue(scene, self.book, Dispatcher(scene, scene.lease, self.book))
        self.janitor = scene.janitor
        self.accepted = 0

    async def _clear(self) -> None:
        async with connected(self.database_url) as connection:
            for table in TABLES:
                await connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names

    async def close(self) -> None:
        if hasattr(self, "queue"):
            await self.queue.close()
        await self.stack.aclose()

    # --- what is to be sent ---

    @rule(to=recipients, count=st.integers(1, 3))
    def accept(self, to: str, count: int) -> None:
        self.do(self._accept(to, count))

    async def _accept(self, to: str, count: int) -> None:
        for _ in range(count):
            self.accepted += 1
            message_id = await self.scene.accept(f"{self.accepted}", to)
            self.book.recipients[message_id] = to
            self.queue.current.wake()
        await self.queue.be_quiet()

    @rule(to=recipients)
    def schedule(self, to: str) -> None:
        self.do(self._schedule(to))

    async def _schedule(self, to: str) -> None:
        later = self.scene.database.clock.now() + timedelta(hours=1)
        message_id = await self.scene.accept("Later", to, scheduled_for=later)
        self.book.scheduled.add(message_id)
        self.book.recipients[message_id] = to

    @rule()
    def what_was_scheduled_is_due(self) -> None:
        self.do(self._start_scheduled())

    async def _start_scheduled(self) -> None:
        await self.scene.make_due()
        await self.janitor.start_scheduled()
        self.queue.current.wake()
        await self.queue.be_quiet()

    # --- what the network says ---

    @precondition(lambda self: self.queue.current.session.pending)
    @rule(which=picks, error=st.sampled_from(ERRORS))
    def answer(self, which: int, error: Exception | None) -> None:
        self.do(self._answer(which, error))

    async def _answer(self, which: int, error: Exception | None) -> None:
        message_id = self.queue.current.session.answer(which, error)  # type: ignore[arg-type]  # of ERRORS
        if error is None or error is ERRORS[1]:
            self.book.ended.add(message_id)
        await self.queue.be_quiet()

    @precondition(lambda self: any(owner.session.pending for owner in self.queue.former))
    @rule(which=picks, error=st.sampled_from(ERRORS))
    def an_owner_of_old_hears_an_answer(self, which: int, error: Exception | None) -> None:
        self.do(self._answer_late(which, error))

    async def _answer_late(self, which: int, error: Exception | None) -> None:
        waiting = [owner for owner in self.queue.former if owner.session.pending]
        before = await tables_as_text(self.scene.database, TABLES)
        waiting[which % len(waiting)].session.answer(which, error)  # type: ignore[arg-type]  # of ERRORS
        await self.queue.be_quiet()
        assert await tables_as_text(self.scene.database, TABLES) == before

    @precondition(lambda self: self.book.handed)
    @rule(which=picks, kind=kinds, times=st.integers(1, 2))
    def a_receipt_comes(
        self, which: int, kind: Literal["sent", "delivered", "read", "failed"], times: int
    ) -> None:
        self.do(self._hear(sorted(self.book.handed)[which % len(self.book.handed)], kind, times))

    async def _hear(self, message_id: UUID, kind: str, times: int) -> None:
        message = await self.scene.message(message_id)
        self.book.ended.add(message_id)
        await self.scene.report(*[receipt(message, kind)] * times)
        self.queue.current.wake()
        await self.queue.be_quiet()

    @rule(name=st.sampled_from(["A1", "A2", "A3"]), sender=recipients, times=st.integers(1, 2))
    def one_arrives_once_or_twice(self, name: str, sender: str, times: int) -> None:
        self.do(self.scene.report(*[arrival(name, sender)] * times))

    # --- what people ask of a message that is somewhere on its way ---

    @precondition(lambda self: self.book.recipients)
    @rule(which=picks, verb=st.sampled_from(["cancel", "delete", "edit", "react"]))
    def somebody_asks(self, which: int, verb: str) -> None:
        ids = list(self.book.recipients)
        self.do(self._ask(ids[which % len(ids)], verb))

    async def _ask(self, message_id: UUID, verb: str) -> None:
        scene = self.scene
        with suppress(ConflictError, InvalidInputError):
            if verb == "cancel":
                await scene.cancellations.cancel(scene.principal, message_id)
            elif verb == "delete":
                await scene.edits.delete(scene.principal, message_id)
            elif verb == "edit":
                await scene.edits.edit(scene.principal, message_id, Text("Otherwise"))
            else:
                await scene.edits.react(scene.principal, message_id, "👍")
        await self._note_canceled()

    async def _note_canceled(self) -> None:
        rows = await self.scene.rows(
            "SELECT id FROM messages WHERE status = 'canceled' OR failure_reason = 'expired'"
        )
        self.book.ended.update(row["id"] for row in rows)

    @precondition(lambda self: self.book.recipients)
    @rule(which=picks)
    def its_time_is_over(self, which: int) -> None:
        ids = list(self.book.recipients)
        self.do(self._expire(ids[which % len(ids)]))

    async def _expire(self, message_id: UUID) -> None:
        await self.scene.expire(message_id)
        await self._note_canceled()

    # --- time, lines and nodes ---

    @rule()
    def every_backoff_is_over(self) -> None:
        self.do(self._end_backoff())

    async def _end_backoff(self) -> None:
        await self.scene.database.pool.execute(
            "WITH due AS (UPDATE message_queue SET next_attempt_at = queued_at "
            "WHERE next_attempt_at IS NOT NULL RETURNING message_id) "
            "UPDATE messages SET next_attempt_at = created_at "
            "WHERE id IN (SELECT message_id FROM due)"
        )
        self.queue.current.wake()
        await self.queue.be_quiet()

    @rule(is_open=st.booleans())
    def the_line_opens_or_closes(self, is_open: bool) -> None:
        self.queue.current.is_open = is_open
        self.queue.current.wake()
        self.do(self.queue.be_quiet())

    @rule()
    def what_is_not_in_hand_is_put_back(self) -> None:
        self.queue.current.recover_stale_claims()
        self.do(self.queue.be_quiet())

    @rule()
    def the_owner_is_paused_and_another_takes_over(self) -> None:
        self.do(self._take_over(crashed=False))

    @rule(to=recipients, turns=st.integers(0, 12))
    def the_owner_dies_in_the_middle_of_something(self, to: str, turns: int) -> None:
        self.do(self._die(to, turns))

    async def _die(self, to: str, turns: int) -> None:
        self.accepted += 1
        self.book.recipients[await self.scene.accept(f"{self.accepted}", to)] = to
        self.queue.current.wake()
        for _ in range(turns):
            await self.scene.database.pool.fetchval("SELECT 1")
        await self._take_over(crashed=True)

    async def _take_over(self, *, crashed: bool) -> None:
        await self.queue.take_over(crashed=crashed)
        await self.queue.be_quiet()

    @rule()
    def in_the_end_each_has_ended(self) -> None:
        self.do(self._finish())

    async def _finish(self) -> None:
        self.queue.current.is_open = True
        await self._start_scheduled()
        await self._end_backoff()
        while self.queue.current.session.pending:
            await self._answer(0, None)
        waiting = await self.scene.rows(
            "SELECT 1 FROM messages WHERE status IN ('scheduled', 'queued', 'sending')"
        )
        assert waiting == []

    # --- what must hold ---

    @invariant()
    def the_counters_are_a_recount(self) -> None:
        assert self.do(self.scene.counted()) == self.do(self.scene.recounted())

    @invariant()
    def each_state_is_told_once_and_sent_before_what_follows_it(self) -> None:
        self.do(self._check_events())

    async def _check_events(self) -> None:
        told: defaultdict[UUID, list[str]] = defaultdict(list)
        for row in await self.scene.rows(
            "SELECT message_id, type FROM events WHERE message_id IS NOT NULL ORDER BY seq"
        ):
            told[row["message_id"]].append(row["type"].removeprefix("message."))
        for row in await self.scene.rows("SELECT * FROM messages"):
            states = told.pop(row["id"], [])
            if row["direction"] == "inbound":
                assert states == ["received"]
                continue
            if row["status"] == "canceled":
                assert states == ["canceled"]
                continue
            once = set(states)
            assert sorted(once) == sorted(state for state, at in TOLD.items() if row[at])
            # a failure again, after word that it was sent has taken back the first one
            assert states.count("failed") <= 2
            assert len(states) - len(once) == max(0, states.count("failed") - 1)
            reached = [state for state in states if state != "failed"]
            assert reached[:1] in ([], ["sent"])
        assert not told, "told of a message that there is not"

    @invariant()
    def nothing_that_may_have_left_is_canceled(self) -> None:
        self.do(self._check_canceled())

    async def _check_canceled(self) -> None:
        canceled = await self.scene.rows("SELECT id FROM messages WHERE status = 'canceled'")
        assert not {row["id"] for row in canceled} & self.book.may_have_left

    @invariant()
    def each_event_goes_once_to_each_webhook_in_order(self) -> None:
        self.do(self._check_deliveries())

    async def _check_deliveries(self) -> None:
        events = await self.scene.rows("SELECT id, type FROM events ORDER BY seq")
        for webhook in await self.scene.webhooks.list(self.scene.principal):
            rows = await self.scene.rows(
                of_all("SELECT event_id FROM deliveries WHERE webhook_id = $1 ORDER BY seq"),
                webhook.id,
            )
            wanted = [e["id"] for e in events if set(webhook.events) & {"*", e["type"]}]
            assert [row["event_id"] for row in rows] == wanted

    @invariant()
    def a_network_id_is_of_one_message(self) -> None:
        twice = self.do(
            self.scene.rows(
                """
                SELECT account_id, direction, remote_jid, chat_message_id FROM messages
                GROUP BY 1, 2, 3, 4 HAVING count(*) > 1
                """
            )
        )
        assert twice == []


@pytest.mark.one_server("has a trigger, which no distributed table can have")
@pytest.mark.timeout(LONGEST_RUN)
def test_whatever_happens_messages_go_forward_in_order_and_are_told_once(database_url: str) -> None:
    Messages.database_url = database_url
    run_machine(Messages, examples=6, steps=30)
