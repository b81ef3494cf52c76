"""What a batch of reports is about: as it was loaded, and as it is after the reports so far."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from heliograph.model.accounts import Account
from heliograph.model.audit import AuditEntry
from heliograph.model.contacts import Contact
from heliograph.model.conversations import Conversation
from heliograph.model.leases import Lease
from heliograph.model.messages import ChatType, Message, MessageStatus
from heliograph.networks.base import Inbound, Receipt
from heliograph.services.events import EventMaker
from heliograph.services.news import Report
from heliograph.store.contacts import PersonKey
from heliograph.store.counts import CountMoves
from heliograph.store.database import Clock

ChatKey = tuple[UUID, str]
"""An account's id and the remote JID of a chat."""


@dataclass(slots=True)
class WorkingSet:
    """The rows of one shard that `reports` concern. What is in a `loaded_…` dictionary is locked
    and as it was; its twin is as it shall be. `now` is the batch's one moment."""

    shard: int
    reports: Sequence[Report]
    clock: Clock
    now: datetime
    events: EventMaker
    counts: CountMoves = field(default_factory=CountMoves)
    reached: Counter[MessageStatus] = field(default_factory=Counter)
    people: dict[PersonKey, Contact] = field(default_factory=dict)
    contacts: dict[UUID, Contact] = field(default_factory=dict)
    ids: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    loaded_messages: dict[UUID, Message] = field(default_factory=dict)
    messages: dict[UUID, Message] = field(default_factory=dict)
    inbound_ids: dict[int, UUID] = field(default_factory=dict)
    new_ids: set[UUID] = field(default_factory=set)
    arrived: list[Message] = field(default_factory=list)
    groups: dict[ChatKey, UUID] = field(default_factory=dict)
    loaded_conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    names: dict[UUID, tuple[str | None, str | None]] = field(default_factory=dict)
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

    def is_our_own(self, report: Report, news: Inbound) -> bool:
        """An echo of what this gateway sent itself."""
        return news.from_me and (report.account_id, news.chat_message_id) in self.ids

    def is_new(self, position: int) -> bool:
        return self.inbound_ids.get(position) in self.new_ids

    def unplaced(self, report: Report) -> tuple[str, bool] | None:
        """The chat of a receipt that came before we knew where its message went; is it a group?"""
        target = self.receipt_target(report)
        message = self.messages.get(target) if target else None
        if message is None or message.conversation_id or not isinstance(report.news, Receipt):
            return None
        return report.news.chat_jid, message.chat_type is ChatType.GROUP

    def contact(self, report: Report, jid: str) -> Contact | None:
        return self.people.get(PersonKey(report.tenant.organization_id, report.network, jid))
