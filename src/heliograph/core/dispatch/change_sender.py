"""Sends edits, deletions and reactions to the network. Changes of one message go in order and after
the message itself; changes of different messages go concurrently."""

import asyncio
import random
from collections.abc import Callable
from datetime import timedelta

import structlog
from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.retries import is_exhausted, retry_delay
from heliograph.core.dispatch.sending import NO_CONNECTION_DELAY, PERSON_PAUSE, SEND_TIMEOUT
from heliograph.core.ingest.model import (
    ChangeOutcome,
    ChangePostponed,
    ChangeRefused,
    ChangeTaken,
    Report,
)
from heliograph.core.ingest.service import ReportService
from heliograph.core.ingest.storable import clean
from heliograph.core.messages.edits.ending import CHANGED_IN_DOUBT, NOTHING_TO_CHANGE
from heliograph.core.messages.edits.sql import list_due_changes, list_messages_by_id
from heliograph.core.messages.model import Direction, Message, MessageChange
from heliograph.networks.content import Content, edited
from heliograph.networks.errors import (
    BannedError,
    DriverFailedError,
    LoggedOutError,
    NetworkError,
    NotConnectedError,
    RestrictedError,
)
from heliograph.networks.port import MessageChanges, OutgoingChange
from heliograph.platform.database.pool import Database

log = structlog.get_logger()

BATCH = 64
_DELETED = "The message was deleted for everyone meanwhile."


class ChangeSender:
    """Sends the message changes of one account, under one lease."""

    def __init__(
        self,
        database: Database,
        reports: ReportService,
        lease: Lease,
        network: str,
        active: ActiveSession,
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._reports = reports
        self._lease = lease
        self._network = network
        self._active = active
        self._chance = chance
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look for changes to send: new ones, or changes whose messages have been sent by now."""
        self._wake.set()

    async def run(self) -> None:
        """Work until canceled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._active.is_open() and await self._make_due():
                pass

    async def _make_due(self) -> bool:
        """Send the due changes. Returns whether there may be more."""
        now, database = self._database.clock.now(), self._database.within(None)
        due = await database.read(list_due_changes, self._lease, now, BATCH)
        if not due:
            return False
        ids = sorted({change.message_id for change in due})
        messages = await database.read(list_messages_by_id, self._lease.tenant, ids)
        outcomes = await asyncio.gather(
            *(self._make(change, messages.get(change.message_id)) for change in due)
        )
        await self._reports.report(
            [Report(self._lease, self._network, outcome) for outcome in outcomes]
        )
        return True

    async def _make(self, change: MessageChange, message: Message | None) -> ChangeOutcome:
        session = self._active.session
        if message is None or not _may_be_changed(message, change):
            in_doubt = message is not None and message.may_have_arrived
            return ChangeRefused(change, CHANGED_IN_DOUBT if in_doubt else NOTHING_TO_CHANGE)
        if message.deleted_at is not None:
            return ChangeRefused(change, _DELETED)
        if not isinstance(session, MessageChanges):
            return ChangeRefused(change, "This network can't do that.")
        structlog.contextvars.bind_contextvars(run_id=change.run_id)
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                return ChangeTaken(change, await session.change(self._outgoing(change, message)))
        except (NotConnectedError, LoggedOutError, BannedError):
            return self._postponed(change, NO_CONNECTION_DELAY, is_attempt=False)
        except RestrictedError as error:
            return self._judge_restricted(change, error)
        except NetworkError as error:
            return self._judge(change, error)
        except TimeoutError:
            silent = NetworkError("The chat network did not answer in time.", certain=False)
            return self._judge(change, silent)
        except Exception as error:
            log.exception("a driver failed in a way it must not", network=self._network)
            return self._judge(change, DriverFailedError(self._network, "change", error))

    def _judge_restricted(self, change: MessageChange, error: RestrictedError) -> ChangeOutcome:
        """Allow one more attempt, and no others: each attempt counts against the account."""
        if error.until is not None and error.until > (now := self._database.clock.now()):
            return self._postponed(change, (error.until - now).total_seconds(), is_attempt=False)
        if change.retry_count:
            return ChangeRefused(change, clean(error.about_person or error.reason))
        return self._postponed(change, PERSON_PAUSE, is_attempt=True)

    def _judge(self, change: MessageChange, error: NetworkError) -> ChangeOutcome:
        delay = retry_delay(change.retry_count, error.retry_after, self._chance)
        if error.permanent or is_exhausted(change.connected_seconds + delay):
            return ChangeRefused(change, clean(error.reason))
        return self._postponed(change, delay, is_attempt=True)

    def _postponed(
        self, change: MessageChange, delay: float, *, is_attempt: bool
    ) -> ChangePostponed:
        return ChangePostponed(
            change,
            self._database.clock.now() + timedelta(seconds=delay),
            is_attempt=is_attempt,
            connected_seconds=delay if is_attempt else 0.0,
        )

    def _outgoing(self, change: MessageChange, message: Message) -> OutgoingChange:
        is_own = message.direction is Direction.OUTBOUND
        return OutgoingChange(
            kind=change.kind,
            change_id=change.change_id,
            chat_jid=message.chat_jid,
            chat_message_id=message.chat_message_id,
            sender_jid=None if is_own else message.sender_jid,
            content=self._edited(message, change.content),
            emoji=change.emoji,
            attempt=change.retry_count,
        )

    def _edited(self, message: Message, content: Content | None) -> Content | None:
        """Return the edited content in the form in which this network received the message."""
        if content is None:
            return None
        return self._active.content(replace(message, content=edited(message.content, content)))


def _may_be_changed(message: Message, change: MessageChange) -> bool:
    """Whether the network has the message, or may have it and the change is a deletion."""
    if message.may_have_arrived and change.kind == "deleted":
        return True
    return message.direction is Direction.INBOUND or message.sent_at is not None
