"""Sending: messages that the process's sessions send at the same time form one batch.

A batch is one statement that reads how things stand, a decision for each message, and one statement
that stores what the network accepts.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import msgspec

from heliograph.networks.content import encode_content
from heliograph.networks.errors import NetworkError, NoAnswerError, RestrictedError
from heliograph.networks.port import NetworkContext, Outgoing, Sent
from heliograph.networks.sandbox import addresses, chats, devices, groups, phones
from heliograph.networks.sandbox.database_access import Database, NetworkDatabase, topic
from heliograph.networks.sandbox.options import Options
from heliograph.networks.sandbox.recipients import check_recipient
from heliograph.networks.sandbox.test_numbers import Misbehavior, misbehavior_of
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.database.rows import Columns

WakeAt = Callable[[UUID, datetime], None]


class Parcel(msgspec.Struct, frozen=True):
    """One message and the session that sends it."""

    account_id: UUID
    session_id: UUID
    options: Options
    message: Outgoing

    @property
    def key(self) -> tuple[UUID, str]:
        return self.account_id, self.message.chat_message_id

    @property
    def reply_to(self) -> str | None:
        answered = self.message.reply_to
        return None if answered is None else answered.chat_message_id


class Accepted(msgspec.Struct, frozen=True):
    """The network's answer; `new` is false for a message already accepted under this id."""

    sent: Sent
    new: bool


class Planned(msgspec.Struct, frozen=True):
    """A message that the network accepts, with the times at which its receipts are due."""

    parcel: Parcel
    sender_jid: str
    phone: phones.Phone | None
    sent_at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    failed_at: datetime | None
    accounts: tuple[UUID, ...]
    """Accounts of this network that get the message as well: a member's, or the recipient's."""


class Outbox:
    """Takes messages from sessions, in order, as many at a time as there are."""

    def __init__(self, context: NetworkContext, wake_at: WakeAt) -> None:
        self._context = context
        self._database = NetworkDatabase(context.pool)
        self._wake_at = wake_at
        self._sends: GroupCommit[None, Parcel, Accepted] = GroupCommit(self._send, splits=False)

    async def send(self, parcel: Parcel) -> Accepted:
        """Send a message. Raises the `NetworkError` that the recipient's number or the account's
        state calls for."""
        return await self._sends.submit(None, parcel)

    async def _send(self, _: None, parcels: Sequence[Parcel]) -> list[Accepted | Exception]:
        now = self._context.now()
        plans = await _plan(self._database, parcels, now)
        fresh = list({p.parcel.key: p for p in plans if isinstance(p, Planned)}.values())
        new = await _insert(self._database.uncertain, fresh) if fresh else set()
        self._wake([plan for plan in fresh if plan.parcel.key in new])
        return [
            Accepted(_sent(plan), plan.parcel.key in new) if isinstance(plan, Planned) else plan
            for plan in plans
        ]

    def _wake(self, plans: Sequence[Planned]) -> None:
        due = {
            (plan.parcel.account_id, at)
            for plan in plans
            for at in (plan.delivered_at, plan.read_at, plan.failed_at)
            if at is not None
        }
        for account_id, at in due:
            self._wake_at(account_id, at)
        for account_id in {account_id for plan in plans for account_id in plan.accounts}:
            self._context.notify(topic(account_id))


_SENDING = Columns("account_id uuid, chat_jid text", first=1, chat_jid="message.recipient")
PLAN = _SENDING.fill("""
SELECT d.jid, d.status, d.session_id, d.silent, d.restricted_until, p.name, p.chat_name,
       peer.account_id AS peer,
       coalesce(d.restricted_until > $3, false) AND NOT EXISTS (
           SELECT FROM sandbox.messages AS m
           WHERE m.account_id = k.account_id AND m.chat_jid = k.chat_jid
       ) AS is_refused
FROM {rows_in_order}
LEFT JOIN sandbox.devices d ON d.account_id = k.account_id
LEFT JOIN sandbox.phones p ON p.account_id = k.account_id AND p.jid = k.chat_jid
LEFT JOIN sandbox.devices peer
    ON peer.jid = k.chat_jid AND peer.status = 'active' AND peer.account_id <> k.account_id
ORDER BY k.position
""")


async def _plan(
    database: Database, parcels: Sequence[Parcel], now: datetime
) -> list[Planned | NetworkError]:
    rows = await database.fetch(PLAN, *_SENDING.of(parcels), now)
    rooms = await groups.find_rooms(database, {parcel.message.recipient for parcel in parcels})
    plans: list[Planned | NetworkError] = []
    for parcel, row in zip(parcels, rows, strict=True):
        try:
            _check_device(parcel, row)
            _check_restriction(row)
            recipient = parcel.message.recipient
            room = rooms.get(recipient)
            await check_recipient(
                database, parcel.account_id, row["jid"], parcel.key[1], recipient, room
            )
            plans.append(_planned(parcel, row, room, now))
        except NetworkError as error:
            plans.append(error)
    return plans


def _check_device(parcel: Parcel, row: asyncpg.Record) -> None:
    stand = devices.standing(row["status"] or "logged_out", row["session_id"], parcel.session_id)
    devices.check_standing(stand)
    if row["silent"]:
        raise NoAnswerError("The network does not answer.")


def _check_restriction(row: asyncpg.Record) -> None:
    if row["is_refused"]:
        raise RestrictedError(devices.RESTRICTED, until=row["restricted_until"])


def _planned(
    parcel: Parcel, row: asyncpg.Record, room: groups.Room | None, now: datetime
) -> Planned:
    jid = parcel.message.recipient
    magics = {misbehavior_of(member) for member in (room.members if room else (jid,))}
    delivered_at = now + timedelta(seconds=parcel.options.delivered_delay)
    read_at = delivered_at + timedelta(seconds=parcel.options.read_delay)
    failed = Misbehavior.FAILS_LATER in magics and room is None
    delivered = Misbehavior.UNDELIVERED not in magics and not failed
    read = delivered and Misbehavior.UNREAD not in magics
    peers = room.accounts if room else (row["peer"],)
    return Planned(
        parcel=parcel,
        sender_jid=row["jid"],
        phone=None if room else _phone(jid, row),
        sent_at=now,
        delivered_at=delivered_at if delivered else None,
        read_at=read_at if read else None,
        failed_at=delivered_at if failed else None,
        accounts=tuple(peer for peer in peers if peer not in (None, parcel.account_id)),
    )


def _phone(jid: str, row: asyncpg.Record) -> phones.Phone:
    if row["chat_name"] is None:
        return phones.generated(jid)
    return phones.Phone(jid=jid, name=row["name"], chat_name=row["chat_name"])


def _sent(plan: Planned) -> Sent:
    return Sent(
        remote_jid=plan.parcel.message.recipient,
        sent_at=plan.sent_at,
        phone_number=addresses.phone_number(plan.parcel.message.recipient),
        contact_name=plan.phone.name if plan.phone else None,
        chat_name=plan.phone.chat_name if plan.phone else None,
    )


_PLANNED = Columns(
    "account_id uuid, chat_message_id text, chat_jid text, sender_jid text, content text,"
    " sent_at timestamptz, reply_to text, delivered_at timestamptz, read_at timestamptz,"
    " failed_at timestamptz",
    first=1,
    account_id="parcel.account_id",
    chat_message_id="parcel.message.chat_message_id",
    chat_jid="parcel.message.recipient",
    content=lambda plan: encode_content(plan.parcel.message.content),
    reply_to="parcel.reply_to",
)
_PEOPLE = Columns(
    "account_id uuid, jid text, name text, chat_name text, online boolean", first=11, alias="p"
)
INSERT = _PEOPLE.fill(
    _PLANNED.fill("""
WITH input AS (
    SELECT * FROM {rows_in_order}
), people AS (
    INSERT INTO sandbox.phones (account_id, jid, name, chat_name, online) SELECT * FROM {p}
    ON CONFLICT DO NOTHING
), made AS (
    INSERT INTO sandbox.messages
        (account_id, chat_message_id, chat_jid, sender_jid, content, sent_at, reply_to)
    SELECT account_id, chat_message_id, chat_jid, sender_jid, content, sent_at, reply_to
    FROM input ORDER BY position
    ON CONFLICT DO NOTHING
    RETURNING account_id, chat_message_id
), receipts AS (
    INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
    SELECT i.account_id, i.chat_jid, i.chat_message_id, r.kind, r.due_at
    FROM input i JOIN made USING (account_id, chat_message_id)
    CROSS JOIN LATERAL (VALUES
        (1, 'delivered', i.delivered_at), (2, 'read', i.read_at), (3, 'failed', i.failed_at)
    ) AS r(step, kind, due_at)
    WHERE r.due_at IS NOT NULL
    ORDER BY i.position, r.step
)
SELECT account_id, chat_message_id FROM made
""")
)


async def _insert(database: Database, plans: Sequence[Planned]) -> set[tuple[UUID, str]]:
    """Store the messages with their receipts; returns the keys of those that were new."""
    people = sorted({(p.parcel.account_id, p.phone) for p in plans if p.phone}, key=repr)
    phones_seen = [(id_, p.jid, p.name, p.chat_name, p.online) for id_, p in people]
    rows = await database.fetch(INSERT, *_PLANNED.of(plans), *_PEOPLE.transpose(phones_seen))
    new = {(row["account_id"], row["chat_message_id"]) for row in rows}
    await _hand_to_accounts(database, [plan for plan in plans if plan.accounts])
    return new


async def _hand_to_accounts(database: Database, plans: Sequence[Planned]) -> None:
    """Deliver messages that are addressed to accounts of the sandbox."""
    arriving = [
        chats.ArrivingMessage(
            account_id=account_id,
            chat_jid=plan.sender_jid if plan.phone else plan.parcel.message.recipient,
            sender_jid=plan.sender_jid,
            chat_message_id=plan.parcel.message.chat_message_id,
            content=plan.parcel.message.content,
            sent_at=plan.sent_at,
            reply_to=plan.parcel.reply_to,
        )
        for plan in plans
        for account_id in plan.accounts
    ]
    if arriving:
        await chats.insert_arriving(database, arriving)
