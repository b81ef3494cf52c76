"""What a batch of reports is about: as it was loaded, and as it is after the reports so far."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.sql import CursorKey
from heliograph.core.audit.model import AuditEntry
from heliograph.core.cluster.model import Lease
from heliograph.core.contacts.model import Contact
from heliograph.core.contacts.sql import AddressKey
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.model import Conversation
from heliograph.core.ingest.outcomes import MessageTaken, Report
from heliograph.core.messages.counts_sql import CountChanges
from heliograph.core.messages.model import ChatType, Message, MessageStatus, Names, Sender
from heliograph.networks.content import Button, Content
from heliograph.networks.port import Changed, Inbound, Receipt
from heliograph.platform.database.pool import Clock

ChatKey = tuple[UUID, str]
"""An account's id and the remote JID of a chat."""


class Press(NamedTuple):
    """A button that a text has turned out to mean, and the message that it belongs to."""

    button: Button
    message_id: UUID
    chat_message_id: str


ArrivalKey = tuple[UUID, str, str, str]
"""By which a message that arrived is known again: account, chat, sender, the network's id."""


def changed_keys(report: Report, news: Changed) -> list[ArrivalKey]:
    """The message that a change means, should it be one that arrived: as it is known today, and
    under the addresses that its chat and its sender had before."""
    chats, senders = (
        [jid, *([news.earlier_jids[jid]] if jid in news.earlier_jids else [])]
        for jid in (news.chat_jid, news.message_sender_jid)
    )
    return [
        (report.account_id, chat, sender, news.chat_message_id)
        for chat in chats
        for sender in senders
    ]


@dataclass(slots=True)
class WorkingSet:
    """The rows of one shard that `reports` concern. What is in a `loaded_…` dictionary is locked
    and as it was; its twin is as it shall be. `now` is the batch's one moment; `troubled` are the
    messages that failed or are tried again."""

    shard: int
    reports: Sequence[Report]
    clock: Clock
    now: datetime
    events: EventBuilder
    counts: CountChanges = field(default_factory=CountChanges)
    reached: Counter[MessageStatus] = field(default_factory=Counter)
    troubled: list[Message] = field(default_factory=list)
    pressed: dict[int, Press] = field(default_factory=dict)
    cursors: dict[CursorKey, str | None] = field(default_factory=dict)
    people: dict[AddressKey, Contact] = field(default_factory=dict)
    contacts: dict[UUID, Contact] = field(default_factory=dict)
    ids: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    loaded_messages: dict[UUID, Message] = field(default_factory=dict)
    messages: dict[UUID, Message] = field(default_factory=dict)
    inbound_ids: dict[int, UUID] = field(default_factory=dict)
    new_ids: set[UUID] = field(default_factory=set)
    arrived: list[Message] = field(default_factory=list)
    arrived_before: dict[ArrivalKey, UUID] = field(default_factory=dict)
    edited: dict[UUID, Content] = field(default_factory=dict)
    groups: dict[ChatKey, UUID] = field(default_factory=dict)
    loaded_conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    names: dict[UUID, Names] = field(default_factory=dict)
    senders: dict[UUID, Sender] = field(default_factory=dict)
    loaded_accounts: dict[UUID, Account] = field(default_factory=dict)
    accounts: dict[UUID, Account] = field(default_factory=dict)
    secrets: list[tuple[Lease, bytes]] = field(default_factory=list)
    audit: list[AuditEntry] = field(default_factory=list)

    def keeps_content(self, account_id: UUID) -> bool:
        """Whether what messages of the account say is kept after they were sent or received."""
        account = self.accounts.get(account_id)
        return account is None or account.message_logging_enabled

    def receipt_target(self, report: Report) -> UUID | None:
        if not isinstance(report.news, Receipt):
            return None
        return self.ids.get((report.account_id, report.news.chat_message_id))

    def receipt_message(self, report: Report) -> Message | None:
        """The loaded message that a receipt is of, if it counts for that."""
        news, target = report.news, self.receipt_target(report)
        message = self.messages.get(target) if target else None
        if message is None or not isinstance(news, Receipt):
            return None
        is_of_chat = news.chat_jid == (message.remote_jid or message.recipient)
        return message if is_of_chat or not news.only_of_chat else None

    def changed_target(self, report: Report) -> UUID | None:
        """The stored message that a change means: one of ours, or one that arrived."""
        news = report.news
        if not isinstance(news, Changed):
            return None
        for key in changed_keys(report, news):
            if key in self.arrived_before:
                return self.arrived_before[key]
        return self.ids.get((report.account_id, news.chat_message_id))

    def sent_message(self, news: MessageTaken) -> Message | None:
        """The loaded message that the network has taken, in the kind of chat that it went to."""
        message = self.messages.get(news.message_id)
        if message is None or news.sent.is_group is None:
            return message
        chat_type = ChatType.GROUP if news.sent.is_group else ChatType.INDIVIDUAL
        return replace(message, chat_type=chat_type)

    def is_our_own(self, report: Report, news: Inbound) -> bool:
        """An echo of what this gateway sent itself."""
        return news.from_me and (report.account_id, news.chat_message_id) in self.ids

    def is_new(self, position: int) -> bool:
        return self.inbound_ids.get(position) in self.new_ids

    def unplaced(self, report: Report) -> tuple[str, bool] | None:
        """The chat of a receipt that came before we knew where its message went; is it a group?"""
        message = self.receipt_message(report)
        if message is None or message.remote_jid or not isinstance(report.news, Receipt):
            return None
        return report.news.chat_jid, message.chat_type is ChatType.GROUP

    def contact(self, report: Report, jid: str) -> Contact | None:
        return self.people.get(AddressKey(report.tenant.organization_id, report.network, jid))
