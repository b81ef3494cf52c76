"""The cast of the core's tests: one organization's account, its owner, and a session that does as
it is told. The database, the services and the workers are the real ones."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from databases import CONNECT_TIMEOUT, SCHEMA_REVISION
from heliograph.core.accounts.devices import DeviceService, DeviceUpdate
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.service import AccountDirectory, AccountService
from heliograph.core.changes.service import Changes
from heliograph.core.cluster import sql as node_store
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, claim_leases, list_owned_leases
from heliograph.core.contacts.people import PeopleDirectory
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.dispatch.job_runner import JobRunner
from heliograph.core.dispatch.outbound import Outbound
from heliograph.core.dispatch.restriction import RestrictionState
from heliograph.core.dispatch.send_limits import DailyAllowance, SendRate
from heliograph.core.events.payload_sql import unpack
from heliograph.core.idempotency.service import IdempotencyKey, IdempotencyService, StoredResponse
from heliograph.core.inbox.conversations_sql import ConversationPlaces
from heliograph.core.ingest.model import MessageTaken, Report, ReportedEvent
from heliograph.core.ingest.service import ReportService
from heliograph.core.jobs.service import JobService
from heliograph.core.media.service import MediaService
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import MessageService, SendMessage
from heliograph.core.messages.edits.ending import CancellationService
from heliograph.core.messages.edits.service import EditService
from heliograph.core.messages.history import MessageHistoryService
from heliograph.core.messages.lists.names_sql import list_with_names
from heliograph.core.messages.lists.service import MessageListService
from heliograph.core.messages.model import ClaimedMessage, Message
from heliograph.core.messages.serializers import keep_link
from heliograph.core.removals.service import RemovalService
from heliograph.core.tenants.model import Principal, operator
from heliograph.core.upkeep.janitor import Janitor
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import (
    Capabilities,
    Inbound,
    Outgoing,
    OutgoingChange,
    Receipt,
    Sent,
    Session,
)
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto.secret_box import SecretBox, SecretKey
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, Row
from heliograph.platform.outbound_http import AddressPolicy
from placing import place_organization
from waiting import PATIENCE, seen_until, until

SECRET_BOX = SecretBox([SecretKey(bytes(range(32)))])
NETWORK = "sandbox"
SHARD = 5
PEOPLE = PeopleDirectory(NetworkRegistry())
AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
ADA, BOB = "15550100001@sandbox", "15550100002@sandbox"


_SCHEDULE_ALL = (
    "UPDATE messages SET status = 'scheduled', scheduled_for = created_at WHERE status = 'queued'",
    "INSERT INTO message_schedule"
    " SELECT shard, organization_id, account_id, id, scheduled_for FROM messages"
    " WHERE status = 'scheduled'",
    "DELETE FROM message_queue",
)


_EXPIRE = """
INSERT INTO message_expiries (shard, organization_id, message_id, expires_at)
SELECT shard, organization_id, id, created_at FROM messages WHERE id = $1
ON CONFLICT DO NOTHING
"""


def sent_to(jid: str, **more: Any) -> Sent:
    return Sent(jid, AT, phone_number="+" + jid.partition("@")[0], **more)


def receipt(message: Message | ClaimedMessage, kind: str, at: datetime = AT) -> Receipt:
    return Receipt(message.recipient, message.chat_message_id, kind, at)  # type: ignore[arg-type]  # one of the four


def arrival(name: str, sender: str = ADA, *, text: str = "Hello", **more: object) -> Inbound:
    """A message that arrives; `name` is the network's id."""
    fields: dict[str, object] = {
        "chat_jid": sender,
        "sender_phone_number": None,
        "sent_at": AT,
    } | more
    return Inbound(
        sender_jid=sender,
        chat_message_id=name,
        content=Text(text),
        **fields,  # type: ignore[arg-type]  # a test names fields of Inbound
    )


class ScriptedSession(Session):
    """Takes every message, but for what a test lays in its way: errors by recipient, one a try.

    While `gate` is closed nothing comes back. `log` has each try, `taken` what the network has.
    """

    def __init__(self) -> None:
        self.troubles: dict[str, list[NetworkError]] = {}
        self.log: list[Outgoing] = []
        self.taken: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def send(self, message: Outgoing) -> Sent:
        self.log.append(message)
        await self.gate.wait()
        if trouble := self.troubles.get(message.recipient):
            raise trouble.pop(0)
        self.taken.append(message.content.summary)
        return sent_to(message.recipient)

    async def ping(self) -> None: ...

    async def log_out(self) -> None: ...

    async def close(self) -> None: ...


class ChangingSession(ScriptedSession):
    """Takes changes, too, but for the errors in `refusals`, one a try."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[OutgoingChange] = []
        self.refusals: list[NetworkError] = []

    async def change(self, change: OutgoingChange) -> datetime:
        await asyncio.sleep(0)
        if self.refusals:
            raise self.refusals.pop(0)
        self.changes.append(change)
        return AT


class ForgetfulDatabase(Database):
    """Commits, and then loses the answer, as often as `forgets` says."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._left: Counter[str] = Counter()  # one for all that `within` makes of this

    @property
    def forgets(self) -> int:
        return self._left["answers"]

    @forgets.setter
    def forgets(self, answers: int) -> None:
        self._left["answers"] = answers

    async def _once(self, work, connection, progress):  # type: ignore[no-untyped-def]  # as in Database
        result = await super()._once(work, connection, progress)
        if self.forgets:
            self.forgets -= 1
            raise ConnectionResetError("the answer to the commit was lost")
        return result


@dataclass
class Scene:
    database: ForgetfulDatabase
    notifications: Notifications
    reports: ReportService
    messages: MessageService
    cancellations: CancellationService
    changes: Changes
    edits: EditService
    accounts: AccountService
    devices: DeviceService
    webhooks: WebhookService
    idempotency: IdempotencyService
    principal: Principal
    account: Account
    lease: Lease
    node_id: UUID
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    def limited(self, *account_ids: UUID) -> Principal:
        """Who may use these accounts alone."""
        return replace(self.principal, account_ids=frozenset(account_ids))

    async def change_account(self, update: DeviceUpdate) -> None:
        await self.devices.change(self.principal, self.account.id, update)

    # --- sending ---

    async def accept(
        self, text: str, to: str = ADA, *, key: str | None = None, **more: Any
    ) -> UUID:
        """Accept a message; its id."""
        named = IdempotencyKey(key, text.encode()) if key else None
        request = SendMessage(SendTo(to), Text(text), f"run_{text}", **more)
        return message_id_of(await self.messages.send(self.principal, request, named))

    async def begin(self, text: str, to: str = ADA) -> ClaimedMessage:
        """A message that is being sent."""
        await self.accept(text, to)
        [message] = await self.claim()
        return message

    async def claim(self, limit: int = 100) -> list[ClaimedMessage]:
        claim, _ = await self.database.transact(
            claim_messages, self.lease, limit, self.database.clock.now()
        )
        return claim.messages if claim else []

    async def send(self, text: str, to: str = ADA) -> Message:
        """A message that the network has taken."""
        message_id = await self.accept(text, to)
        await self.claim()
        await self.report(MessageTaken(message_id, sent_to(to)))
        return await self.message(message_id)

    async def message(self, message_id: UUID) -> Message:
        key = (self.principal.organization_id, message_id)
        found = await self.database.read(list_with_names, self.principal.tenant.shard, [key])
        return found[key].message

    def outbound(
        self,
        session: Session,
        *,
        is_open: Callable[[], bool] = lambda: True,
        chance: float = 0.5,
        restriction: RestrictionState | None = None,
        is_warming: bool = True,
    ) -> Outbound:
        """The account's dispatcher over this session, at work until the scene ends. One that is
        warming up is not handed what is accepted, and claims it from the queue."""
        dispatcher = Outbound(
            self.database,
            self.reports,
            self.lease,
            NETWORK,
            ActiveSession(session, is_open, Capabilities(frozenset({"text", "buttons"}))),
            SendRate(None),
            DailyAllowance(self.database, self.lease, is_warming=is_warming),
            restriction=restriction,
            senders=self.messages.senders,
            chance=lambda: chance,
        )
        self.tasks.append(asyncio.create_task(dispatcher.run()))
        dispatcher.wake()
        return dispatcher

    def job_runner(self, session: Session, media: MediaService) -> JobRunner:
        """What does the account's jobs over this session, at work until the scene ends."""
        active = ActiveSession(session, lambda: True, Capabilities(frozenset({"text", "buttons"})))
        runner = JobRunner(self.database, self.reports, media, self.lease, NETWORK, active)
        self.tasks.append(asyncio.create_task(runner.run()))
        return runner

    async def make_due(self) -> None:
        """The time of all that is scheduled came an hour ago."""
        for table in ("messages", "message_schedule"):
            await self.rows(f"UPDATE {table} SET scheduled_for = now() - interval '1 hour'")  # noqa: S608 - our own names

    async def schedule_all(self) -> None:
        """All that is queued is scheduled instead, for the time at which it was made."""
        for statement in _SCHEDULE_ALL:
            await self.rows(statement)

    async def expire(self, message_id: UUID) -> None:
        """The message's time is over, and the janitor looks."""
        await self.rows(_EXPIRE, message_id)
        await self.janitor.expire_messages()

    def pass_time(self, seconds: float) -> None:
        clock = self.database.clock
        clock.set_offset(clock.offset + seconds)

    async def stop_sending(self) -> None:
        tasks, self.tasks = self.tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def lose_its_node(self) -> None:
        """The node that had begun to send is gone, and its account is another's."""
        await self.claim()
        await self.database.transact(requeue_claimed, self.lease)

    async def remove_account(self) -> None:
        removals = RemovalService(
            self.database, self.notifications, self.changes, self.accounts, keep_link
        )
        await removals.remove(self.principal, self.account.id, self.account.name)

    # --- services ---

    @property
    def janitor(self) -> Janitor:
        return Janitor(self.database, self.notifications, self.changes)

    @property
    def lists(self) -> MessageListService:
        return MessageListService(self.database, self.changes, PEOPLE)

    @property
    def history(self) -> MessageHistoryService:
        return MessageHistoryService(self.database, self.messages, self.accounts, self.webhooks)

    # --- reporting ---

    async def report(self, *events: ReportedEvent, lease: Lease | None = None) -> None:
        await self.reports.report([Report(lease or self.lease, NETWORK, event) for event in events])

    async def report_each(self, *events: ReportedEvent, at_once: bool) -> None:
        """All in one batch, or each in one of its own."""
        for batch in [events] if at_once else [(event,) for event in events]:
            await self.report(*batch)

    async def take_over(self) -> Lease:
        """Another node takes the account, whoever has it; the lease it has then."""
        other = uuid4()
        await self.database.pool.execute("UPDATE account_leases SET node_id = NULL")
        return await own(self.database, other)

    # --- looking ---

    async def rows(self, statement: str, *values: object) -> list[Row]:
        return await self.database.pool.fetch(statement, *values)

    async def told(self, kinds: str = "%") -> list[dict[str, Any]]:
        """The data of the events whose types are like that, in order."""
        rows = await self.rows("SELECT payload FROM events WHERE type LIKE $1 ORDER BY seq", kinds)
        return [json.loads(unpack(row["payload"]))["data"] for row in rows]

    async def stored_account(self) -> Account:
        """The account as it is now."""
        return await self.accounts.get(self.principal, self.account.id)

    async def count(self, table: str) -> int:
        rows = await self.rows(f"SELECT count(*) AS n FROM {table}")  # noqa: S608 - our own names
        return int(rows[0]["n"])

    async def event_types(self) -> list[str]:
        """The types of all events, in order."""
        return [row["type"] for row in await self.rows("SELECT type FROM events ORDER BY seq")]

    async def statuses(self) -> dict[str, str]:
        """Each message's status by its text."""
        rows = await self.rows("SELECT content ->> 'body' AS text, status FROM messages")
        return {row["text"]: row["status"] for row in rows}

    async def counted(self) -> dict[tuple[str, str], int]:
        """What the counters say, by direction and status; the zeros left out."""
        rows = await self.rows(
            "SELECT direction, status, sum(n)::int AS n FROM message_counts GROUP BY 1, 2"
        )
        return {(row["direction"], row["status"]): row["n"] for row in rows if row["n"]}

    async def counted_of_account(self) -> dict[tuple[str, str], int]:
        """What the account's own counters say, the zeros left out."""
        rows = await self.rows(
            "SELECT direction, status, sum(n)::int AS n FROM account_message_counts "
            "WHERE account_id = $1 GROUP BY 1, 2",
            self.account.id,
        )
        return {(row["direction"], row["status"]): row["n"] for row in rows if row["n"]}

    async def recounted(self) -> dict[tuple[str, str], int]:
        """What the table says."""
        rows = await self.rows(
            "SELECT direction, status, count(*)::int AS n FROM messages GROUP BY 1, 2"
        )
        return {(row["direction"], row["status"]): row["n"] for row in rows}

    async def until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        await until(holds, seconds)

    async def until_statuses(self, wanted: dict[str, str], seconds: float = PATIENCE) -> None:
        """Until the messages of these texts have these statuses."""
        await seen_until(self.statuses, lambda seen: wanted.items() <= seen.items(), seconds)

    async def until_job_ended(self) -> None:
        unfinished = "SELECT 1 FROM jobs WHERE finished_at IS NULL"
        await seen_until(lambda: self.rows(unfinished), lambda rows: not rows, PATIENCE)


def message_id_of(response: StoredResponse) -> UUID:
    return UUID(msgspec.json.decode(response.body)["message_id"])


async def register(database: Database, node_id: UUID, *, lease_timeout: float = 15) -> UUID:
    """A node that lives for as long as a lease lasts."""
    await database.transact(
        node_store.insert_node,
        node_id,
        name="test",
        roles=["sessions"],
        version="0",
        schema_revision=SCHEMA_REVISION,
        admin_port=None,
        lease_timeout=lease_timeout,
    )
    return node_id


async def own(database: Database, node_id: UUID, shard: int = SHARD) -> Lease:
    """The lease that this node has, once it owns the one account there is in the shard."""
    await register(database, node_id)

    async def claim(connection: Connection) -> Sequence[Lease]:
        await claim_leases(connection, ACCOUNT_LEASES, shard, node_id, [], 100)
        return await list_owned_leases(connection, ACCOUNT_LEASES, node_id)

    return (await database.transact(claim))[0]


def changes_of(
    database: Database,
    notifications: Notifications,
    idempotency: IdempotencyService | None = None,
) -> Changes:
    idempotency = idempotency or IdempotencyService(database, uuid4)
    return Changes(database, notifications, idempotency, SECRET_BOX, fan_out)


def jobs_of(scene: Scene, *, timeout: float) -> JobService:
    return JobService(
        scene.database, scene.notifications, scene.changes, scene.idempotency, timeout=timeout
    )


@asynccontextmanager
async def playing(database_url: str) -> AsyncIterator[Scene]:
    # a test may hold a lock for as long as a busy machine keeps it waiting
    database = await ForgetfulDatabase.open(
        database_url, connect_timeout=CONNECT_TIMEOUT, statement_timeout=60.0
    )
    notifications = Notifications(database_url)
    await notifications.start()
    networks = NetworkRegistry()
    node_id = uuid4()
    idempotency = IdempotencyService(database, lambda: node_id)
    changes = changes_of(database, notifications, idempotency)
    accounts = AccountService(database, changes, networks, SECRET_BOX)
    organization = await place_organization(database, "Acme", SHARD)
    principal = operator(organization.tenant)
    account = await accounts.create(principal, NETWORK, "Phone", "phone", {})
    await database.pool.execute("DELETE FROM events")  # a scene begins with nothing told
    directory = AccountDirectory(accounts)
    places = ConversationPlaces.of(database)
    messages = MessageService(
        database, notifications, networks, directory, idempotency, chats=places.of_chats
    )
    cancellations = CancellationService(changes, messages)
    scene = Scene(
        database=database,
        notifications=notifications,
        reports=ReportService(database, notifications, SECRET_BOX, places=places),
        messages=messages,
        cancellations=cancellations,
        changes=changes,
        edits=EditService(database, changes, networks, directory, messages, cancellations),
        accounts=accounts,
        devices=DeviceService(database, changes, networks, accounts, SECRET_BOX),
        webhooks=WebhookService(database, changes, AddressPolicy.LOOPBACK, SECRET_BOX),
        idempotency=idempotency,
        principal=principal,
        account=account,
        lease=await own(database, node_id),
        node_id=node_id,
    )
    try:
        yield scene
    finally:
        await scene.stop_sending()
        with suppress(Exception):
            await scene.reports.drain()
        await notifications.stop()
        await database.close()


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene
