"""Locks and loads the rows that a batch of reports concerns, in key order: messages, contacts,
conversations, accounts."""

from datetime import UTC, datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.accounts import sql as accounts_sql
from heliograph.core.cluster.model import Lease
from heliograph.core.contacts.model import Contact
from heliograph.core.contacts.resolve import ObservedPerson, resolve_contacts
from heliograph.core.inbox import conversations_sql
from heliograph.core.inbox.conversations_sql import ConversationKey
from heliograph.core.inbox.model import Conversation, ConversationStatus
from heliograph.core.ingest.groups import store_groups
from heliograph.core.ingest.model import (
    ArrivalKey,
    ChangeRefused,
    ChangeTaken,
    JobEnded,
    MessagePostponed,
    MessageRefused,
    MessageTaken,
    Report,
    WorkingSet,
    arrival_key,
    changed_keys,
    read_keys,
)
from heliograph.core.ingest.presses import find_press, latest_question_time
from heliograph.core.ingest.reads import mark_read_elsewhere
from heliograph.core.jobs.model import JobKind
from heliograph.core.jobs.sql import list_running
from heliograph.core.labels.sql import list_labels_of_one
from heliograph.core.messages import sql as messages_sql
from heliograph.core.messages.edits.sql import end_changes
from heliograph.core.messages.lists.names_sql import list_senders
from heliograph.core.messages.model import ChatType, Direction
from heliograph.core.messages.read_marks_sql import count_unread
from heliograph.core.messages.sql import list_questions
from heliograph.networks import port
from heliograph.platform.database.pool import Connection

EARLIEST = datetime.min.replace(tzinfo=UTC)


class WorkingSetLoader:
    """Fills the working set, within the batch's transaction."""

    def __init__(self, connection: Connection, working_set: WorkingSet) -> None:
        self._connection = connection
        self._set = working_set
        self._merged: dict[UUID, Contact] = {}

    async def load(self) -> None:
        """Load all rows that the reports concern, and lock them until the transaction ends."""
        await self._load_jobs()
        await self._list_network_ids()
        await self._insert_arrival_keys()
        await self._list_arrived_before()
        self._tell_what_changes_nothing()
        await self._load_messages()
        await self._resolve_contacts()
        await self._open_conversations()
        await self._count_unread()
        await self._look_for_presses()
        await self._load_accounts()

    async def _load_jobs(self) -> None:
        """Find the jobs that end now: an earlier try, whose answer was lost, may have ended
        them."""
        events = [report.event for report in self._set.reports]
        jobs = [event.job for event in events if isinstance(event, JobEnded)]
        if jobs:
            self._set.running_jobs = await list_running(self._connection, self._set.shards, jobs)

    async def _list_network_ids(self) -> None:
        """Find our messages that the reports name."""
        network_ids = {
            (lease.tenant.organization_id, lease.resource_id, chat_message_id)
            for lease, chat_message_id in self._mentioned_network_ids()
        }
        if network_ids:
            self._set.ids = await messages_sql.list_ids_by_network_id(
                self._connection, self._set.shards, sorted(network_ids)
            )

    async def _load_messages(self) -> None:
        """Load the messages that the reports concern, after marking what was read on other
        devices."""
        ended = [
            report.event.change
            for report in self._set.reports
            if isinstance(report.event, (ChangeTaken, ChangeRefused))
        ]
        if ended:
            self._set.ended_changes = await end_changes(self._connection, self._set.shards, ended)
        keys = self._message_keys()
        await mark_read_elsewhere(self._connection, self._set, keys)
        if keys:
            self._set.loaded_messages = await messages_sql.lock_messages(
                self._connection, self._set.shards, sorted(keys)
            )
            self._set.messages = dict(self._set.loaded_messages)

    def _message_keys(self) -> set[tuple[UUID, UUID]]:
        keys = set()
        for position, report in enumerate(self._set.reports):
            event = report.event
            ids = [
                self._set.receipt_target(report),
                self._set.changed_target(report),
                self._set.arrived_target(report, position),
            ]
            if isinstance(event, (MessageTaken, MessageRefused, MessagePostponed)):
                ids.append(event.message_id)
            elif isinstance(event, (ChangeTaken, ChangeRefused)):
                ids.append(event.change.message_id)
            keys |= {(report.tenant.organization_id, id_) for id_ in ids if id_ is not None}
        return keys

    async def _list_arrived_before(self) -> None:
        """Find the inbound messages that are stored already: those that somebody changed, that
        arrive again, or that the owner has read."""
        keys = {
            (report.tenant.organization_id, *key)
            for position, report in enumerate(self._set.reports)
            for key in self._keys_of_earlier(report, position)
        }
        if keys:
            found = await messages_sql.list_ids_by_inbound_key(
                self._connection, self._set.shards, sorted(keys)
            )
            new = self._set.new_ids
            self._set.arrived_before = {key: id_ for key, id_ in found.items() if id_ not in new}

    def _tell_what_changes_nothing(self) -> None:
        """Treat an edit as a new message if the message that it changes is unknown."""
        arrived: set[ArrivalKey] = set()
        reports = list(self._set.reports)
        for position, report in enumerate(reports):
            event = report.event
            if isinstance(event, port.Changed) and event.otherwise and self._set.is_new(position):
                is_here = not arrived.isdisjoint(changed_keys(report, event))
                if not is_here and self._set.changed_target(report) is None:
                    event = event.otherwise
                    reports[position] = replace(report, event=event)
            if isinstance(event, port.Inbound):
                arrived.add(arrival_key(report, event))
        self._set.reports = reports

    def _keys_of_earlier(self, report: Report, position: int) -> list[ArrivalKey]:
        event = report.event
        if isinstance(event, port.Changed):
            return changed_keys(report, event)
        if isinstance(event, port.Inbound) and self._set.is_repeated(position):
            return [arrival_key(report, event)]
        return read_keys(report, event) if isinstance(event, port.ReadElsewhere) else []

    def _mentioned_network_ids(self) -> list[tuple[Lease, str]]:
        mentioned = []
        for report in self._set.reports:
            if isinstance(report.event, (port.Receipt, port.Changed)):
                mentioned.append((report.lease, report.event.chat_message_id))
            elif isinstance(report.event, port.Inbound):
                if report.event.from_me:
                    mentioned.append((report.lease, report.event.chat_message_id))
                if report.event.reply_to_chat_message_id:
                    mentioned.append((report.lease, report.event.reply_to_chat_message_id))
        return mentioned

    async def _insert_arrival_keys(self) -> None:
        """Insert the keys of inbound messages. Those with an existing key are not new."""
        keys = []
        for position, report in enumerate(self._set.reports):
            key = self._arrival_key(report)
            if key is not None:
                self._set.inbound_ids[position] = self._set.clock.new_id()
                keys.append((report.lease, *key, self._set.inbound_ids[position]))
        if keys:
            self._set.new_ids = await messages_sql.insert_inbound_keys(
                self._connection, self._set.shards, keys, self._set.now
            )

    def _arrival_key(self, report: Report) -> tuple[str, str, str] | None:
        """Return the key of an inbound message, or of a change of one."""
        event = report.event
        if isinstance(event, port.Changed):
            return event.chat_jid, event.sender_jid, event.change_id
        if isinstance(event, port.Inbound) and not self._set.is_our_own(report, event):
            return event.chat_jid, event.sender_jid, event.chat_message_id
        return None

    async def _resolve_contacts(self) -> None:
        seen = [
            person
            for position, report in enumerate(self._set.reports)
            for person in self._people_of(report, position)
        ]
        resolved = await resolve_contacts(self._connection, self._set.shards, seen, self._set.clock)
        self._set.contacts_by_address = resolved.contacts
        self._set.contacts = {contact.id: contact for contact in resolved.contacts.values()}
        self._set.updated_contacts = resolved.updated
        self._merged = resolved.merged

    def _people_of(self, report: Report, position: int) -> list[ObservedPerson]:
        event, tenant, network = report.event, report.tenant, report.network
        if isinstance(event, port.ContactSeen):
            return [
                ObservedPerson(
                    tenant,
                    network,
                    event.remote_jid,
                    event.phone_number,
                    event.name,
                    event.chat_name,
                    event.if_known,
                )
            ]
        if isinstance(event, port.Inbound) and self._set.is_new(position):
            return _people_of_arrival(report, event)
        if isinstance(event, MessageTaken):
            message = self._set.sent_message(event)
            if message is None or message.chat_type is ChatType.GROUP:
                return []
            sent = event.sent
            return [
                ObservedPerson(
                    tenant,
                    network,
                    sent.remote_jid,
                    sent.phone_number,
                    sent.contact_name,
                    sent.chat_name,
                )
            ]
        if isinstance(event, MessageRefused):
            message = self._set.messages.get(event.message_id)
            if message is None or message.chat_type is ChatType.GROUP:
                return []
            return [ObservedPerson(tenant, network, message.recipient, if_known=True)]
        if (chat := self._set.chat_of_early_receipt(report)) and not chat[1]:
            return [ObservedPerson(tenant, network, chat[0], self._number_at(report, chat[0]))]
        return []

    def _number_at(self, report: Report, jid: str) -> str | None:
        """Return the phone number that the message of a receipt was sent to, if its address is made
        of it; the network has not reported one."""
        message = self._set.receipt_message(report)
        number = message.phone_number if message else None
        return number if number == f"+{jid.partition('@')[0]}" else None

    async def _count_unread(self) -> None:
        """Count the remaining unread messages in those chats, with the conversations locked."""
        for chat in self._set.read_ids:
            if (conversation := self._set.loaded_conversations.get(chat)) is not None:
                self._set.stored_unread[chat] = await count_unread(
                    self._connection, conversation.tenant, conversation.id
                )

    async def _open_conversations(self) -> None:
        await store_groups(self._connection, self._set)
        wanted: dict[tuple[UUID, str], Conversation] = {}
        for position, report in enumerate(self._set.reports):
            chat = self._chat_of(report, position)
            if chat is not None:
                remote_jid, is_group = chat
                wanted.setdefault(
                    (report.account_id, remote_jid),
                    self._new_conversation(report, remote_jid, is_group=is_group),
                )
        known = [
            *await self._list_to_move(),
            *await self._list_of_rewritten(),
            *await self._list_of_read(),
        ]
        if wanted or known:
            self._set.loaded_conversations = await conversations_sql.lock_conversations(
                self._connection,
                self._set.shards,
                list(wanted.values()),
                known,
                self._set.places,
            )
            self._set.conversations = {
                key: self._moved(conversation)
                for key, conversation in self._set.loaded_conversations.items()
            }
        await self._load_labels_of_renamed()
        await self._find_conversations_of_refused()
        await self._load_names()

    async def _load_labels_of_renamed(self) -> None:
        """Load the labels that the events of renamed groups show."""
        for key in self._set.renamed_groups.keys() & self._set.conversations.keys():
            found = self._set.conversations[key]
            labels = await list_labels_of_one(self._connection, found.tenant, found.id)
            self._set.conversations[key] = replace(found, labels=labels)

    async def _find_conversations_of_refused(self) -> None:
        """Find the conversations of refused messages that were addressed by number. A refused
        message begins none."""
        keys: set[ConversationKey] = set()
        for report in self._set.reports:
            if isinstance(report.event, MessageRefused):
                message = self._set.messages.get(report.event.message_id)
                if message is not None and message.conversation_id is None:
                    keys.add((report.tenant.organization_id, report.account_id, message.recipient))
        if keys:
            self._set.conversations_of_refused = await conversations_sql.list_ids_at(
                self._connection, self._set.shards, keys
            )

    async def _list_to_move(self) -> list[ConversationKey]:
        """List the conversations with contacts that were merged into others."""
        if not self._merged:
            return []
        gone = [(keep.tenant.organization_id, drop) for drop, keep in self._merged.items()]
        return await conversations_sql.list_keys_of_contacts(
            self._connection, self._set.shards, sorted(gone)
        )

    async def _list_of_rewritten(self) -> list[ConversationKey]:
        """List the conversations whose previews may show a message that is edited or deleted."""
        keys = set()
        for position, report in enumerate(self._set.reports):
            message = self._set.rewritten_message(report, position)
            if message is not None and message.conversation_id is not None:
                keys.add((report.tenant.organization_id, message.conversation_id))
        if not keys:
            return []
        return await conversations_sql.list_keys(self._connection, self._set.shards, sorted(keys))

    async def _list_of_read(self) -> list[ConversationKey]:
        """List the conversations that were read on another device."""
        return [
            (report.tenant.organization_id, report.account_id, report.event.chat_jid)
            for report in self._set.reports
            if isinstance(report.event, port.ReadElsewhere)
            and (report.account_id, report.event.chat_jid) in self._set.read_ids
        ]

    def _moved(self, conversation: Conversation) -> Conversation:
        keep = self._merged.get(conversation.contact_id) if conversation.contact_id else None
        if keep is None:
            return conversation
        return replace(conversation, contact_id=keep.id, updated_at=self._set.now)

    def _chat_of(self, report: Report, position: int) -> tuple[str, bool] | None:
        event = report.event
        if isinstance(event, port.Inbound):
            return (event.chat_jid, event.is_group) if self._set.is_new(position) else None
        if isinstance(event, MessageTaken):
            message = self._set.sent_message(event)
            if message is None:
                return None
            return event.sent.remote_jid, message.chat_type is ChatType.GROUP
        if isinstance(event, port.GroupSeen):
            return event.remote_jid, True
        if isinstance(event, JobEnded) and event.group is not None:
            return event.group.remote_jid, True
        return self._set.chat_of_early_receipt(report)

    def _new_conversation(self, report: Report, jid: str, *, is_group: bool) -> Conversation:
        contact = None if is_group else self._set.contact(report, jid)
        return Conversation(
            tenant=report.tenant,
            id=self._set.clock.new_id(),
            account_id=report.account_id,
            remote_jid=jid,
            status=ConversationStatus.OPEN,
            unread_count=0,
            is_group=is_group,
            created_at=self._set.now,
            updated_at=self._set.now,
            contact_id=contact.id if contact else None,
            phone_number=contact.phone_number if contact else None,
            chat_group_id=self._set.groups.get((report.account_id, jid)),
        )

    async def _look_for_presses(self) -> None:
        """Find the texts that choose an answer of one of our last questions in their chat."""
        texts: dict[int, tuple[port.Inbound, Conversation]] = {}
        for position, report in enumerate(self._set.reports):
            event = report.event
            if isinstance(event, port.Inbound) and event.may_press and self._set.is_new(position):
                conversation = self._set.conversations[report.account_id, event.chat_jid]
                texts[position] = (event, conversation)
        if not texts:
            return
        asked: dict[tuple[UUID, UUID], datetime] = {}
        for event, chat in texts.values():
            key = (chat.tenant.organization_id, chat.id)
            asked[key] = max(asked.get(key, EARLIEST), latest_question_time(event))
        questions = await list_questions(self._connection, self._set.shards, asked)
        for position, (event, chat) in texts.items():
            press = find_press(questions.get(chat.id, []), event)
            if press is not None:
                self._set.pressed[position] = press

    async def _load_names(self) -> None:
        """Load names for messages whose conversation is not among the locked ones."""
        locked = {conversation.id for conversation in self._set.conversations.values()}
        keys = {
            (message.tenant.organization_id, message.conversation_id)
            for message in self._set.messages.values()
            if message.conversation_id is not None and message.conversation_id not in locked
        }
        if keys:
            self._set.names = await conversations_sql.list_names(
                self._connection, self._set.shards, sorted(keys), self._set.places
            )
        await self._load_senders()

    async def _load_senders(self) -> None:
        """Load the authors of the messages that were changed in groups."""
        keys = {
            (message.tenant.organization_id, message.id)
            for message in self._set.messages.values()
            if message.chat_type is ChatType.GROUP
            and message.direction is Direction.INBOUND
            and message.contact_id not in self._set.contacts
        }
        if keys:
            self._set.senders = await list_senders(self._connection, self._set.shards, sorted(keys))

    async def _load_accounts(self) -> None:
        keys = {
            (report.tenant.organization_id, report.account_id)
            for position, report in enumerate(self._set.reports)
            if self._changes_account(report, position)
        }
        if keys:
            shows_totals = any(
                isinstance(report.event, (port.SessionState, port.Restricted, port.Unrestricted))
                for report in self._set.reports
            )
            lock = accounts_sql.lock_accounts if shows_totals else accounts_sql.lock_to_count
            self._set.loaded_accounts = await lock(self._connection, self._set.shards, sorted(keys))
            self._set.accounts = dict(self._set.loaded_accounts)

    def _changes_account(self, report: Report, position: int) -> bool:
        event = report.event
        if self._set.rewritten_message(report, position) is not None:
            return True  # the account decides whether contents are kept
        if isinstance(event, JobEnded):
            return event.job.kind is JobKind.SYNC_CONTACTS
        if isinstance(event, port.Inbound):
            return self._set.is_new(position)
        if isinstance(event, port.Receipt):
            message = self._set.receipt_message(report)
            return message is not None and message.sent_at is None
        return isinstance(
            event,
            (MessageTaken, MessageRefused, port.SessionState, port.Restricted, port.Unrestricted),
        )


def _people_of_arrival(report: Report, event: port.Inbound) -> list[ObservedPerson]:
    if event.from_me:
        if event.is_group:
            return []
        return [ObservedPerson(report.tenant, report.network, event.chat_jid)]
    return [
        ObservedPerson(
            report.tenant,
            report.network,
            event.sender_jid,
            event.sender_phone_number,
            None,
            event.sender_name,
        )
    ]
