"""Writes the changes of a batch of reports, with the resulting counts, events and deliveries."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.accounts import sql as accounts_sql
from heliograph.core.accounts.totals_sql import writes_of_totals
from heliograph.core.audit.sql import insert_audit_entries
from heliograph.core.contacts.events import add_network_changes
from heliograph.core.events.redaction_sql import insert_events_to_redact
from heliograph.core.inbox import conversations_sql
from heliograph.core.ingest.model import (
    ChangePostponed,
    JobEnded,
    Report,
    WorkingSet,
)
from heliograph.core.jobs import sql as jobs_sql
from heliograph.core.jobs.model import JobStatus
from heliograph.core.media.sql import insert_received
from heliograph.core.messages import sql as messages_sql
from heliograph.core.messages.edits.sql import postpone_changes
from heliograph.core.messages.model import BEFORE_SENT, Message
from heliograph.core.messages.queue.attempts_sql import insert_attempts
from heliograph.core.messages.queue.holds_sql import release_chats, release_held
from heliograph.core.messages.queue.sql import follow_changes
from heliograph.core.messages.search.sql import Words, delete_words, put_words
from heliograph.core.messages.search.words import vector_of
from heliograph.core.messages.statistics.sql import writes_of_counts
from heliograph.core.tenants.rows import RowWrite
from heliograph.core.tenants.together import write_together
from heliograph.core.webhooks.fan_out import deliveries_of, writes_of_events
from heliograph.networks.content import NOTHING, encode_content
from heliograph.platform.database.pool import Connection


class WorkingSetWriter:
    """Writes a working set, within the batch's transaction."""

    def __init__(self, connection: Connection, working_set: WorkingSet) -> None:
        self._connection = connection
        self._set = working_set

    async def write(self) -> set[UUID]:
        """Write everything. Returns the webhooks that have new deliveries."""
        await self._write_accounts()
        if self._set.cursors:
            await accounts_sql.set_cursors(
                self._connection, self._set.shards, self._set.cursors, self._set.now
            )
        await self._write_jobs()
        if self._set.updated_contacts:
            await add_network_changes(
                self._connection, self._set.events, self._set.updated_contacts
            )
        events = self._set.events.events
        deliveries = await deliveries_of(
            self._connection, self._set.shards, events, self._set.clock
        )
        changed = self._changed_messages()
        arrived = [self._kept(message) for message in self._set.arrived]
        await self._write_at_once(changed, arrived, writes_of_events(events, deliveries))
        await self._write_rest(changed, arrived)
        await self._release_held()
        await self._insert_events_to_redact()
        return {delivery.webhook_id for delivery in deliveries}

    async def _write_at_once(
        self, changed: Sequence[Message], arrived: Sequence[Message], events: Sequence[RowWrite]
    ) -> None:
        """Write what nearly every batch has, in one round trip."""
        conversations = [
            conversation
            for key, conversation in self._set.conversations.items()
            if conversation is not self._set.loaded_conversations[key]
        ]
        rows = await write_together(
            self._connection,
            self._set.shards,
            [
                *([messages_sql.update_of(changed)] if changed else []),
                *([messages_sql.insertion_of_arrived(arrived)] if arrived else []),
                *writes_of_totals(self._set.totals),
                *events,
                *writes_of_counts(self._connection, self._set.counts),
                *([conversations_sql.update_of(conversations)] if conversations else []),
            ],
        )
        if conversations:
            conversations_sql.note_places(rows, conversations, self._set.places)

    async def _insert_events_to_redact(self) -> None:
        events = [
            event
            for event in self._set.events.events
            if event.message_id is not None
            and event.account_id is not None
            and not self._set.keeps_content(event.account_id)
        ]
        if events:
            await insert_events_to_redact(self._connection, self._set.shards, events)

    def _changed_messages(self) -> list[Message]:
        """Return the messages that are not as they were loaded, and count their changes."""
        changed = [
            message
            for message in self._set.messages.values()
            if message is not self._set.loaded_messages[message.id]
        ]
        for message in changed:
            self._set.counts.move(
                message.tenant.organization_id,
                message.account_id,
                message.created_at,
                message.direction,
                self._set.loaded_messages[message.id].status,
                message.status,
            )
        return changed

    async def _write_rest(self, changed: Sequence[Message], arrived: Sequence[Message]) -> None:
        """Write what follows from some messages that are written."""
        if changed:
            before = [self._set.loaded_messages[message.id] for message in changed]
            await follow_changes(
                self._connection, self._set.shards, zip(before, changed, strict=True)
            )
        if self._set.attempts:
            await insert_attempts(self._connection, self._set.shards, self._set.attempts)
        await self._insert_received_files()
        known = {message.id: message for message in (*self._set.messages.values(), *arrived)}
        if self._set.changed:
            rewritten = [self._kept(known[message_id]) for message_id in sorted(self._set.changed)]
            await messages_sql.update_contents(self._connection, self._set.shards, rewritten)
            await self._put_words(rewritten)
        await self._postpone_changes()
        over = [
            (message.tenant.organization_id, message.id)
            for message in changed
            if message.status not in BEFORE_SENT and not self._set.keeps_content(message.account_id)
        ]
        if over:
            await messages_sql.empty_contents(self._connection, self._set.shards, sorted(over))
            await delete_words(self._connection, self._set.shards, sorted(over))

    async def _insert_received_files(self) -> None:
        kept = [
            file
            for file in self._set.received_files
            if file.account_id is not None and self._set.keeps_content(file.account_id)
        ]
        if kept:
            await insert_received(self._connection, self._set.shards, kept)

    async def _put_words(self, messages: Sequence[Message]) -> None:
        words = [
            Words(
                message.tenant.organization_id,
                message.id,
                message.account_id,
                vector_of(message.tenant.organization_id, encode_content(message.content)) or "",
            )
            for message in messages
            if self._set.keeps_content(message.account_id)
        ]
        if words:
            await put_words(self._connection, self._set.shards, words)

    def _kept(self, message: Message) -> Message:
        """Return the message, without its contents if the account does not keep them."""
        keeps = self._set.keeps_content(message.account_id)
        return message if keeps else replace(message, content=NOTHING, referral=None)

    async def _postpone_changes(self) -> None:
        events = [report.event for report in self._set.reports]
        postponed = [
            (
                event.change.tenant.organization_id,
                event.change.id,
                event.change.retry_count + (1 if event.is_attempt else 0),
                event.next_attempt_at,
                event.change.connected_seconds + event.connected_seconds,
            )
            for event in events
            if isinstance(event, ChangePostponed)
        ]
        if postponed:
            await postpone_changes(self._connection, self._set.shards, postponed)

    async def _write_accounts(self) -> None:
        changed = [
            account
            for account in self._set.accounts.values()
            if account is not self._set.loaded_accounts[account.id]
        ]
        if changed:
            await accounts_sql.update_accounts(self._connection, self._set.shards, changed)
        if self._set.audit:
            await insert_audit_entries(self._connection, self._set.shards, self._set.audit)
        for lease, encrypted in self._set.secrets:
            await accounts_sql.set_secrets(
                self._connection, lease.tenant, lease.resource_id, encrypted, self._set.now
            )

    async def _release_held(self) -> None:
        connection, now = self._connection, self._set.now
        for account in self._set.lapsed:
            if account.restriction is not None:
                until = account.restriction.until
                await release_held(connection, account.tenant, account.id, until, now)
        if self._set.released:
            await release_chats(connection, self._set.shards, list(self._set.released), now)

    async def _write_jobs(self) -> None:
        for report in self._set.reports:
            if isinstance(report.event, JobEnded):
                event = report.event
                await jobs_sql.finish_job(
                    self._connection,
                    event.job,
                    event.status,
                    result=self._result_of(report, event),
                    error=event.error,
                )

    def _result_of(self, report: Report, event: JobEnded) -> dict[str, object] | None:
        if event.status is not JobStatus.COMPLETED:
            return None
        result = dict(event.result or {})
        if event.group is not None:
            key = (report.account_id, event.group.remote_jid)
            result["conversation_id"] = self._set.conversations[key].id
        return result
