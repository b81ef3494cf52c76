"""The mailbox: what waits for each account, handed over in order and deleted once it is on disk.

What is due is looked up in the order of ids, from an account's floor on: PostgreSQL can't remove
deleted rows while an older transaction stays open, and would read them again.

One loop serves every session of the process. It reads for the accounts that were woken or have
something due, and once a second for all of them, so that a lost wake-up costs a second at most.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar
from uuid import UUID

import asyncpg
import structlog

from heliograph.networks.content import Media, decode_content
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Inbound, NetworkContext, NetworkEvent, Receipt
from heliograph.networks.sandbox import addresses, changes, chats, files
from heliograph.networks.sandbox.database_access import Database, NetworkDatabase
from heliograph.networks.sandbox.devices import Standing, standing
from heliograph.networks.sandbox.groups import group_seen
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.database.floors import LOOKS_AFTER_USE, Floor, Floors
from heliograph.platform.database.horizon import Numbering
from heliograph.platform.database.rows import Columns

T = TypeVar("T")

LOOK_INTERVAL = 1.0
DETACH_TIMEOUT = 2.0
SWEEP_INTERVAL = 3600.0
KEPT = timedelta(days=30)
BATCH = 300
MAX_BYTES = 32 * 1024 * 1024
"""Bytes of files that are handed to a session at once, unless a single file has more."""
_TIMER_SLACK = 0.005
"""Seconds. A timer of the loop may end a moment early, and would then find nothing due."""

log = structlog.get_logger(__name__)


class Subscriber(Protocol):
    """A session, as the mailbox knows it."""

    account_id: UUID
    session_id: UUID

    async def take(self, events: Sequence[NetworkEvent]) -> bool:
        """Pass the events on. Return True once they are on disk and may be deleted here."""

    def dropped(self, why: Standing) -> None:
        """End the session: the network no longer regards it as the account's."""


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """One period in which a subscriber is connected; what was read before it is stale."""

    subscriber: Subscriber


class Mailbox:
    def __init__(self, context: NetworkContext) -> None:
        self._context = context
        self._database = NetworkDatabase(context.pool)
        self._attached: dict[UUID, Attachment] = {}
        self._ready: set[UUID] = set()
        self._handing: dict[UUID, asyncio.Task[None]] = {}
        self._floors: Floors[UUID] = Floors(self._run_on_database, UPDATES)
        self._looks_left = LOOKS_AFTER_USE
        self._wake = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._next_look = 0.0
        self._next_sweep = 0.0

    def attach(self, subscriber: Subscriber) -> None:
        """Begin to hand over, replacing a session of the same account in this process."""
        before = self._attached.get(subscriber.account_id)
        self._attached[subscriber.account_id] = Attachment(subscriber)
        if before is not None:
            before.subscriber.dropped("replaced")
        if self._loop is None or self._loop.done():
            self._loop = asyncio.create_task(self._run())
        self._next_look = 0.0
        self.wake(subscriber.account_id)

    async def detach(self, subscriber: Subscriber) -> None:
        """Stop handing over, and wait for what is under way."""
        attached = self._attached.get(subscriber.account_id)
        if attached is not None and attached.subscriber is subscriber:
            del self._attached[subscriber.account_id]
            self._ready.discard(subscriber.account_id)
            self._wake.set()
            handing = self._handing.get(subscriber.account_id)
            if handing is not None and handing is not asyncio.current_task():
                await asyncio.wait([handing], timeout=DETACH_TIMEOUT)
                handing.cancel()

    def wake(self, account_id: UUID) -> None:
        """Look for what is due for the account."""
        if account_id in self._attached:
            self._ready.add(account_id)
            self._wake.set()

    def wake_at(self, account_id: UUID, due_at: datetime) -> None:
        """Look for what is due for the account at this time, unless the regular look comes
        first."""
        delay = (due_at - self._context.now()).total_seconds()
        if delay <= 0:
            self.wake(account_id)
        elif delay <= LOOK_INTERVAL * 2:
            asyncio.get_running_loop().call_later(delay + _TIMER_SLACK, self.wake, account_id)

    async def _run(self) -> None:
        while self._attached:
            await self._wait()
            try:
                await self._round()
            except Exception as error:
                _log_failure(error)
                await asyncio.sleep(LOOK_INTERVAL)

    async def _wait(self) -> None:
        self._wake.clear()
        if self._ready - self._handing.keys():
            return
        clock = asyncio.get_running_loop().time()
        await wait_until_set(self._wake, max(0.0, self._next_look - clock))

    async def _round(self) -> None:
        clock = asyncio.get_running_loop().time()
        look = clock >= self._next_look
        if look:
            self._next_look = clock + LOOK_INTERVAL
            await self._raise_floors()
        wanted = set(self._attached) if look else self._ready & self._attached.keys()
        accounts = wanted - self._handing.keys()
        self._ready -= accounts
        if not accounts:
            return
        attached = {account_id: self._attached[account_id] for account_id in accounts}
        rows = await list_due(self._database, self._starts(accounts), self._context.now())
        if any(row["id"] is not None for row in rows):
            self._looks_left = LOOKS_AFTER_USE
        if look:
            await self._set_timers(accounts)
        if clock >= self._next_sweep:
            self._next_sweep = clock + SWEEP_INTERVAL
            before = self._context.now() - KEPT
            await chats.delete_messages(self._database, list(accounts), before)
            await changes.delete_old(self._database, list(accounts), before)
            await files.delete_old(self._database, before)
        self._hand_over(attached, rows)

    async def _raise_floors(self) -> None:
        """Find out where the mailboxes begin now, if anything has been deleted from them: all of
        them, since the busiest are always being handed over."""
        if self._looks_left:
            self._looks_left -= 1
            await self._floors.look(list(self._attached), find_first)

    def _starts(self, accounts: Iterable[UUID]) -> list[tuple[UUID, Floor]]:
        return [(account_id, self._floors.of(account_id)) for account_id in accounts]

    async def _run_on_database(self, work: Callable[[Database], Awaitable[T]]) -> T:
        return await work(self._database)

    async def _set_timers(self, accounts: Iterable[UUID]) -> None:
        now = self._context.now()
        until = now + timedelta(seconds=LOOK_INTERVAL)
        next_due = await list_next_due(self._database, self._starts(accounts), now, until)
        for account_id, due_at in next_due:
            self.wake_at(account_id, due_at)

    def _hand_over(self, attached: dict[UUID, Attachment], rows: Sequence[asyncpg.Record]) -> None:
        by_account: defaultdict[UUID, list[asyncpg.Record]] = defaultdict(list)
        for row in rows:
            by_account[row["account_id"]].append(row)
        for account_id, attachment in attached.items():
            if self._attached.get(account_id) is not attachment:
                continue  # it left, or was replaced, while we read
            subscriber = attachment.subscriber
            why = _standing(subscriber, by_account[account_id])
            updates = [row for row in by_account[account_id] if row["id"] is not None]
            if why != "ours":
                subscriber.dropped(why)
            elif updates:
                task = asyncio.create_task(self._hand(subscriber, updates))
                self._handing[account_id] = task

    async def _hand(self, subscriber: Subscriber, updates: Sequence[asyncpg.Record]) -> None:
        account_id = subscriber.account_id
        try:
            batch = _within_memory(updates)
            if await subscriber.take(await self._read(account_id, batch)):
                await delete_updates(self._database, [row["id"] for row in batch])
                if len(updates) == BATCH or len(batch) < len(updates):
                    self.wake(account_id)
        except Exception as error:
            _log_failure(error)
        finally:
            del self._handing[account_id]
            if account_id in self._ready:
                self._wake.set()

    async def _read(
        self, account_id: UUID, updates: Sequence[asyncpg.Record]
    ) -> list[NetworkEvent]:
        """Return the events, with their files."""
        media = [row["chat_message_id"] for row in updates if _file_size(row)]
        changed = [row["chat_message_id"] for row in updates if row["kind"] == "changed"]
        stored = await files.read(self._database, media)
        made = await changes.find_changed(self._database, account_id, changed)
        return [
            made[row["chat_message_id"]] if row["kind"] == "changed" else _event(row, stored)
            for row in updates
        ]


def _within_memory(updates: Sequence[asyncpg.Record]) -> Sequence[asyncpg.Record]:
    """Return the first updates whose files have at most `MAX_BYTES` together, and at least one."""
    total = 0
    for place, row in enumerate(updates):
        total += _file_size(row)
        if place and total > MAX_BYTES:
            return updates[:place]
    return updates


def _file_size(row: asyncpg.Record) -> int:
    if row["kind"] != "inbound" or '"media_type"' not in row["content"]:
        return 0
    content = decode_content(row["content"])
    return content.size or 0 if isinstance(content, Media) else 0


def _log_failure(error: Exception) -> None:
    """Log an unreachable database in one line, and a fault of ours with its traceback."""
    if isinstance(error, NetworkError):
        log.warning("sandbox_mailbox_unreadable", reason=error.reason)
    else:
        log.error("sandbox_mailbox_failed", exc_info=error)


def _standing(subscriber: Subscriber, rows: Sequence[asyncpg.Record]) -> Standing:
    if not rows:
        return "logged_out"
    return standing(rows[0]["status"], rows[0]["session_id"], subscriber.session_id)


def _event(row: asyncpg.Record, stored: Mapping[str, bytes]) -> NetworkEvent:
    match row["kind"]:
        case "inbound":
            return _inbound(row, stored.get(row["chat_message_id"]))
        case "group":
            return group_seen(row)
        case "failed":
            reason = "The network reports that the message could not be delivered."
            return Receipt(row["chat_jid"], row["chat_message_id"], "failed", row["due_at"], reason)
        case kind:
            return Receipt(row["chat_jid"], row["chat_message_id"], kind, row["due_at"])


def _inbound(row: asyncpg.Record, file: bytes | None) -> Inbound:
    return Inbound(
        chat_jid=row["chat_jid"],
        sender_jid=row["sender_jid"],
        chat_message_id=row["chat_message_id"],
        content=decode_content(row["content"]),
        sent_at=row["sent_at"],
        is_group=addresses.is_group(row["chat_jid"]),
        sender_phone_number=addresses.phone_number(row["sender_jid"]),
        sender_name=row["chat_name"],
        group_subject=row["subject"],
        reply_to_chat_message_id=row["reply_to"],
        file=file,
    )


UPDATES = Numbering("sandbox.updates_id_seq", ("sandbox.updates",))
_STARTS = Columns(
    "account_id uuid, floor bigint, server timestamptz",
    first=1,
    account_id=lambda start: start[0],
    floor=lambda start: start[1].seq,
    server=lambda start: start[1].server,
)


_FLOOR = "greatest(0, k.floor * (k.server = pg_postmaster_start_time())::integer)"
LIST_DUE = _STARTS.fill(
    """
SELECT d.account_id, d.status, d.session_id,
       u.id, u.kind, u.chat_jid, u.chat_message_id, u.due_at,
       m.sender_jid, m.content, m.sent_at, m.reply_to, p.chat_name,
       g.jid AS remote_jid, g.subject, g.owner_jid, g.created_at,
       CASE WHEN u.kind = 'group' THEN array(
           SELECT jid FROM sandbox.members WHERE group_jid = g.jid ORDER BY jid
       ) END AS participants
FROM {rows}
JOIN sandbox.devices d ON d.account_id = k.account_id
CROSS JOIN LATERAL (
    SELECT array(
        SELECT o.jid FROM sandbox.phones o
        WHERE o.account_id = d.account_id AND NOT o.online
        UNION ALL
        SELECT r.group_jid FROM sandbox.phones o JOIN sandbox.members r USING (jid)
        WHERE o.account_id = d.account_id AND NOT o.online
    ) AS jids
) silent
LEFT JOIN LATERAL (
    SELECT * FROM (
        SELECT id, kind, chat_jid, chat_message_id, due_at FROM sandbox.updates
        WHERE account_id = d.account_id AND id >= {floor} AND NOT d.silent AND due_at <= $4
          AND (kind NOT IN ('delivered', 'read') OR chat_jid <> ALL (silent.jids))
        OFFSET 0
    ) due
    ORDER BY id LIMIT $5
) u ON true
LEFT JOIN LATERAL (
    SELECT sender_jid, content, sent_at, reply_to FROM sandbox.messages
    WHERE account_id = d.account_id AND chat_message_id = u.chat_message_id
      AND u.kind = 'inbound'
    OFFSET 0
) m ON true
LEFT JOIN sandbox.groups g ON g.jid = u.chat_jid
LEFT JOIN LATERAL (
    SELECT chat_name FROM sandbox.phones
    WHERE account_id = d.account_id AND jid = m.sender_jid
    OFFSET 0
) p ON true
ORDER BY u.id
""".replace("{floor}", _FLOOR)
)


async def list_due(
    database: Database, starts: Sequence[tuple[UUID, Floor]], now: datetime
) -> list[asyncpg.Record]:
    """List the accounts' devices, each with what is due for it, in order.

    Receipts of a chat wait while one of its phones is switched off.
    """
    return await database.fetch(LIST_DUE, *_STARTS.of(starts), now, BATCH)


FIND_FIRST = _STARTS.fill(
    """
SELECT k.account_id, u.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM sandbox.updates WHERE account_id = k.account_id AND id >= {floor}
    ORDER BY id LIMIT 1
) u
""".replace("{floor}", _FLOOR)
)


async def find_first(
    database: Database, starts: Sequence[tuple[UUID, Floor]]
) -> dict[UUID, int | None]:
    """Return the id of each account's first update, due or not, if there is any."""
    rows = await database.fetch(FIND_FIRST, *_STARTS.of(starts))
    return {row["account_id"]: row["id"] for row in rows}


LIST_NEXT_DUE = _STARTS.fill(
    """
SELECT k.account_id, u.due_at FROM {rows}
CROSS JOIN LATERAL (
    SELECT min(due_at) AS due_at FROM sandbox.updates
    WHERE account_id = k.account_id AND id >= {floor} AND due_at > $4 AND due_at <= $5
) u
WHERE u.due_at IS NOT NULL
""".replace("{floor}", _FLOOR)
)


async def list_next_due(
    database: Database, starts: Sequence[tuple[UUID, Floor]], now: datetime, until: datetime
) -> list[tuple[UUID, datetime]]:
    """Return when something will next be due, for the accounts where that is before `until`."""
    rows = await database.fetch(LIST_NEXT_DUE, *_STARTS.of(starts), now, until)
    return [(row["account_id"], row["due_at"]) for row in rows]


DELETE_UPDATES = """
WITH gone AS (
    DELETE FROM sandbox.updates WHERE id = ANY($1)
    RETURNING account_id, chat_message_id, kind
), reached AS (
    SELECT account_id, chat_message_id,
           max(CASE kind WHEN 'read' THEN 2 ELSE 1 END) AS progress
    FROM gone WHERE kind IN ('delivered', 'read') GROUP BY account_id, chat_message_id
)
UPDATE sandbox.messages m SET progress = r.progress FROM reached r
WHERE m.account_id = r.account_id AND m.chat_message_id = r.chat_message_id
  AND m.progress < r.progress
"""


async def delete_updates(database: Database, ids: Sequence[int]) -> None:
    """Delete updates that were taken, and record on the messages how far they came."""
    await database.execute(DELETE_UPDATES, ids)


RELEASE_WAITING = """
UPDATE sandbox.updates SET due_at = $3
WHERE account_id = $1 AND due_at < $3 AND kind IN ('delivered', 'read')
  AND (chat_jid = $2 OR chat_jid IN (
      SELECT group_jid FROM sandbox.members WHERE jid = $2))
"""


async def release_waiting(database: Database, account_id: UUID, jid: str, now: datetime) -> None:
    """Make everything that has waited for a phone due now that it has been switched on."""
    await database.execute(RELEASE_WAITING, account_id, jid, now)
