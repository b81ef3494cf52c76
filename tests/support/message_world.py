"""An account's queue and a network that answers when it is told to; the database keeps watch.

The dispatcher, the reports and the statements are the real ones. Two triggers refuse what must
never be, whoever writes it and however shortly it would last: a step that a message's states do not
have, and counters that differ from a recount at a commit.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from core_scene import NETWORK, Scene, sent_to
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.outbound import Outbound
from heliograph.core.dispatch.send_limits import DailyAllowance, SendRate
from heliograph.networks.errors import NetworkError, NotConnectedError
from heliograph.networks.port import Capabilities, Outgoing, Sent, Session

STEPS = {
    "scheduled": "queued canceled failed",
    "queued": "sending sent delivered read failed canceled",
    "sending": "queued sent delivered read failed",
    "failed": "sent delivered read",
    "sent": "delivered read failed",
    "delivered": "read",
    "received": "read",
}
"""What may follow what in one statement: a receipt may be the first that is heard of a sending."""

WATCH = """
CREATE OR REPLACE FUNCTION refuse_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> OLD.status AND NOT EXISTS (
        SELECT FROM allowed_steps WHERE before = OLD.status AND after = NEW.status
    ) THEN
        RAISE EXCEPTION 'a step from % to %', OLD.status, NEW.status;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION refuse_miscount() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (
            SELECT direction, status, sum(n)::bigint AS n FROM message_counts GROUP BY 1, 2
        ) AS counted
        FULL JOIN (
            SELECT direction, status, count(*) AS n FROM messages GROUP BY 1, 2
        ) AS there USING (direction, status)
        WHERE coalesce(counted.n, 0) <> coalesce(there.n, 0)
    ) THEN
        RAISE EXCEPTION 'the counters differ from a recount';
    END IF;
    RETURN NULL;
END $$;

CREATE TABLE IF NOT EXISTS allowed_steps (before text, after text);
DROP TRIGGER IF EXISTS watch_steps ON messages;
CREATE TRIGGER watch_steps BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION refuse_step();
DROP TRIGGER IF EXISTS watch_counts ON messages;
CREATE CONSTRAINT TRIGGER watch_counts AFTER INSERT OR UPDATE ON messages
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_miscount();
"""


async def keep_watch(scene: Scene) -> None:
    await scene.database.pool.execute(WATCH)
    await scene.database.pool.execute("DELETE FROM allowed_steps")
    await scene.database.pool.executemany(
        "INSERT INTO allowed_steps VALUES ($1, $2)",
        [(before, after) for before, more in STEPS.items() for after in more.split()],
    )


@dataclass
class Book:
    """What the test knows: the messages in the order of the queue, and which of them have ended.

    Doubtful is what was handed over and may have left: nothing has said for certain that it did
    not. Who was scheduled is not waited for by others: it may be queued when they are on their way.
    """

    recipients: dict[UUID, str] = field(default_factory=dict)
    scheduled: set[UUID] = field(default_factory=set)
    handed: set[UUID] = field(default_factory=set)
    doubtful: set[UUID] = field(default_factory=set)
    ended: set[UUID] = field(default_factory=set)
    under_way: Counter[UUID] = field(default_factory=Counter)

    def hand(self, message: Outgoing) -> None:
        """The dispatcher hands this one over: all before it to the same recipient must be over."""
        for earlier in self.recipients:
            if earlier == message.message_id:
                break
            if self.recipients[earlier] == message.recipient and earlier not in self.scheduled:
                assert earlier in self.ended, "handed over before the one before it had ended"
        self.handed.add(message.message_id)
        self.under_way[message.message_id] += 1

    def answered(self, message_id: UUID, error: NetworkError | None) -> None:
        """The network has said something, or its silence was noticed."""
        self.under_way[message_id] -= 1
        if error is None or not error.certain:
            self.doubtful.add(message_id)

    @property
    def may_have_left(self) -> set[UUID]:
        return self.doubtful | {id_ for id_, sends in self.under_way.items() if sends}


class Told(Session):
    """A session in which each send waits for `answer`."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self.pending: dict[UUID, tuple[Outgoing, asyncio.Future[Sent]]] = {}
        self.troubles: list[AssertionError] = []

    async def send(self, message: Outgoing) -> Sent:
        try:
            self._book.hand(message)
        except AssertionError as error:
            self.troubles.append(error)
        future: asyncio.Future[Sent] = asyncio.get_running_loop().create_future()
        self.pending[message.message_id] = (message, future)
        try:
            return await future
        finally:
            self.pending.pop(message.message_id, None)

    def answer(self, which: int, error: NetworkError | None) -> UUID:
        """Take one of those that wait, or say what is wrong; its id."""
        message_id = list(self.pending)[which % len(self.pending)]
        message, future = self.pending.pop(message_id)
        self._book.answered(message_id, error)
        if error is None:
            future.set_result(sent_to(message.recipient))
        else:
            future.set_exception(error)
        return message_id

    async def ping(self) -> None: ...

    async def log_out(self) -> None: ...

    async def close(self) -> None: ...


class Dispatcher(Outbound):
    """The account's dispatcher under one lease."""

    def __init__(self, scene: Scene, lease: Lease, book: Book) -> None:
        self.session, self.is_open = Told(book), True
        super().__init__(
            scene.database,
            scene.reports,
            lease,
            NETWORK,
            ActiveSession(
                self.session, lambda: self.is_open, Capabilities(frozenset({"text", "buttons"}))
            ),
            SendRate(None),
            DailyAllowance(scene.database, lease, is_warming=False),
            chance=lambda: 0.5,
        )
        self.task = asyncio.create_task(self.run())
        self.wake()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing goes on but sends that wait for the network."""
        if self.task.done():
            return True
        is_claiming = self._wake.is_set() or self._claiming.locked()
        may_claim = self.is_open and self._may_have_more
        is_waiting = len(self._lanes) == len(self.session.pending)
        return is_waiting and not (is_claiming or may_claim or self._unwritten)

    async def end(self) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task


@dataclass
class Queue:
    """`current` has the lease; `former` are earlier owners that do not know yet that they lost."""

    scene: Scene
    book: Book
    current: Dispatcher
    former: list[Dispatcher] = field(default_factory=list)

    async def be_quiet(self) -> None:
        everyone = (self.current, *self.former)
        while True:
            await self.scene.reports.drain()
            if all(each.is_quiet for each in everyone):
                break
            await asyncio.sleep(0.001)
        for each in everyone:
            assert not each.session.troubles, each.session.troubles
        if self.current.task.done():
            self.current.task.result()

    async def take_over(self, *, crashed: bool) -> None:
        """Another node takes the account. The owner is dead, or stands still in the middle of its
        sends; then its line is closed when it goes on, by its own clock."""
        old = self.current
        old.is_open = False
        if crashed:
            await old.end()
            await self.scene.reports.drain()
        else:
            self.former.append(old)
        self.scene.lease = await self.scene.take_over()
        await self.scene.database.transact(requeue_claimed, self.scene.lease)
        self.current = Dispatcher(self.scene, self.scene.lease, self.book)

    async def close(self) -> None:
        for each in (self.current, *self.former):
            await each.end()


ERRORS: Sequence[NetworkError | None] = (
    None,
    NetworkError("Nobody has this number.", permanent=True),
    NetworkError("Busy.", retry_after=300),
    NetworkError("Silence.", certain=False, retry_after=300),
    NotConnectedError("Gone."),
)
