"""Writes down what sessions report: in batches, in order, in one transaction for each batch."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple
from uuid import UUID

import asyncpg
import structlog

from heliograph.core import topics
from heliograph.core.ingest.batch import ReportBatch
from heliograph.core.ingest.outcomes import JobEnded, News, Report
from heliograph.core.messages.events import log_failed_attempt
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.messages.serializers import RenewLink, keep_link
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Cursor, Inbound, Receipt, SessionState
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError
from heliograph.platform.telemetry import metrics

log = structlog.get_logger()

MAX_BATCH = 250
_TRIES = 3
_UNSTORABLE = (asyncpg.DataError, asyncpg.ProgramLimitExceededError, UnicodeEncodeError)

_COUNTERS = {
    MessageStatus.SENT: metrics.MESSAGES_SENT,
    MessageStatus.DELIVERED: metrics.MESSAGES_DELIVERED,
    MessageStatus.READ: metrics.MESSAGES_READ,
    MessageStatus.FAILED: metrics.MESSAGES_FAILED,
    MessageStatus.RECEIVED: metrics.MESSAGES_RECEIVED,
}


class _Written(NamedTuple):
    held: set[object]
    webhooks: set[UUID]
    reached: Counter[MessageStatus]
    troubled: Sequence[Message]


class _InLine(NamedTuple):
    """A report, and those that it must not be written without: those before a cursor. They are
    in the same transaction or an earlier one."""

    report: Report
    needs: "Sequence[asyncio.Future[None]]" = ()

    @property
    def lacks_something(self) -> bool:
        return any(_is_lost(need) for need in self.needs if need.done())


class _LeftBehindError(Exception):
    """Something that the report needs was not written."""


class ReportService:
    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        secret_box: SecretBox,
        *,
        renew: RenewLink = keep_link,
    ) -> None:
        self._renew = renew
        self._database = database
        self._notifications = notifications
        self._secret_box = secret_box
        self._commit: GroupCommit[int, _InLine, None] = GroupCommit(
            self._write, max_batch=MAX_BATCH
        )

    def submit(self, report: Report) -> "asyncio.Future[None]":
        """Put a report in line; reports of one account are written in the order of these calls."""
        return self._submit(_InLine(report))

    def _submit(self, in_line: _InLine) -> "asyncio.Future[None]":
        return self._commit.submit(in_line.report.tenant.shard, in_line)

    async def report(self, reports: Sequence[Report]) -> None:
        """Write these down; returns when they are committed.

        Raises `LeaseLostError` when this node may no longer speak for one of the accounts. A value
        that the database can't hold (drivers hand over what strangers wrote) is logged and left
        out: it would never become storable, and everything behind it would wait for ever. A cursor
        is not written when something before it was not, other than such a value.
        """
        written: list[asyncio.Future[None]] = []
        for report in reports:
            needs = tuple(written) if isinstance(report.news, Cursor) else ()
            written.append(self._submit(_InLine(report, needs)))
        outcomes = await asyncio.gather(*written, return_exceptions=True)
        for report, outcome in zip(reports, outcomes, strict=True):
            if isinstance(outcome, _UNSTORABLE):
                log.error(
                    "a report can't be stored and was left out",
                    account_id=str(report.account_id),
                    kind=type(report.news).__name__,
                    error=str(outcome),
                )
            elif outcome is not None:
                raise outcome

    async def drain(self) -> None:
        await self._commit.drain()

    def _notify_watchers(self, reports: Sequence[Report]) -> None:
        """Pages that are being looked at: of a device's state everywhere, of messages those in this
        process; the others look once a second, which spares a NOTIFY for every batch."""
        watchers = {topics.live(report.tenant) for report in reports}
        changed = {
            topics.live(report.tenant)
            for report in reports
            if isinstance(report.news, SessionState)
        }
        self._notifications.notify(*changed)
        self._notifications.notify_here(*watchers - changed)

    async def _write(self, shard: int, in_line: Sequence[_InLine]) -> Sequence[Exception | None]:
        complete = [not each.lacks_something for each in in_line]
        reports = [each.report for each, is_so in zip(in_line, complete, strict=True) if is_so]
        outcomes: list[Exception | None] = []
        for part in split_where_one_needs_another(reports) if reports else ():
            outcomes += await self._write_part(shard, part)
        of_complete = iter(outcomes)
        return [next(of_complete) if is_so else _LeftBehindError() for is_so in complete]

    async def _write_part(
        self, shard: int, reports: Sequence[Report]
    ) -> Sequence[LeaseLostError | None]:
        tries = count()

        async def work(connection: Connection) -> _Written:
            try:
                return await write(connection)
            except asyncpg.UniqueViolationError as error:
                # another node learned the same at the same moment: the next try knows it
                if len(reports) == 1 and next(tries) < _TRIES:
                    raise RepeatTransactionError from error
                raise

        async def write(connection: Connection) -> _Written:
            batch = ReportBatch(
                connection,
                shard,
                reports,
                clock=self._database.clock,
                secret_box=self._secret_box,
                renew=self._renew,
            )
            held, webhooks = await batch.run()
            return _Written(set(held), set(webhooks), batch.reached, batch.troubled)

        held, webhooks, reached, troubled = await self._database.within(None).transact(work)
        for message in troubled:
            log_failed_attempt(message, message.failure_reason)
        for status, counter in _COUNTERS.items():
            counter.inc(reached[status])
        self._notifications.notify_owner(
            *[topics.deliveries_of(webhook_id) for webhook_id in webhooks]
        )
        self._notify_watchers(reports)
        ended = [report.news.job.id for report in reports if isinstance(report.news, JobEnded)]
        self._notifications.notify(*[topics.job_ended(job_id) for job_id in ended])
        return [
            None if report.lease in held else LeaseLostError("another node owns this account")
            for report in reports
        ]


def _is_lost(written: "asyncio.Future[None]") -> bool:
    """Of what nobody waits for any more, nobody knows."""
    if written.cancelled():
        return True
    error = written.exception()
    return error is not None and not isinstance(error, _UNSTORABLE)


def split_where_one_needs_another(reports: Sequence[Report]) -> list[list[Report]]:
    """The reports in parts, in order: what is said of a message that its owner sent from another
    device is looked up in the table, so the message has to be there before."""
    parts: list[list[Report]] = [[]]
    brought: set[tuple[UUID, str]] = set()
    for report in reports:
        news, account_id = report.news, report.account_id
        named = _named_message(news)
        if named is not None and (account_id, named) in brought:
            parts.append([])
            brought.clear()
        if isinstance(news, Inbound) and news.from_me:
            brought.add((account_id, news.chat_message_id))
        parts[-1].append(report)
    return parts


def _named_message(news: News) -> str | None:
    """The network's id of the message that the news is about, or answers."""
    if isinstance(news, Receipt):
        return news.chat_message_id
    return news.reply_to_chat_message_id if isinstance(news, Inbound) else None
