"""The effect of each kind of reported event, applied to a working set one report after another."""

from collections.abc import Sequence
from datetime import datetime
from functools import singledispatchmethod
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.accounts.model import Account, Restriction, reason_in_a_row
from heliograph.core.accounts.secrets import seal_secrets
from heliograph.core.accounts.serializers import add_device_event, add_restriction_event
from heliograph.core.accounts.states import change_state
from heliograph.core.audit.model import NETWORK, AuditAction, AuditEntry
from heliograph.core.contacts.events import add_synced_event
from heliograph.core.contacts.model import Contact
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.inbox.model import Conversation, ConversationStatus
from heliograph.core.ingest.completion import completed, media_type_of
from heliograph.core.ingest.groups import add_renamed_groups
from heliograph.core.ingest.model import (
    ArrivalKey,
    ChangePostponed,
    ChangeRefused,
    ChangeTaken,
    JobEnded,
    MessagePostponed,
    MessageRefused,
    MessageTaken,
    PressByText,
    ReadMark,
    Report,
    ReportedEvent,
    WorkingSet,
    arrival_key,
    changed_keys,
)
from heliograph.core.ingest.received_files import received_file
from heliograph.core.jobs.model import JobKind
from heliograph.core.messages.events import (
    add_change_event,
    add_failed_change_event,
    add_status_event,
)
from heliograph.core.messages.model import (
    BEFORE_SENT,
    NO_NAMES,
    PHONE,
    AppliedChange,
    Attempt,
    ChatType,
    Direction,
    Message,
    MessageStatus,
    Names,
    Sender,
    advance,
    apply_change,
)
from heliograph.core.messages.serializers import RenewLink, preview
from heliograph.core.messages.spans import begin_arrival, begin_record
from heliograph.networks import port
from heliograph.networks.content import message_type
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.telemetry.tracing import Span

_RECEIPT_STATUS = {
    "sent": MessageStatus.SENT,
    "delivered": MessageStatus.DELIVERED,
    "read": MessageStatus.READ,
    "failed": MessageStatus.FAILED,
}


class ReportRules:
    """Applies reports to a working set."""

    def __init__(self, working_set: WorkingSet, secret_box: SecretBox, renew: RenewLink) -> None:
        self._set = working_set
        self._secret_box = secret_box
        self._renew = renew

    def apply_all(self) -> None:
        """Apply every report, in order."""
        for position, report in enumerate(self._set.reports):
            self._apply(report.event, report, position)
        add_renamed_groups(self._set)

    @singledispatchmethod
    def _apply(self, event: ReportedEvent, report: Report, position: int) -> None:
        raise TypeError(f"no rule for {type(event).__name__}")

    @_apply.register
    def _(self, event: MessageTaken, report: Report, position: int) -> None:
        message = self._set.sent_message(event)
        if message is not None:
            if message.conversation_id is None:
                self._record_new_chat(report)
            message = self._with_destination(message, report, event.sent.remote_jid)
            if message.chat_type is ChatType.INDIVIDUAL and event.sent.phone_number:
                message = replace(message, phone_number=event.sent.phone_number)
            self._advance(message, MessageStatus.SENT, event.sent.sent_at)

    @_apply.register
    def _(self, event: MessageRefused, report: Report, position: int) -> None:
        message = self._set.messages.get(event.message_id)
        if message is not None and message.status in BEFORE_SENT:
            contact = self._set.contact(report, message.recipient)
            if contact is not None:
                message = replace(message, contact_id=contact.id)
            there = self._set.conversations_of_refused.get((report.account_id, message.recipient))
            message = replace(
                message,
                conversation_id=message.conversation_id or there,
                in_doubt=message.in_doubt or not event.certain,
            )
            self._advance(message, MessageStatus.FAILED, self._set.now, reason=event.reason)
            if not event.certain:
                self._keep_attempt(message, event)

    @_apply.register
    def _(self, event: MessagePostponed, report: Report, position: int) -> None:
        message = self._set.messages.get(event.message_id)
        if message is None or message.status is not MessageStatus.SENDING:
            return
        postponed = replace(
            message,
            status=MessageStatus.QUEUED,
            retry_count=message.retry_count + (1 if event.is_attempt else 0),
            next_attempt_at=event.next_attempt_at,
            connected_seconds=message.connected_seconds + event.connected_seconds,
            failure_reason=event.reason or message.failure_reason,
            in_doubt=message.in_doubt or not event.certain,
        )
        self._keep_message(postponed)
        if event.is_attempt:
            self._set.failed_attempts.append(postponed)
            self._keep_attempt(message, event)

    def _keep_attempt(self, message: Message, event: MessageRefused | MessagePostponed) -> None:
        attempt = Attempt(self._set.now, event.reason, event.certain)
        self._set.attempts.append((message.tenant.organization_id, message.id, attempt))

    @_apply.register
    def _(self, event: port.Receipt, report: Report, position: int) -> None:
        message = self._set.receipt_message(report)
        if message is None:
            return
        if message.remote_jid is None:
            message = self._with_destination(message, report, event.chat_jid)
        self._advance(message, _RECEIPT_STATUS[event.kind], event.at, reason=event.reason)

    @_apply.register
    def _(self, event: port.Inbound, report: Report, position: int) -> None:
        if not self._set.is_new(position):
            self._complete(event, report, position)
            return
        message = self._arrival(event, report, self._set.inbound_ids[position])
        if press := self._set.pressed.get(position):
            message = _as_press(message, press)
        self._set.arrived.append(message)
        if (file := received_file(message, event)) is not None:
            self._set.received_files.append(file)
        self._set.counts.add(
            message.tenant.organization_id,
            message.account_id,
            message.created_at,
            message.direction,
            message.status,
        )
        self._record_in_conversation(report, event.chat_jid, message)
        self._release(
            self._set.conversations[report.account_id, event.chat_jid],
            self._set.accounts[report.account_id],
        )
        self._count_for_account(message)
        if event.from_me:
            self._read_elsewhere(self._set.read_marks[position])
        state = MessageStatus.SENT if event.from_me else MessageStatus.RECEIVED
        self._set.reached[state] += 1
        if self._set.tracer.is_on:
            span = begin_arrival(self._set.tracer, message, report.network, self._set.began)
            message = self._below(message, span)
        self._report_state(message, state)

    def _complete(self, event: port.Inbound, report: Report, position: int) -> None:
        """Fill in a message that was reported before it could be read."""
        message = self._find_arrived(event, report, position)
        after = message and completed(message, event, self._replied(event, report))
        if message and after:
            change = AppliedChange("edited", event.sender_jid, self._set.now, event.content)
            self._put_changed(message, after, change)

    def _find_arrived(self, event: port.Inbound, report: Report, position: int) -> Message | None:
        """Find the message that has arrived again; its first arrival may be in this batch."""
        target = self._set.arrived_target(report, position)
        if target is not None:
            return self._set.messages.get(target)
        if not self._set.is_repeated(position):  # an echo of a message that this gateway sent
            return None
        return self._find_in_batch([arrival_key(report, event)])

    @_apply.register
    def _(self, event: port.ReadElsewhere, report: Report, position: int) -> None:
        key = (report.account_id, event.chat_jid)
        before = self._set.conversations.get(key)
        if before is not None:
            self._read_elsewhere(self._set.read_marks[position])
            after = self._set.conversations[key]
            add_conversation_event(self._set.events, before, after, None)

    @_apply.register
    def _(self, event: port.Cursor, report: Report, position: int) -> None:
        key = (report.tenant.organization_id, report.account_id, event.chat_jid)
        self._set.cursors[key] = event.position

    @_apply.register
    def _(self, event: port.Changed, report: Report, position: int) -> None:
        message = self._find_changed(report, event) if self._set.is_new(position) else None
        if message is not None:
            self._change(
                message,
                AppliedChange(
                    event.kind, event.sender_jid, event.at, event.content, event.emoji or ""
                ),
            )

    @_apply.register
    def _(self, event: ChangeTaken, report: Report, position: int) -> None:
        change, message = event.change, self._set.ended_message(event.change)
        if message is not None:
            content, emoji = change.content, change.emoji
            self._change(
                message, AppliedChange(change.kind, None, event.at, content, emoji, change.id)
            )

    @_apply.register
    def _(self, event: ChangeRefused, report: Report, position: int) -> None:
        message = self._set.ended_message(event.change)
        if message is not None:
            names = self._names_for(message)
            add_failed_change_event(
                self._set.events, self._renew(message), event.change, event.reason, names
            )

    @_apply.register
    def _(self, event: ChangePostponed, report: Report, position: int) -> None:
        """Do nothing: only the change's own row is written."""

    @_apply.register
    def _(self, event: port.ContactSeen, report: Report, position: int) -> None:
        """Do nothing: the contact was resolved when the batch was loaded."""

    @_apply.register
    def _(self, event: port.GroupSeen, report: Report, position: int) -> None:
        self._name_group(report, event)

    @_apply.register
    def _(self, event: JobEnded, report: Report, position: int) -> None:
        if event.group is not None:
            self._name_group(report, event.group)
        if event.job.kind is JobKind.SYNC_CONTACTS and event.job.id in self._set.running_jobs:
            add_synced_event(
                self._set.events,
                event.job,
                event.status,
                event.result,
                event.error,
                self._set.now,
            )
            account = self._set.accounts[report.account_id]
            synced = (event.result or {}).get("contacts", account.contacts_synced_count)
            self._set.accounts[report.account_id] = replace(
                account,
                contacts_synced_count=synced,
                last_contact_sync_at=self._set.now,
                last_contact_sync_status=event.status,
                updated_at=self._set.now,
            )

    @_apply.register
    def _(self, event: port.SessionState, report: Report, position: int) -> None:
        account = self._set.accounts[report.account_id]
        changed, is_told = change_state(account, event, self._set.now)
        self._set.accounts[report.account_id] = changed
        if event.secrets is not None:
            sealed = seal_secrets(self._secret_box, report.tenant, report.account_id, event.secrets)
            self._set.secrets.append((report.lease, sealed))
        if is_told:
            add_device_event(self._set.events, self._set.totals.added_to(changed))
        self._record_pairing(account, changed)

    @_apply.register
    def _(self, event: port.Restricted, report: Report, position: int) -> None:
        account = self._set.accounts[report.account_id]
        in_a_row = account.restrictions_in_a_row + 1 if event.is_guess else 0
        reason = reason_in_a_row(event.reason, in_a_row)
        restriction = Restriction(event.kind, event.until, reason)
        known = account.restriction
        if known is None or (known.kind, known.until) != (event.kind, event.until):
            self._restrict(report, restriction, reason, in_a_row)

    @_apply.register
    def _(self, event: port.Unrestricted, report: Report, position: int) -> None:
        if self._set.accounts[report.account_id].restriction is not None:
            self._restrict(report, None, "The network has lifted the restriction.")

    def _restrict(
        self, report: Report, restriction: Restriction | None, reason: str, in_a_row: int = 0
    ) -> None:
        account = self._set.accounts[report.account_id]
        if account.restriction is not None:
            self._set.lapsed.append(account)
        changed = replace(
            account,
            restriction=restriction,
            restrictions_in_a_row=in_a_row,
            updated_at=self._set.now,
        )
        self._set.accounts[account.id] = changed
        add_restriction_event(self._set.events, self._set.totals.added_to(changed), reason)

    def _record_new_chat(self, report: Report) -> None:
        """Record that the network lets the account begin chats."""
        account = self._set.accounts.get(report.account_id)
        if account and account.restrictions_in_a_row and account.restriction is None:
            self._set.accounts[account.id] = replace(account, restrictions_in_a_row=0)

    def _release(self, conversation: Conversation, account: Account) -> None:
        """Release the messages that a restriction holds in this chat: it is no longer a new
        conversation."""
        if account.restriction is not None:
            self._set.released.add(
                (
                    account.tenant.organization_id,
                    account.id,
                    conversation.contact_id,
                    conversation.remote_jid,
                    account.restriction.until,
                )
            )

    def _record_pairing(self, before: Account, after: Account) -> None:
        is_paired = after.remote_jid is not None and before.remote_jid is None
        is_logged_out = after.status is port.AccountStatus.LOGGED_OUT is not before.status
        if not (is_paired or is_logged_out):
            return
        action = AuditAction.ACCOUNT_PAIRED if is_paired else AuditAction.ACCOUNT_LOGGED_OUT
        details = {"remote_jid": after.remote_jid, "reason": after.status_reason}
        self._set.audit.append(
            AuditEntry(
                tenant=after.tenant,
                id=self._set.clock.new_id(),
                actor=NETWORK,
                action=action,
                subject=str(after.id),
                details={name: value for name, value in details.items() if value is not None},
                created_at=self._set.now,
            )
        )

    def _with_destination(self, message: Message, report: Report, jid: str) -> Message:
        """Return the message with the contact and conversation at the JID that the network
        named."""
        conversation = self._set.conversations[report.account_id, jid]
        contact = self._set.contact(report, jid)
        phone_number = (contact.phone_number if contact else None) or message.phone_number
        placed = replace(
            message,
            remote_jid=jid,
            conversation_id=conversation.id,
            contact_id=contact.id if contact else message.contact_id,
            phone_number=jid if message.chat_type is ChatType.GROUP else phone_number,
        )
        self._record_in_conversation(report, jid, placed)
        return placed

    def _advance(
        self, message: Message, to: MessageStatus, at: datetime, *, reason: str | None = None
    ) -> None:
        before = self._set.messages[message.id]
        after, states = advance(message, to, at, reason=reason)
        if after == before:
            return
        self._keep_message(after)
        after = self._set.messages[message.id]
        for state in states:
            self._set.reached[state] += 1
            if state is MessageStatus.SENT:
                self._count_for_account(after)
            elif state is MessageStatus.FAILED:
                self._set.failed_attempts.append(after)
            self._report_state(self._traced(after, state), state)

    def _keep_message(self, message: Message) -> None:
        self._set.messages[message.id] = replace(message, updated_at=self._set.now)

    def _traced(self, message: Message, state: MessageStatus) -> Message:
        """Return the message for its status event, with the trace context of a new span."""
        if message.trace_context is None:
            return message
        return self._below(message, begin_record(self._set.tracer, message, state, self._set.began))

    def _below(self, message: Message, span: Span) -> Message:
        """Return the message for an event whose trace continues from `span`, if that is
        recorded."""
        if span.context is None:
            return message
        self._set.spans.append(span)
        return replace(message, trace_context=span.context)

    def _report_state(self, message: Message, state: MessageStatus) -> None:
        names = self._names_for(message)
        add_status_event(self._set.events, self._renew(message), state, names)

    def _names_for(self, message: Message) -> Names:
        contact = self._contact_of(message)
        known = contact.display_name if contact else None
        sender = self._sender_of(message)
        conversation = self._set.conversations.get((message.account_id, message.remote_jid or ""))
        if conversation is None:
            names = self._set.names.get(message.conversation_id or message.id, NO_NAMES)
            return Names(names.contact or known, names.group, sender)
        name = known if contact else conversation.display_name
        return Names(name, conversation.group_subject, sender)

    def _sender_of(self, message: Message) -> Sender | None:
        contact = self._contact_of(message)
        if contact is None:
            return self._set.senders.get(message.id)
        return Sender(contact.id, contact.phone_number, contact.display_name)

    def _contact_of(self, message: Message) -> Contact | None:
        return self._set.contacts.get(message.contact_id) if message.contact_id else None

    def _arrival(self, event: port.Inbound, report: Report, message_id: UUID) -> Message:
        conversation = self._set.conversations[report.account_id, event.chat_jid]
        person = event.chat_jid if event.from_me and not event.is_group else event.sender_jid
        contact = self._set.contact(report, person)
        phone_number = contact.phone_number if contact else event.sender_phone_number
        return Message(
            tenant=report.tenant,
            id=message_id,
            seq=0,
            account_id=report.account_id,
            direction=Direction.OUTBOUND if event.from_me else Direction.INBOUND,
            status=MessageStatus.SENT if event.from_me else MessageStatus.RECEIVED,
            message_type=message_type(event.content),
            chat_type=ChatType.GROUP if event.is_group else ChatType.INDIVIDUAL,
            recipient=event.chat_jid,
            phone_number=event.chat_jid if event.is_group else (phone_number or person),
            content=event.content,
            chat_message_id=event.chat_message_id,
            created_at=self._set.now,
            updated_at=self._set.now,
            conversation_id=conversation.id,
            contact_id=contact.id if contact else None,
            remote_jid=event.chat_jid,
            sender_jid=event.sender_jid,
            reply_to_message_id=self._replied(event, report),
            reply_to_chat_message_id=event.reply_to_chat_message_id,
            media_type=media_type_of(event.content),
            media_url=event.media_url,
            sent_at=event.sent_at,
            sent_by=PHONE if event.from_me else None,
            referral=event.referral,
        )

    def _replied(self, event: port.Inbound, report: Report) -> UUID | None:
        """Return the id of our message that an inbound one answers."""
        if not event.reply_to_chat_message_id:
            return None
        return self._set.ids.get((report.account_id, event.reply_to_chat_message_id))

    def _find_changed(self, report: Report, event: port.Changed) -> Message | None:
        """Find the changed message; it may have arrived in this batch."""
        target = self._set.changed_target(report)
        if target is not None and target in self._set.messages:
            message = self._set.messages[target]
            return message if _may_change(event, message) else None
        found = self._find_in_batch(changed_keys(report, event))
        return found if found is not None and _may_change(event, found) else None

    def _find_in_batch(self, keys: Sequence[ArrivalKey]) -> Message | None:
        """Find the message with one of these keys among the arrivals of this batch."""
        for message in self._set.arrived:
            known = message.account_id, message.remote_jid, message.sender_jid
            if (*known, message.chat_message_id) in keys:
                return message
        return None

    def _change(self, message: Message, change: AppliedChange) -> None:
        self._put_changed(message, apply_change(message, change), change)

    def _put_changed(self, before: Message, after: Message, change: AppliedChange) -> None:
        message = replace(after, updated_at=self._set.now)
        self._set.changed.add(message.id)
        if change.kind != "reaction":
            self._change_preview(before, message)
        for position, arrived in enumerate(self._set.arrived):
            if arrived.id == message.id:
                self._set.arrived[position] = message
                break
        else:
            self._set.messages[message.id] = message
        add_change_event(self._set.events, self._renew(message), change, self._names_for(message))

    def _change_preview(self, before: Message, after: Message) -> None:
        """Replace the conversation's preview if it shows the former content of this message."""
        key = (before.account_id, before.remote_jid or "")
        conversation = self._set.conversations.get(key)
        if conversation is None or not self._set.keeps_content(before.account_id):
            return
        inbound = before.direction is Direction.INBOUND
        last_at = conversation.last_inbound_at if inbound else conversation.last_outbound_at
        is_last = last_at == conversation.last_message_at
        if is_last and conversation.last_message_preview == preview(before.content.summary):
            self._set.conversations[key] = replace(
                conversation,
                last_message_preview=None if after.deleted_at else preview(after.content.summary),
                updated_at=self._set.now,
            )

    def _record_in_conversation(self, report: Report, jid: str, message: Message) -> None:
        key = (report.account_id, jid)
        conversation = self._set.conversations[key]
        inbound = message.direction is Direction.INBOUND
        closed = conversation.status in (ConversationStatus.CLOSED, ConversationStatus.SNOOZED)
        contact = None if conversation.is_group else self._set.contact(report, jid)
        is_kept = self._set.keeps_content(report.account_id)
        self._set.conversations[key] = replace(
            conversation,
            status=ConversationStatus.OPEN if inbound and closed else conversation.status,
            unread_count=conversation.unread_count + (1 if inbound else 0),
            contact_id=contact.id if contact else conversation.contact_id,
            phone_number=(contact.phone_number if contact else None) or conversation.phone_number,
            chat_group_id=self._set.groups.get(key) or conversation.chat_group_id,
            last_message_preview=preview(message.content.summary) if is_kept else "",
            last_message_at=self._set.now,
            last_inbound_at=self._set.now if inbound else conversation.last_inbound_at,
            last_outbound_at=conversation.last_outbound_at if inbound else self._set.now,
            updated_at=self._set.now,
        )

    def _read_elsewhere(self, mark: ReadMark) -> None:
        """Mark the messages that arrived earlier in this batch, and count the unread ones. Stored
        messages are marked already."""
        conversation = self._set.conversations[mark.chat]
        left = self._set.stored_unread.get(mark.chat, 0)
        for place, message in enumerate(self._set.arrived):
            is_unread = message.status is MessageStatus.RECEIVED
            if not is_unread or message.conversation_id != conversation.id:
                continue
            if not mark.has_read(message):
                left += 1
                continue
            self._set.arrived[place] = replace(message, status=MessageStatus.READ, read_at=mark.at)
            self._set.counts.move(
                message.tenant.organization_id,
                message.account_id,
                message.created_at,
                message.direction,
                MessageStatus.RECEIVED,
                MessageStatus.READ,
            )
        unread = min(conversation.unread_count, left)
        if unread != conversation.unread_count:
            self._set.conversations[mark.chat] = replace(
                conversation, unread_count=unread, updated_at=self._set.now
            )

    def _name_group(self, report: Report, group: port.GroupSeen) -> None:
        key = (report.account_id, group.remote_jid)
        self._set.conversations[key] = replace(
            self._set.conversations[key],
            chat_group_id=self._set.groups[key],
            group_subject=group.subject,
            updated_at=self._set.now,
        )

    def _count_for_account(self, message: Message) -> None:
        account = self._set.accounts.get(message.account_id)
        if account is None:
            return
        if message.direction is Direction.INBOUND:
            self._set.totals.add_received(account)
        else:
            self._set.totals.add_sent(account)


def _as_press(message: Message, press: PressByText) -> Message:
    return replace(
        message,
        content=press.reply,
        message_type=message_type(press.reply),
        reply_to_message_id=press.message_id,
        reply_to_chat_message_id=press.chat_message_id,
    )


def _may_change(event: port.Changed, message: Message) -> bool:
    """Whether the event applies to the message that has its id.

    Inbound messages are found by chat and sender. An outbound message is found by its id alone,
    which other people can know: so it can be changed only in its own chat and by the account
    itself, and others there can only react to it. The driver says whether the sender is the
    account, which may have addresses that only the driver knows.
    """
    if message.direction is Direction.INBOUND:
        return True
    chats = {event.chat_jid, event.earlier_jids.get(event.chat_jid, event.chat_jid)}
    if (message.remote_jid or message.recipient) not in chats:
        return False
    return event.kind == "reaction" or event.from_own_account
