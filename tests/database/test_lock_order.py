"""Rows are locked in key order: writers that want the same rows wait for each other, and never each
for the other.

Eight writers, each with services and connections of its own, work on the same few accounts, people,
conversations, webhooks and counters, in orders that chance gives them. The server counts deadlocks.
"""

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any, Self, TypeVar
from uuid import UUID

import asyncpg
import pytest
from msgspec.structs import replace

from contents import asked
from core_scene import AT, NETWORK, SECRET_BOX, SHARD, Scene, arrival, changes_of, playing, sent_to
from heliograph.core.accounts.service import AccountDirectory, AccountService
from heliograph.core.accounts.sql import set_health_checked
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import (
    ACCOUNT_LEASES,
    WEBHOOK_LEASES,
    LeaseTable,
    claim_leases,
    list_owned_leases,
    release_leases,
)
from heliograph.core.contacts.resolve import ObservedPerson, resolve_contacts
from heliograph.core.contacts.sql import find_contact, merge_contacts
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.idempotency.service import IdempotencyKey, IdempotencyService
from heliograph.core.inbox.service import InboxService
from heliograph.core.ingest.model import MessagePostponed, MessageTaken, Report, ReportedEvent
from heliograph.core.ingest.service import ReportService
from heliograph.core.keys import sql as api_keys
from heliograph.core.keys.model import KeyUse, NewApiKey
from heliograph.core.labels.service import LabelService
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import MessageService, SendMessage
from heliograph.core.messages.model import Claim, ClaimedMessage
from heliograph.core.upkeep.janitor import Janitor
from heliograph.core.webhooks.model import (
    ClaimedDelivery,
    ClaimRequest,
    DeliveryStatus,
    HealthChange,
    Outcome,
)
from heliograph.core.webhooks.posting.outcomes import OutcomeWriter
from heliograph.core.webhooks.queue.cancel_sql import cancel_expired_deliveries
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.core.webhooks.subscriptions.sql import (
    lock_webhook,
    pin_webhook,
    record_health,
    update_webhook,
)
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.networks.content import Text
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import (
    AccountStatus,
    Changed,
    ContactSeen,
    GroupSeen,
    ReadElsewhere,
    Receipt,
    SessionState,
)
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.outbound_http import AddressPolicy

WRITERS, ROUNDS = 8, 25
PEOPLE = [f"1555020000{number}@sandbox" for number in range(6)]
GROUPS = [f"{number}@g.sandbox" for number in range(3)]
WRITER = "writer"
T = TypeVar("T")


class WatchedDatabase(Database):
    """Notes where its transactions met a deadlock, before they are run again. Who waits for others
    waits for as long as it takes."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.deadlocks: list[str] = []
        self._timeout = None

    def within(self, _: float | None) -> Self:
        return self

    async def _once(self, work, connection, progress):  # type: ignore[no-untyped-def]  # as in Database
        try:
            return await super()._once(work, connection, progress)
        except asyncpg.DeadlockDetectedError as error:
            places = traceback.extract_tb(error.__traceback__)
            ours = " > ".join(place.name for place in places if "heliograph" in place.filename)
            self.deadlocks.append(f"{ours}: {error.context} {error.detail}")
            raise


@dataclass
class World:
    """What all writers share."""

    scene: Scene
    key_ids: list[str]
    accounts: list[Lease] = field(default_factory=list)
    webhooks: list[Lease] = field(default_factory=list)
    claimed: list[ClaimedMessage] = field(default_factory=list)
    strangers: int = 0

    async def refresh(self, database: Database) -> None:
        node_id = self.scene.node_id
        self.accounts = await database.read(list_owned_leases, ACCOUNT_LEASES, node_id)
        self.webhooks = await database.read(list_owned_leases, WEBHOOK_LEASES, node_id)


class Writer:
    """One node's services, doing what chance wants."""

    def __init__(self, world: World, database: Database, seed: int) -> None:
        self._world = world
        self._database = database
        self._random = Random(seed)  # noqa: S311 - keeps no secret
        self._principal = world.scene.principal
        self._shard = self._principal.tenant.shard
        quiet = Notifications("postgresql://unused")
        networks = NetworkRegistry()
        idempotency = IdempotencyService(database, lambda: world.scene.node_id)
        changes = changes_of(database, quiet, idempotency)
        directory = AccountDirectory(AccountService(database, changes, networks, SECRET_BOX))
        self._messages = MessageService(database, quiet, networks, directory, idempotency)
        self._inbox = InboxService(database, self._messages, changes)
        self._labels = LabelService(database, changes)
        self._reports = ReportService(database, quiet, SECRET_BOX)
        self._outcomes = OutcomeWriter(database, lambda _: True)
        self._webhooks = WebhookService(database, changes, AddressPolicy.LOOPBACK, SECRET_BOX)
        self._janitor = Janitor(database, quiet, changes)

    async def run(self) -> None:
        acts: list[Callable[[], Awaitable[object]]] = [
            self._accept,
            self._claim,
            self._report,
            self._report,
            self._deliver,
            self._tend,
            self._churn,
            self._replace_webhook,
            self._sit_at_the_inbox,
        ]
        for _ in range(ROUNDS):
            await self._random.choice(acts)()

    def _some(self, items: Sequence[T], most: int = 6) -> list[T]:
        return self._random.sample(items, min(len(items), self._random.randint(1, most)))

    async def _accept(self) -> None:
        requests = [
            self._messages.send(
                self._principal,
                SendMessage(SendTo(jid), Text("Hello"), "run", lease.resource_id),
                IdempotencyKey(f"key {self._random.randint(0, 20)}", b"same"),
            )
            for jid in self._some(PEOPLE)
            for lease in self._some(self._world.accounts, 2)
        ]
        await asyncio.gather(*requests)

    async def _claim(self) -> None:
        for lease in self._some(self._world.accounts):
            now = self._database.clock.now()

            async def claim(
                connection: Connection, lease: Lease = lease, now: Any = now
            ) -> Claim | None:
                await requeue_claimed(connection, lease)
                return (await claim_messages(connection, lease, 5, now)).claim

            claimed = await self._database.transact(claim)
            self._world.claimed += claimed.messages if claimed else []

    async def _report(self) -> None:
        told = [
            self._reports.submit(Report(lease, NETWORK, news))
            for lease in self._some(self._world.accounts)
            for news in self._news(lease)
        ]
        for outcome in await asyncio.gather(*told, return_exceptions=True):
            assert outcome is None or isinstance(outcome, LeaseLostError), outcome

    def _news(self, lease: Lease) -> list[ReportedEvent]:
        number = self._random.randint
        self._world.strangers += number(0, 1)
        stranger = f"{max(0, self._world.strangers - number(0, 3))}@lid"
        phone = "+" + self._random.choice(PEOPLE).partition("@")[0]
        news: list[ReportedEvent] = [
            arrival(f"A{number(0, 50)}", jid, sender_name=f"Name {number(0, 9)}")
            for jid in [*self._some(PEOPLE), stranger]
        ]
        news += [ContactSeen(jid, chat_name=f"N{number(0, 9)}") for jid in self._some(PEOPLE)]
        news.append(ContactSeen(stranger, phone_number=phone))
        news += [GroupSeen(jid, f"Subject {number(0, 9)}") for jid in self._some(GROUPS)]
        news += [
            Receipt("", message.chat_message_id, "read", AT) for message in self._messages_of(lease)
        ]
        news += [
            MessageTaken(message.id, sent_to(message.recipient))
            for message in self._messages_of(lease)
        ]
        news += [
            MessagePostponed(message.id, AT, "later", is_attempt=True)
            for message in self._messages_of(lease)
        ]
        news += [ReadElsewhere(jid, AT, (f"A{number(0, 50)}",)) for jid in self._some(PEOPLE)]
        news += [
            Changed("reaction", jid, jid, f"C{number(0, 500)}", f"A{number(0, 50)}", jid, AT)
            for jid in self._some(PEOPLE)
        ]
        news.append(SessionState(AccountStatus.CONNECTED, secrets={"token": "t"}))
        self._random.shuffle(news)
        return news

    def _messages_of(self, lease: Lease) -> list[ClaimedMessage]:
        own = [
            message for message in self._world.claimed if message.account_id == lease.resource_id
        ]
        return self._some(own[-20:]) if own else []

    async def _deliver(self) -> None:
        asking = [ClaimRequest(lease, 5) for lease in self._some(self._world.webhooks)]
        now = self._database.clock.now()
        claimed = await self._database.read(claim_deliveries, self._shard, asking, now)
        leases = {request.lease.resource_id: request.lease for request in asking}
        ended = self._some(claimed, 30) if claimed else []
        outcomes = [self._outcome(leases[delivery.webhook_id], delivery) for delivery in ended]
        await asyncio.gather(*[self._outcomes.record(outcome) for outcome in outcomes])

    def _outcome(self, lease: Lease, claimed: ClaimedDelivery) -> Outcome:
        now = self._database.clock.now()
        status = self._random.choice([DeliveryStatus.DELIVERED, DeliveryStatus.PENDING])
        failed = status is DeliveryStatus.PENDING
        return Outcome(
            lease=lease,
            delivery=claimed,
            webhook_url="http://127.0.0.1:9/",
            number=claimed.attempt_count + 1,
            started_at=now,
            ended_at=now,
            duration_ms=1,
            status=status,
            next_attempt_at=now if failed else None,
            response_code=500 if failed else 200,
            response_body=None,
            error_message="no" if failed else None,
            address=None,
        )

    async def _tend(self) -> None:
        now = self._database.clock.now()
        later = now + timedelta(days=2)
        accounts = [
            (account.tenant.organization_id, account.resource_id, now)
            for account in self._world.accounts
        ]
        self._random.shuffle(accounts)
        used = dict.fromkeys(self._some(self._world.key_ids), KeyUse(now, "203.0.113.7"))
        self._world.claimed = self._world.claimed[-200:]
        await self._janitor.start_scheduled()
        await self._janitor.forget_expired_keys()
        transact = self._database.transact
        await transact(set_health_checked, self._shard, accounts)
        await transact(api_keys.update_last_used, used)
        for lease in self._some(self._world.webhooks):
            expired = (lease.tenant, lease.resource_id, later, now, 50)
            await transact(cancel_expired_deliveries, *expired)
            with suppress(NotFoundError):
                await self._webhooks.update(self._principal, lease.resource_id, description="x")
                await self._webhooks.enable(self._principal, lease.resource_id)

    async def _churn(self) -> None:
        """Give some leases back and take what is free, as nodes do that come and go."""
        await self._give_back(ACCOUNT_LEASES, self._some(self._world.accounts))
        await self._give_back(WEBHOOK_LEASES, self._some(self._world.webhooks))

    async def _give_back(self, table: LeaseTable, leases: Sequence[Lease]) -> None:
        transact = self._database.transact
        await transact(release_leases, table, leases)
        await transact(self._take, table)
        await self._world.refresh(self._database)

    async def _replace_webhook(self) -> None:
        """Delete one with all that waits for it, and make another."""
        for lease in self._some(self._world.webhooks, 1):
            with suppress(NotFoundError):
                await self._webhooks.delete(self._principal, lease.resource_id)
                await self._webhooks.create(self._principal, "http://127.0.0.1:9/hook")
        await self._database.transact(self._take, WEBHOOK_LEASES)
        await self._world.refresh(self._database)

    async def _sit_at_the_inbox(self) -> None:
        """Answer, and give conversations labels that others delete."""
        who, page = self._principal, await self._inbox.list(self._principal)
        for conversation in self._some(page.conversations):
            with suppress(InvalidInputError):  # the name is taken
                await self._labels.create(who, f"Label {self._random.randint(0, 2)}", "#ff0000")
            for label in self._some(await self._labels.list(who), 2):
                with suppress(NotFoundError):
                    await self._inbox.add_label(who, conversation.id, label.id)
                    await self._labels.change(who, label.id, label.name.upper())
            await self._inbox.mark_read(who, conversation.id)
            with suppress(InvalidInputError):  # a stranger's address is none of the sandbox
                await self._inbox.reply(who, conversation.id, asked(Text("Hello")))
        for label in self._some(await self._labels.list(who), 1):
            with suppress(NotFoundError):
                await self._labels.delete(who, label.id)

    async def _take(self, connection: Connection, table: LeaseTable) -> int:
        return await claim_leases(connection, table, SHARD, self._world.scene.node_id, [], 100)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with playing(database_url) as scene:
        connection = scene.database.pool
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '20ms'")
        for number in range(4):
            await scene.accounts.create(scene.principal, NETWORK, f"{number}", f"s{number}", {})
            await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
        world = World(scene, await insert_keys(scene))
        for table in (ACCOUNT_LEASES, WEBHOOK_LEASES):
            take = partial(claim_leases, table=table, shard=SHARD, node_id=scene.node_id)
            await scene.database.transact(take, dead=[], limit=100)
        await world.refresh(scene.database)
        yield world


async def insert_keys(scene: Scene) -> list[str]:
    clock, organization_id = scene.database.clock, scene.principal.organization_id
    keys = [
        NewApiKey(
            clock.new_id(), f"k{number}", organization_id, "k", "hg_", b"", None, None, clock.now()
        )
        for number in range(6)
    ]
    for key in keys:
        await api_keys.insert_api_key(scene.database.pool, key)  # type: ignore[arg-type]  # one statement
    return [key.key_id for key in keys]


@asynccontextmanager
async def writing(world: World, database_url: str) -> AsyncIterator[list[WatchedDatabase]]:
    """Eight databases, closed at the end: a server counts what ended connections have told it."""
    opened = partial(
        WatchedDatabase.open, pool_size=3, statement_timeout=60, application_name=WRITER
    )
    databases = [await opened(database_url) for _ in range(WRITERS)]
    try:
        yield databases
    finally:
        for database in databases:
            await database.close()
        await until_gone(world.scene)


async def until_gone(scene: Scene) -> None:
    """Until the server has ended the writers' connections, which it does after they are closed."""
    async with asyncio.timeout(60):
        while await scene.rows(  # noqa: ASYNC110 - nobody tells
            "SELECT FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = $1",
            WRITER,
        ):
            await asyncio.sleep(0.02)


async def count_deadlocks(scene: Scene) -> int:
    found: UUID | int = await scene.database.pool.fetchval(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    )
    return int(found)


async def test_eight_writers_of_the_same_rows_never_deadlock(
    world: World, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # all writers meet on the same rows of counts
    monkeypatch.setattr("heliograph.core.messages.statistics.sql.STRIPES", 1)
    async with writing(world, database_url) as databases:
        writers = [Writer(world, database, seed) for seed, database in enumerate(databases)]
        await asyncio.gather(*[writer.run() for writer in writers])
    met = [deadlock for database in databases for deadlock in database.deadlocks]
    assert not met, "\n".join(met)
    assert await count_deadlocks(world.scene) == 0
    assert await world.scene.counted() == await world.scene.recounted()


def seen(scene: Scene, name: str, **more: str | None) -> ObservedPerson:
    return ObservedPerson(scene.principal.tenant, NETWORK, name, **more)  # type: ignore[arg-type]  # its fields


async def meet(database: Database, *people: ObservedPerson) -> list[UUID]:
    """The contacts of these people."""
    met = await database.transact(resolve_contacts, SHARD, people, database.clock)
    return [met.contacts[person.key].id for person in people]


async def merge(scene: Scene, keep: UUID, drop: UUID) -> None:
    tenant, now = scene.principal.tenant, scene.database.clock.now()

    async def work(connection: Connection) -> None:
        found = [await find_contact(connection, tenant, contact_id) for contact_id in (keep, drop)]
        await merge_contacts(connection, *found, now)  # type: ignore[arg-type, call-arg]  # they are there

    await scene.database.transact(work)


@asynccontextmanager
async def holding(
    scene: Scene, table: str, column: str, value: UUID
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Lock rows until the block ends, or until what this gives is called."""
    async with scene.database.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute(f"SELECT FROM {table} WHERE {column} = $1 FOR UPDATE", value)
        held = [transaction]

        async def let_go() -> None:
            while held:
                await held.pop().rollback()

        try:
            yield let_go
        finally:
            await let_go()


async def until_waiting(scene: Scene, count: int) -> None:
    """Until so many wait for what somebody else holds."""
    async with asyncio.timeout(60):
        while True:
            waiting = await scene.database.pool.fetchval(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if waiting == count:
                return
            await asyncio.sleep(0.02)


@pytest.mark.one_server("watches who waits for a lock, which is on a worker")
async def test_merges_of_people_who_were_merged_before_do_not_deadlock(
    world: World, database_url: str
) -> None:
    """One writer merges a contact into which another was merged just after a second writer had read
    who that is; the second holds it, and waits for a third contact that the first holds."""
    scene = world.scene
    names = ["ana", "cleo", "early", "bo", "dora", "cleo@lid"]
    phones = {"ana": "+15550300001", "cleo": "+15550300002"}
    ids = {
        name: (await meet(scene.database, seen(scene, name, phone_number=phones.get(name))))[0]
        for name in names
    }
    async with writing(world, database_url) as [one, other, *_]:
        async with holding(scene, "contacts", "id", ids["early"]) as let_go_of_early:
            renaming = asyncio.create_task(
                meet(other, *[seen(scene, n, chat_name="X") for n in ("early", "dora", "cleo@lid")])
            )
            await until_waiting(scene, 1)
            await merge(scene, ids["bo"], ids["dora"])
            async with holding(scene, "contact_addresses", "contact_id", ids["cleo@lid"]):
                merging = asyncio.create_task(
                    meet(
                        one,
                        seen(scene, "cleo@lid", phone_number=phones["cleo"]),
                        seen(scene, "bo", phone_number=phones["ana"]),
                    )
                )
                await until_waiting(scene, 2)
                await let_go_of_early()
                await until_waiting(scene, 2)
        renamed, merged = await renaming, await merging
        assert not one.deadlocks + other.deadlocks
    assert merged == [ids["cleo"], ids["ana"]]
    assert renamed == [ids["early"], ids["ana"], ids["cleo"]]


@pytest.mark.one_server("watches who waits for a lock, which is on a worker")
async def test_who_changes_a_webhook_does_not_meet_who_writes_its_health(
    world: World, database_url: str
) -> None:
    """Both wait for a third that changes it, while something is fanned out to it: the version that
    they have read stays locked beside the newest."""
    scene, lease = world.scene, world.webhooks[0]
    tenant, webhook_id, now = lease.tenant, lease.resource_id, scene.database.clock.now()
    failing = HealthChange(lease, now, None, now)
    async with (
        writing(world, database_url) as [one, other, *_],
        scene.database.pool.acquire() as fanning_out,
        scene.database.pool.acquire() as changing,
        fanning_out.transaction(),
    ):
        assert await pin_webhook(fanning_out, tenant, webhook_id)
        transaction = changing.transaction()
        await transaction.start()
        webhook = await lock_webhook(changing, tenant, webhook_id)
        assert webhook is not None
        await update_webhook(changing, replace(webhook, description="new"))
        first = asyncio.create_task(one.transact(record_health, SHARD, [failing]))
        await until_waiting(scene, 1)
        second = asyncio.create_task(other.transact(lock_webhook, tenant, webhook_id))
        await until_waiting(scene, 2)
        await transaction.commit()
        await first
        locked = await second
        assert not one.deadlocks + other.deadlocks
    assert locked is not None
    assert (locked.description, locked.failing_since) == ("new", now)


async def test_a_deadlock_would_be_seen(world: World, database_url: str) -> None:
    meeting = asyncio.Barrier(2)

    async def lock(connection: Connection, order: str) -> None:
        for number in order:
            await connection.execute("SELECT FROM nodes FOR UPDATE") if number == "1" else (
                await connection.execute("SELECT FROM organizations FOR UPDATE")
            )
            if tries.get(order, 0) == 0:
                tries[order] = 1
                await meeting.wait()

    tries: dict[str, int] = {}
    async with writing(world, database_url) as databases:
        await asyncio.gather(databases[0].transact(lock, "12"), databases[1].transact(lock, "21"))
    assert sum(len(database.deadlocks) for database in databases) == 1
    assert await count_deadlocks(world.scene) == 1
