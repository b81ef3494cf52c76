"""Writes the reports of sessions: in order, in batches, each in one transaction.

A batch first locks and loads the rows that its reports concern, in key order (leases, messages,
contacts, conversations, accounts), then applies the reports one after another in memory, and
finally writes the changed rows with the resulting counts, events and deliveries.
"""

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple
from uuid import UUID

import asyncpg
import structlog
from msgspec.structs import replace

from heliograph.core import topics
from heliograph.core.accounts.totals_sql import TotalChanges
from heliograph.core.cluster import sql as cluster_sql
from heliograph.core.cluster.model import Lease
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.conversations_sql import ConversationPlaces
from heliograph.core.ingest.loading import WorkingSetLoader
from heliograph.core.ingest.model import JobEnded, Report, ReportedEvent, WorkingSet
from heliograph.core.ingest.rules import ReportRules
from heliograph.core.ingest.storable import least_of
from heliograph.core.ingest.writing import WorkingSetWriter
from heliograph.core.messages.events import log_failed_attempt
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.serializers import RenewLink, keep_link
from heliograph.core.messages.spans import add_batch_span
from heliograph.core.tenants.commit import TenantCommit
from heliograph.core.tenants.rows import shards_of
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import (
    Changed,
    ContactSeen,
    Cursor,
    GroupSeen,
    Inbound,
    ReadElsewhere,
    Receipt,
    SessionState,
)
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError
from heliograph.platform.telemetry import metrics
from heliograph.platform.telemetry.tracing import OFF, Tracer

log = structlog.get_logger()

MAX_BATCH = 250
_TRIES = 3
_UNSTORABLE = (asyncpg.DataError, asyncpg.ProgramLimitExceededError, UnicodeEncodeError)
_FAULTS = (ValueError, TypeError, ArithmeticError, LookupError)
"""The errors that a malformed value in a network's report causes on its way to the database. A
retry would cause the same error, and block all later reports."""
_NEWS = (Inbound, Changed, Receipt, ReadElsewhere, ContactSeen, GroupSeen)

_COUNTERS = {
    MessageStatus.SENT: metrics.MESSAGES_SENT,
    MessageStatus.DELIVERED: metrics.MESSAGES_DELIVERED,
    MessageStatus.READ: metrics.MESSAGES_READ,
    MessageStatus.FAILED: metrics.MESSAGES_FAILED,
    MessageStatus.RECEIVED: metrics.MESSAGES_RECEIVED,
}


class _Submitted(NamedTuple):
    """A submitted report, and the future that is done when it is written."""

    report: Report
    written: "asyncio.Future[None]"

    @property
    def is_lost(self) -> bool:
        """Whether the report was not written. One whose waiter was canceled counts as lost."""
        if not self.written.done():
            return False
        if self.written.cancelled():
            return True
        error = self.written.exception()
        return error is not None and not _can_not_be_stored(self.report, error)


class _Queued(NamedTuple):
    """A report that waits to be written. A cursor is written only if the reports in `needs` were,
    in the same transaction or an earlier one."""

    report: Report
    needs: Sequence[_Submitted] = ()

    @property
    def has_lost_prerequisites(self) -> bool:
        return any(need.is_lost for need in self.needs)


class _PrerequisiteLostError(Exception):
    """A report that had to be written before this one was not."""


class ReportService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        secret_box: SecretBox,
        *,
        renew: RenewLink = keep_link,
        tracer: Tracer = OFF,
        places: ConversationPlaces | None = None,
    ) -> None:
        self._renew = renew
        self._tracer = tracer
        self._clock = database.clock
        self._notifications = notifications
        self._secret_box = secret_box
        self._places = places or ConversationPlaces.of(database)
        self._commit: TenantCommit[_Queued, None] = TenantCommit(
            database, self._write, lambda queued: queued.report.tenant, max_batch=MAX_BATCH
        )

    def submit(self, report: Report) -> "asyncio.Future[None]":
        """Queue a report. Reports of one account are written in the order in which they are
        submitted."""
        return self._submit(_Queued(report))

    def _submit(self, queued: _Queued) -> "asyncio.Future[None]":
        return self._commit.submit(queued)

    async def report(self, reports: Sequence[Report]) -> None:
        """Write these reports. Returns when they are committed.

        Raises `LeaseLostError` if this node no longer holds the lease of one of the accounts. If
        the database can't store a message (drivers pass on what strangers wrote), only its arrival
        is kept; any other report that can't be stored is logged and dropped, since it would block
        all later ones forever. A cursor is not written if an earlier report failed for another
        reason.
        """
        submitted: list[_Submitted] = []
        for report in reports:
            needs = tuple(submitted) if isinstance(report.event, Cursor) else ()
            submitted.append(_Submitted(report, self._submit(_Queued(report, needs))))
        outcomes = await asyncio.gather(
            *[each.written for each in submitted], return_exceptions=True
        )
        for report, outcome in zip(reports, outcomes, strict=True):
            if isinstance(outcome, BaseException) and _can_not_be_stored(report, outcome):
                log.error(
                    "a report can't be stored and was left out",
                    account_id=str(report.account_id),
                    kind=type(report.event).__name__,
                    error=repr(outcome),
                )
            elif outcome is not None:
                raise outcome

    async def drain(self) -> None:
        await self._commit.drain()

    def _notify_watchers(self, reports: Sequence[Report]) -> None:
        """Wake the live pages of these organizations: on every node for a device's state, in this
        process for messages. Pages on other nodes poll for messages once a second, which saves a
        NOTIFY for every batch."""
        watchers = {topics.live(report.tenant) for report in reports}
        changed = {
            topics.live(report.tenant)
            for report in reports
            if isinstance(report.event, SessionState)
        }
        self._notifications.notify(*changed)
        self._notifications.notify_here(*watchers - changed)

    async def _write(
        self, database: Database, queued: Sequence[_Queued]
    ) -> Sequence[Exception | None]:
        complete = [not item.has_lost_prerequisites for item in queued]
        reports = [item.report for item, is_so in zip(queued, complete, strict=True) if is_so]
        of_complete = iter(await self._write_storable(database, reports) if reports else ())
        return [next(of_complete) if is_so else _PrerequisiteLostError() for is_so in complete]

    async def _write_storable(
        self, database: Database, reports: Sequence[Report]
    ) -> Sequence[LeaseLostError | None]:
        """Write reports. If a single one can't be stored, write the part of it that can be."""
        try:
            return await self._write_reports(database, reports)
        except (*_UNSTORABLE, *_FAULTS) as error:
            report = reports[0]
            if len(reports) > 1 or (least := least_of(report.event)) is None:
                raise
            log.error(
                "a message can't be stored, and only its arrival is kept",
                account_id=str(report.account_id),
                error=repr(error),
            )
            return await self._write_reports(database, [replace(report, event=least)])

    async def _write_reports(
        self, database: Database, reports: Sequence[Report]
    ) -> Sequence[LeaseLostError | None]:
        """Write reports in one transaction, which is repeated only as a whole."""
        tries, began = count(), self._tracer.now()

        async def write(connection: Connection) -> tuple[set[Lease], list[_WrittenReports]]:
            try:
                held = await _lock_leases(connection, reports)
                parts = split_at_references([each for each in reports if each.lease in held])
                written = [
                    await self._write_part(connection, part, began) for part in parts if part
                ]
                return held, written
            except asyncpg.UniqueViolationError as error:
                # another node stored the same at the same time: the next try will find it
                if len(reports) == 1 and next(tries) < _TRIES:
                    raise RepeatTransactionError from error
                raise

        held, parts = await database.within(None).transact(write)
        for part in parts:
            self._follow(part)
        if self._tracer.is_on:
            self._end_spans(parts, len(reports), began)
        self._notify_watchers(reports)
        ended = [report.event.job.id for report in reports if isinstance(report.event, JobEnded)]
        self._notifications.notify(*[topics.job_ended(job_id) for job_id in ended])
        return [
            None if report.lease in held else LeaseLostError("another node owns this account")
            for report in reports
        ]

    def _end_spans(self, parts: "Sequence[_WrittenReports]", size: int, began: int) -> None:
        spans = [span for part in parts for span in part.working_set.spans]
        if contexts := [span.context for span in spans if span.context is not None]:
            add_batch_span(self._tracer, "store reports", contexts, size, began)
        for span in spans:
            span.end()

    async def _write_part(
        self, connection: Connection, reports: Sequence[Report], began: int
    ) -> "_WrittenReports":
        """Write reports under locked leases."""
        now = self._clock.now()
        working_set = WorkingSet(
            shards=shards_of(report.tenant for report in reports),
            reports=list(reports),
            clock=self._clock,
            now=now,
            events=EventBuilder(self._clock),
            totals=TotalChanges(now),
            places=self._places,
            tracer=self._tracer,
            began=began,
        )
        await WorkingSetLoader(connection, working_set).load()
        ReportRules(working_set, self._secret_box, self._renew).apply_all()
        return _WrittenReports(await WorkingSetWriter(connection, working_set).write(), working_set)

    def _follow(self, written: "_WrittenReports") -> None:
        """Notify the services that continue from what was written."""
        for message in written.working_set.failed_attempts:
            log_failed_attempt(message, message.failure_reason)
        for status, counter in _COUNTERS.items():
            counter.inc(written.working_set.reached[status])
        self._notifications.notify_owner(
            *[topics.deliveries_of(webhook_id) for webhook_id in written.webhooks]
        )


class _WrittenReports(NamedTuple):
    """The result of writing reports; `webhooks` have new deliveries."""

    webhooks: set[UUID]
    working_set: WorkingSet


async def _lock_leases(connection: Connection, reports: Sequence[Report]) -> set[Lease]:
    """Lock those leases of these reports that are still held, and return them."""
    newest = _newest_leases(reports)
    locked = await cluster_sql.lock_leases(connection, cluster_sql.ACCOUNT_LEASES, newest)
    return {lease for lease in newest if lease.resource_id in locked}


def _can_not_be_stored(report: Report, error: BaseException) -> bool:
    is_fault = isinstance(error, _FAULTS) and isinstance(report.event, _NEWS)
    return is_fault or isinstance(error, _UNSTORABLE)


def split_at_references(reports: Sequence[Report]) -> list[list[Report]]:
    """Split the reports into parts, in order: a message that the account's owner sent from another
    device has to be in the table before a later report can refer to it."""
    parts: list[list[Report]] = [[]]
    brought: set[tuple[UUID, str]] = set()
    for report in reports:
        event, account_id = report.event, report.account_id
        named = _named_message(event)
        if named is not None and (account_id, named) in brought:
            parts.append([])
            brought.clear()
        if isinstance(event, Inbound) and event.from_me:
            brought.add((account_id, event.chat_message_id))
        parts[-1].append(report)
    return parts


def _named_message(event: ReportedEvent) -> str | None:
    """Return the network's id of the message that the event refers to or replies to."""
    if isinstance(event, Receipt):
        return event.chat_message_id
    return event.reply_to_chat_message_id if isinstance(event, Inbound) else None


def _newest_leases(reports: Sequence[Report]) -> list[Lease]:
    """List each account's lease with the highest epoch: older ones are no longer held."""
    newest: dict[UUID, Lease] = {}
    for report in reports:
        known = newest.get(report.account_id)
        if known is None or known.epoch < report.lease.epoch:
            newest[report.account_id] = report.lease
    return sorted(newest.values(), key=lambda lease: (lease.tenant, lease.resource_id))
