"""What sessions report, written down: one batch, one shard, one transaction.

A batch first locks and loads what its reports are about, in key order (leases, messages, contacts,
conversations, accounts), then applies the reports one after another in memory, and at last writes
back what has changed, with the counts, the events and the deliveries that follow from it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import singledispatchmethod
from uuid import UUID

import msgspec

from heliograph.crypto.secret_box import SecretBox
from heliograph.model.accounts import Account, AccountStatus
from heliograph.model.contacts import Contact
from heliograph.model.content import message_type
from heliograph.model.conversations import Conversation, ConversationStatus
from heliograph.model.jobs import JobKind, JobStatus
from heliograph.model.leases import Lease
from heliograph.model.messages import ChatType, Direction, Message, MessageStatus, advance
from heliograph.model.organizations import Tenant
from heliograph.networks.base import ContactSeen, GroupSeen, Inbound, Receipt, SessionState
from heliograph.services.events import EventMaker, fan_out
from heliograph.services.news import (
    JobEnded,
    MessagePostponed,
    MessageRefused,
    MessageTaken,
    News,
    Report,
)
from heliograph.services.people import PersonSeen, meet_people
from heliograph.services.records import preview
from heliograph.store import account_states, conversations, jobs, leases, messages
from heliograph.store.contacts import PersonKey
from heliograph.store.counts import CountMoves, move_message_counts
from heliograph.store.database import Clock, Connection

_RECEIPT_STATUS = {
    "sent": MessageStatus.SENT,
    "delivered": MessageStatus.DELIVERED,
    "read": MessageStatus.READ,
    "failed": MessageStatus.FAILED,
}
_REPORTED_DEVICE = frozenset(AccountStatus) - {AccountStatus.CONNECTING}


class ReportBatch:
    """One transaction's reports of one shard. `run` may be called again when that is repeated."""

    def __init__(
        self,
        connection: Connection,
        shard: int,
        reports: Sequence[Report],
        *,
        clock: Clock,
        secret_box: SecretBox,
        stripe: int,
    ) -> None:
        self._connection = connection
        self._shard = shard
        self._all = reports
        self._clock = clock
        self._secret_box = secret_box
        self._stripe = stripe
        self._now = clock.now()
        self._makes = EventMaker(clock)
        self._counts = CountMoves()
        self._people: dict[PersonKey, Contact] = {}
        self._contacts: dict[UUID, Contact] = {}
        self._loaded_messages: dict[UUID, Message] = {}
        self._messages: dict[UUID, Message] = {}
        self._ids: dict[tuple[UUID, str], UUID] = {}
        self._new_ids: set[UUID] = set()
        self._arrived: list[Message] = []
        self._loaded_conversations: dict[tuple[UUID, str], Conversation] = {}
        self._conversations: dict[tuple[UUID, str], Conversation] = {}
        self._names: dict[UUID, tuple[str | None, str | None]] = {}
        self._loaded_accounts: dict[UUID, Account] = {}
        self._accounts: dict[UUID, Account] = {}
        self._secrets: list[tuple[Lease, bytes]] = []
        self._groups: dict[tuple[UUID, str], UUID] = {}
        self._inbound_ids: dict[int, UUID] = {}
        self.reached: Counter[MessageStatus] = Counter()
        """How many messages reached each state, once the transaction has committed."""

    async def run(self) -> tuple[set[Lease], set[UUID]]:
        """Write everything. Returns the leases that still hold (reports under others were dropped)
        and the webhooks that have something to deliver."""
        newest = _newest_leases(self._all)
        locked = await leases.lock_leases(self._connection, leases.ACCOUNTS, self._shard, newest)
        held = {lease for lease in newest if lease.resource_id in locked}
        self._reports = [each for each in self._all if each.lease in held]
        await self._load_messages()
        await self._remember_arrivals()
        await self._meet_people()
        await self._open_conversations()
        await self._load_accounts()
        for position, report in enumerate(self._reports):
            self._apply(report.news, report, position)
        return held, await self._write()

    # --- load ----------------------------------------------------------------------------------

    async def _load_messages(self) -> None:
        network_ids = {
            (lease.tenant.organization_id, lease.resource_id, chat_message_id)
            for lease, chat_message_id in self._mentioned_network_ids()
        }
        if network_ids:
            self._ids = await messages.list_ids_by_network_id(
                self._connection, self._shard, sorted(network_ids)
            )
        keys = {
            (report.tenant.organization_id, report.news.message_id)
            for report in self._reports
            if isinstance(report.news, (MessageTaken, MessageRefused, MessagePostponed))
        }
        keys |= {
            (report.tenant.organization_id, message_id)
            for report in self._reports
            if (message_id := self._receipt_target(report)) is not None
        }
        if keys:
            self._loaded_messages = await messages.lock_messages(
                self._connection, self._shard, sorted(keys)
            )
            self._messages = dict(self._loaded_messages)

    def _mentioned_network_ids(self) -> list[tuple[Lease, str]]:
        mentioned = []
        for report in self._reports:
            if isinstance(report.news, Receipt):
                mentioned.append((report.lease, report.news.chat_message_id))
            elif isinstance(report.news, Inbound):
                if report.news.from_me:
                    mentioned.append((report.lease, report.news.chat_message_id))
                if report.news.reply_to_chat_message_id:
                    mentioned.append((report.lease, report.news.reply_to_chat_message_id))
        return mentioned

    def _receipt_target(self, report: Report) -> UUID | None:
        if not isinstance(report.news, Receipt):
            return None
        return self._ids.get((report.account_id, report.news.chat_message_id))

    async def _remember_arrivals(self) -> None:
        """Take the keys of what arrived; what had one already is not new."""
        keys = []
        for position, report in enumerate(self._reports):
            news = report.news
            if isinstance(news, Inbound) and not self._is_our_own(report, news):
                self._inbound_ids[position] = self._clock.new_id()
                keys.append(
                    (
                        report.lease,
                        news.chat_jid,
                        news.sender_jid,
                        news.chat_message_id,
                        self._inbound_ids[position],
                    )
                )
        if keys:
            self._new_ids = await messages.insert_inbound_keys(
                self._connection, self._shard, keys, self._now
            )

    def _is_our_own(self, report: Report, news: Inbound) -> bool:
        """An echo of what this gateway sent itself."""
        return news.from_me and (report.account_id, news.chat_message_id) in self._ids

    def _is_new(self, position: int) -> bool:
        return self._inbound_ids.get(position) in self._new_ids

    async def _meet_people(self) -> None:
        seen = [
            person
            for position, report in enumerate(self._reports)
            for person in self._people_of(report, position)
        ]
        self._people = await meet_people(self._connection, self._shard, seen, self._clock)
        self._contacts = {contact.id: contact for contact in self._people.values()}

    def _people_of(self, report: Report, position: int) -> list[PersonSeen]:
        news, tenant, network = report.news, report.tenant, report.network
        if isinstance(news, ContactSeen):
            return [
                PersonSeen(
                    tenant, network, news.remote_jid, news.phone_number, news.name, news.chat_name
                )
            ]
        if isinstance(news, Inbound) and self._is_new(position):
            return _people_of_arrival(report, news)
        if isinstance(news, MessageTaken):
            message = self._messages.get(news.message_id)
            if message is None or message.chat_type is ChatType.GROUP:
                return []
            sent = news.sent
            return [
                PersonSeen(
                    tenant,
                    network,
                    sent.remote_jid,
                    sent.phone_number,
                    sent.contact_name,
                    sent.chat_name,
                )
            ]
        if (chat := self._unplaced(report)) and not chat[1]:
            return [PersonSeen(tenant, network, chat[0])]
        return []

    def _unplaced(self, report: Report) -> tuple[str, bool] | None:
        """The chat of a receipt that came before we knew where its message went; is it a group?"""
        target = self._receipt_target(report)
        message = self._messages.get(target) if target else None
        if message is None or message.conversation_id or not isinstance(report.news, Receipt):
            return None
        return report.news.chat_jid, message.chat_type is ChatType.GROUP

    async def _open_conversations(self) -> None:
        await self._store_groups()
        wanted: dict[tuple[UUID, str], Conversation] = {}
        for position, report in enumerate(self._reports):
            chat = self._chat_of(report, position)
            if chat is not None:
                remote_jid, is_group = chat
                wanted.setdefault(
                    (report.account_id, remote_jid),
                    self._new_conversation(report, remote_jid, is_group=is_group),
                )
        if wanted:
            self._loaded_conversations = await conversations.lock_conversations(
                self._connection, self._shard, list(wanted.values())
            )
            self._conversations = dict(self._loaded_conversations)
        await self._load_names()

    def _chat_of(self, report: Report, position: int) -> tuple[str, bool] | None:
        news = report.news
        if isinstance(news, Inbound):
            return (news.chat_jid, news.is_group) if self._is_new(position) else None
        if isinstance(news, MessageTaken):
            message = self._messages.get(news.message_id)
            if message is None:
                return None
            return news.sent.remote_jid, message.chat_type is ChatType.GROUP
        if isinstance(news, GroupSeen):
            return news.remote_jid, True
        if isinstance(news, JobEnded) and news.group is not None:
            return news.group.remote_jid, True
        return self._unplaced(report)

    def _new_conversation(self, report: Report, jid: str, *, is_group: bool) -> Conversation:
        contact = None if is_group else self._contact(report, jid)
        return Conversation(
            tenant=report.tenant,
            id=self._clock.new_id(),
            account_id=report.account_id,
            remote_jid=jid,
            status=ConversationStatus.OPEN,
            unread_count=0,
            is_group=is_group,
            created_at=self._now,
            updated_at=self._now,
            contact_id=contact.id if contact else None,
            phone_number=contact.phone_number if contact else None,
            chat_group_id=self._groups.get((report.account_id, jid)),
        )

    def _contact(self, report: Report, jid: str) -> Contact | None:
        return self._people.get(PersonKey(report.tenant.organization_id, report.network, jid))

    async def _store_groups(self) -> None:
        for report, group in self._groups_seen():
            self._groups[report.account_id, group.remote_jid] = await conversations.upsert_group(
                self._connection,
                report.tenant,
                group_id=self._clock.new_id(),
                account_id=report.account_id,
                remote_jid=group.remote_jid,
                subject=group.subject,
                owner_jid=group.owner_jid,
                participants=group.participants,
                group_created_at=group.created_at,
                at=self._now,
            )

    def _groups_seen(self) -> list[tuple[Report, GroupSeen]]:
        """Each group once, in key order, with the newest that was said of it."""
        seen: dict[tuple[Tenant, UUID, str], tuple[Report, GroupSeen]] = {}
        for report in self._reports:
            group = _group_of(report.news)
            if group is not None:
                key = (report.tenant, report.account_id, group.remote_jid)
                known = seen.get(key)
                seen[key] = (report, _joined(known[1], group) if known else group)
        return [seen[key] for key in sorted(seen)]

    async def _load_names(self) -> None:
        """Names for the records of messages whose conversation is not among the locked ones."""
        locked = {conversation.id for conversation in self._conversations.values()}
        keys = {
            (message.tenant.organization_id, message.conversation_id)
            for message in self._messages.values()
            if message.conversation_id is not None and message.conversation_id not in locked
        }
        if keys:
            self._names = await conversations.list_names(
                self._connection, self._shard, sorted(keys)
            )

    async def _load_accounts(self) -> None:
        keys = {
            (report.tenant.organization_id, report.account_id)
            for position, report in enumerate(self._reports)
            if self._changes_account(report, position)
        }
        if keys:
            self._loaded_accounts = await account_states.lock_accounts(
                self._connection, self._shard, sorted(keys)
            )
            self._accounts = dict(self._loaded_accounts)

    def _changes_account(self, report: Report, position: int) -> bool:
        news = report.news
        if isinstance(news, JobEnded):
            return news.job.kind is JobKind.SYNC_CONTACTS
        if isinstance(news, Inbound):
            return self._is_new(position)
        if isinstance(news, Receipt):
            target = self._receipt_target(report)
            message = self._messages.get(target) if target else None
            return message is not None and message.sent_at is None
        return isinstance(news, (MessageTaken, SessionState))

    # --- apply ---------------------------------------------------------------------------------

    @singledispatchmethod
    def _apply(self, news: News, report: Report, position: int) -> None:
        raise TypeError(f"no rule for {type(news).__name__}")

    @_apply.register
    def _(self, news: MessageTaken, report: Report, position: int) -> None:
        message = self._messages.get(news.message_id)
        if message is not None:
            message = self._placed(message, report, news.sent.remote_jid)
            message = replace(message, phone_number=news.sent.phone_number or message.phone_number)
            self._advance(message, MessageStatus.SENT, news.sent.sent_at)

    @_apply.register
    def _(self, news: MessageRefused, report: Report, position: int) -> None:
        message = self._messages.get(news.message_id)
        if message is not None:
            self._advance(message, MessageStatus.FAILED, self._now, reason=news.reason)

    @_apply.register
    def _(self, news: MessagePostponed, report: Report, position: int) -> None:
        message = self._messages.get(news.message_id)
        if message is not None and message.status is MessageStatus.SENDING:
            self._keep_message(
                replace(
                    message,
                    status=MessageStatus.QUEUED,
                    retry_count=message.retry_count + (1 if news.counts else 0),
                    next_attempt_at=news.next_attempt_at,
                    connected_seconds=message.connected_seconds + news.connected_seconds,
                    failure_reason=news.reason,
                )
            )

    @_apply.register
    def _(self, news: Receipt, report: Report, position: int) -> None:
        target = self._receipt_target(report)
        message = self._messages.get(target) if target else None
        if message is None:
            return
        if message.conversation_id is None:
            message = self._placed(message, report, news.chat_jid)
        self._advance(message, _RECEIPT_STATUS[news.kind], news.at, reason=news.reason)

    @_apply.register
    def _(self, news: Inbound, report: Report, position: int) -> None:
        if not self._is_new(position):
            return
        message = self._arrival(news, report, self._inbound_ids[position])
        self._arrived.append(message)
        self._counts.add(
            message.tenant.organization_id, message.created_at, message.direction, message.status
        )
        self._note_in_conversation(report, news.chat_jid, message)
        self._count_for_account(message)
        state = MessageStatus.SENT if news.from_me else MessageStatus.RECEIVED
        self.reached[state] += 1
        self._tell(message, state)

    @_apply.register
    def _(self, news: ContactSeen, report: Report, position: int) -> None:
        """Meeting the person was all."""

    @_apply.register
    def _(self, news: GroupSeen, report: Report, position: int) -> None:
        self._name_group(report, news)

    @_apply.register
    def _(self, news: JobEnded, report: Report, position: int) -> None:
        if news.group is not None:
            self._name_group(report, news.group)
        if news.job.kind is JobKind.SYNC_CONTACTS:
            account = self._accounts[report.account_id]
            synced = (news.result or {}).get("contacts", account.contacts_synced_count)
            self._accounts[report.account_id] = replace(
                account,
                contacts_synced_count=synced,
                last_contact_sync_at=self._now,
                last_contact_sync_status=news.status,
                updated_at=self._now,
            )

    @_apply.register
    def _(self, news: SessionState, report: Report, position: int) -> None:
        account = self._accounts[report.account_id]
        changed = replace(
            account,
            status=news.status,
            status_reason=news.reason,
            pairing=account_states.pairing_document(news.pairing),
            remote_jid=news.remote_jid or account.remote_jid,
            phone_number=news.phone_number or account.phone_number,
            last_connected_at=self._now
            if news.status is AccountStatus.CONNECTED
            else account.last_connected_at,
            updated_at=self._now,
        )
        self._accounts[report.account_id] = changed
        if news.secrets is not None:
            self._secrets.append((report.lease, self._encrypt(report, dict(news.secrets))))
        if changed.status is not account.status and changed.status in _REPORTED_DEVICE:
            self._makes.device(changed)

    def _encrypt(self, report: Report, secrets: dict[str, str]) -> bytes:
        plain = msgspec.json.encode(secrets)
        return self._secret_box.encrypt(
            plain, "accounts.secrets", report.tenant.organization_id, report.account_id
        )

    def _placed(self, message: Message, report: Report, jid: str) -> Message:
        """The message, now that it is known whom and which conversation it went to."""
        conversation = self._conversations[report.account_id, jid]
        contact = self._contact(report, jid)
        if contact is not None:
            phone_number = contact.phone_number or message.phone_number
        else:
            phone_number = message.phone_number
        placed = replace(
            message,
            remote_jid=jid,
            conversation_id=conversation.id,
            contact_id=contact.id if contact else message.contact_id,
            phone_number=phone_number,
        )
        self._note_in_conversation(report, jid, placed)
        return placed

    def _advance(
        self, message: Message, to: MessageStatus, at: datetime, *, reason: str | None = None
    ) -> None:
        before = self._messages[message.id]
        after, news = advance(message, to, at, reason=reason)
        if after == before:
            return
        self._keep_message(after)
        after = self._messages[message.id]
        for state in news:
            self.reached[state] += 1
            if state is MessageStatus.SENT:
                self._count_for_account(after)
            self._tell(after, state)

    def _keep_message(self, message: Message) -> None:
        self._messages[message.id] = replace(message, updated_at=self._now)

    def _tell(self, message: Message, state: MessageStatus) -> None:
        contact_name, group_name = self._names_for(message)
        self._makes.message(message, state, contact_name=contact_name, group_name=group_name)

    def _names_for(self, message: Message) -> tuple[str | None, str | None]:
        conversation = self._conversations.get((message.account_id, message.remote_jid or ""))
        if conversation is None:
            names = self._names.get(message.conversation_id) if message.conversation_id else None
            return names or (None, None)
        contact = self._contacts.get(message.contact_id) if message.contact_id else None
        name = contact.display_name if contact else conversation.display_name
        return name, conversation.group_subject

    def _arrival(self, news: Inbound, report: Report, message_id: UUID) -> Message:
        conversation = self._conversations[report.account_id, news.chat_jid]
        person = news.chat_jid if news.from_me and not news.is_group else news.sender_jid
        contact = self._contact(report, person)
        phone_number = contact.phone_number if contact else news.sender_phone_number
        replied = (
            self._ids.get((report.account_id, news.reply_to_chat_message_id))
            if news.reply_to_chat_message_id
            else None
        )
        return Message(
            tenant=report.tenant,
            id=message_id,
            seq=0,
            account_id=report.account_id,
            direction=Direction.OUTBOUND if news.from_me else Direction.INBOUND,
            status=MessageStatus.SENT if news.from_me else MessageStatus.RECEIVED,
            message_type=message_type(news.content),
            chat_type=ChatType.GROUP if news.is_group else ChatType.INDIVIDUAL,
            recipient=news.chat_jid,
            phone_number=news.chat_jid if news.is_group else (phone_number or person),
            content=news.content,
            chat_message_id=news.chat_message_id,
            created_at=self._now,
            updated_at=self._now,
            conversation_id=conversation.id,
            contact_id=contact.id if contact else None,
            remote_jid=news.chat_jid,
            sender_jid=news.sender_jid,
            reply_to_message_id=replied,
            reply_to_chat_message_id=news.reply_to_chat_message_id,
            sent_at=news.sent_at,
        )

    def _note_in_conversation(self, report: Report, jid: str, message: Message) -> None:
        key = (report.account_id, jid)
        conversation = self._conversations[key]
        inbound = message.direction is Direction.INBOUND
        closed = conversation.status in (ConversationStatus.CLOSED, ConversationStatus.SNOOZED)
        contact = None if conversation.is_group else self._contact(report, jid)
        self._conversations[key] = replace(
            conversation,
            status=ConversationStatus.OPEN if inbound and closed else conversation.status,
            unread_count=conversation.unread_count + (1 if inbound else 0),
            contact_id=contact.id if contact else conversation.contact_id,
            phone_number=(contact.phone_number if contact else None) or conversation.phone_number,
            chat_group_id=self._groups.get(key) or conversation.chat_group_id,
            last_message_preview=preview(message.content.summary),
            last_message_at=self._now,
            last_inbound_at=self._now if inbound else conversation.last_inbound_at,
            last_outbound_at=conversation.last_outbound_at if inbound else self._now,
            updated_at=self._now,
        )

    def _name_group(self, report: Report, group: GroupSeen) -> None:
        key = (report.account_id, group.remote_jid)
        self._conversations[key] = replace(
            self._conversations[key],
            chat_group_id=self._groups[key],
            group_subject=group.subject,
            updated_at=self._now,
        )

    def _count_for_account(self, message: Message) -> None:
        account = self._accounts.get(message.account_id)
        if account is None:
            return
        inbound = message.direction is Direction.INBOUND
        self._accounts[account.id] = replace(
            account,
            total_messages_sent=account.total_messages_sent + (0 if inbound else 1),
            total_messages_received=account.total_messages_received + (1 if inbound else 0),
        )

    # --- write ---------------------------------------------------------------------------------

    async def _write(self) -> set[UUID]:
        await self._write_messages()
        await self._write_conversations()
        await self._write_accounts()
        await self._write_jobs()
        webhooks = await fan_out(self._connection, self._shard, self._makes.events, self._clock)
        await move_message_counts(self._connection, self._shard, self._stripe, self._counts)
        return webhooks

    async def _write_messages(self) -> None:
        changed = [
            message
            for message in self._messages.values()
            if message is not self._loaded_messages[message.id]
        ]
        for message in changed:
            self._counts.move(
                message.tenant.organization_id,
                message.created_at,
                message.direction,
                self._loaded_messages[message.id].status,
                message.status,
            )
        if changed:
            await messages.update_messages(self._connection, self._shard, changed)
        if self._arrived:
            await messages.insert_arrived(self._connection, self._shard, self._arrived)

    async def _write_conversations(self) -> None:
        changed = [
            conversation
            for key, conversation in self._conversations.items()
            if conversation is not self._loaded_conversations[key]
        ]
        if changed:
            await conversations.update_conversations(self._connection, self._shard, changed)

    async def _write_accounts(self) -> None:
        changed = [
            account
            for account in self._accounts.values()
            if account is not self._loaded_accounts[account.id]
        ]
        if changed:
            await account_states.update_accounts(self._connection, self._shard, changed)
        for lease, encrypted in self._secrets:
            await account_states.set_secrets(
                self._connection, lease.tenant, lease.resource_id, encrypted, self._now
            )

    async def _write_jobs(self) -> None:
        for report in self._reports:
            if isinstance(report.news, JobEnded):
                news = report.news
                await jobs.finish_job(
                    self._connection,
                    news.job,
                    news.status,
                    result=self._result_of(report, news),
                    error=news.error,
                )

    def _result_of(self, report: Report, news: JobEnded) -> dict[str, object] | None:
        if news.status is not JobStatus.COMPLETED:
            return None
        result = dict(news.result or {})
        if news.group is not None:
            key = (report.account_id, news.group.remote_jid)
            result["conversation_id"] = self._conversations[key].id
        return result


def _newest_leases(reports: Sequence[Report]) -> list[Lease]:
    """Each account's lease of the highest epoch: an older one can't hold any more."""
    newest: dict[UUID, Lease] = {}
    for report in reports:
        known = newest.get(report.account_id)
        if known is None or known.epoch < report.lease.epoch:
            newest[report.account_id] = report.lease
    return sorted(newest.values(), key=lambda lease: (lease.tenant, lease.resource_id))


def _people_of_arrival(report: Report, news: Inbound) -> list[PersonSeen]:
    if news.from_me:
        if news.is_group:
            return []
        return [PersonSeen(report.tenant, report.network, news.chat_jid)]
    return [
        PersonSeen(
            report.tenant,
            report.network,
            news.sender_jid,
            news.sender_phone_number,
            None,
            news.sender_name,
        )
    ]


def _joined(earlier: GroupSeen, later: GroupSeen) -> GroupSeen:
    """What both say; the later one's word counts."""
    return replace(
        later,
        owner_jid=later.owner_jid or earlier.owner_jid,
        created_at=later.created_at or earlier.created_at,
        participants=later.participants or earlier.participants,
    )


def _group_of(news: News) -> GroupSeen | None:
    if isinstance(news, GroupSeen):
        return news
    if isinstance(news, JobEnded):
        return news.group
    if isinstance(news, Inbound) and news.is_group and news.group_subject is not None:
        return GroupSeen(news.chat_jid, news.group_subject)
    return None
