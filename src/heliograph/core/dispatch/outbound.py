"""Sends an account's queue: in order for each recipient, concurrently across recipients.

Messages are claimed in batches by `seq` and put into lanes, one for each recipient. A message that
has to wait blocks only its own lane: the whole lane is requeued, and claims skip it until the
message is due.

A message that is accepted on this node while nothing waits is claimed by the accepting transaction
and handed over directly (`reserve`).
"""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count
from uuid import UUID

import structlog

from heliograph.core.accounts.model import Restriction
from heliograph.core.accounts.restrictions_sql import has_written
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.claims import (
    claim_messages,
    forget_claims,
    hold_messages,
    list_quoted,
    release_lapsed,
    requeue_claimed,
)
from heliograph.core.dispatch.open_claims import OpenClaims
from heliograph.core.dispatch.restriction import RestrictionState
from heliograph.core.dispatch.send_limits import DailyAllowance, SendRate
from heliograph.core.dispatch.sending import Sending
from heliograph.core.dispatch.turns import Turn, Turns
from heliograph.core.ingest.model import MessagePostponed, MessageTaken, Report, ReportedEvent
from heliograph.core.ingest.service import ReportService
from heliograph.core.messages.model import Claim, ClaimedMessage, ClaimResult
from heliograph.core.messages.queue.senders import Senders
from heliograph.core.messages.spans import begin_send
from heliograph.networks.errors import LeaseLostError, RestrictedError
from heliograph.networks.port import Quoted
from heliograph.platform.database.floors import START, Floor
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.telemetry.tracing import OFF, Tracer

log = structlog.get_logger()

MAX_IN_FLIGHT = 256
CLAIM_BATCH = 128
BUSY_PAUSE = 0.05
"""Seconds until messages that were locked by another transaction are claimed again; nothing
notifies of the release."""


class HandOver:
    """Reserved room for messages that are claimed, under this lease, by the transaction that
    accepts them."""

    def __init__(
        self,
        lease: Lease,
        floor: Floor,
        over: Sequence[UUID],
        take: Callable[[Claim | None], None],
    ) -> None:
        self.lease = lease
        self.floor = floor
        self.over = over
        self._take = take

    def use(self, claim: Claim) -> None:
        self._take(claim)

    def give_up(self) -> None:
        self._take(None)


class Outbound:
    """Sends the queue of one account, under one lease."""

    def __init__(
        self,
        database: Database,
        reports: ReportService,
        lease: Lease,
        network: str,
        active: ActiveSession,
        rate: SendRate,
        daily: DailyAllowance,
        *,
        restriction: RestrictionState | None = None,
        senders: Senders | None = None,
        floor: Callable[[], Floor] = lambda: START,
        tracer: Tracer = OFF,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._reports = reports
        self._lease = lease
        self._network = network
        self._tracer = tracer
        self._active = active
        self._rate = rate
        self._daily = daily
        self._restriction = restriction or RestrictionState()
        self._senders = senders or Senders()
        self._floor = floor
        self._sending = Sending(
            active, network, database.clock, restricted=self._restricted, chance=chance
        )
        self._wake = asyncio.Event()
        self._lanes: dict[str, deque[ClaimedMessage]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._unwritten: dict[UUID, asyncio.Future[None]] = {}
        self._in_flight: dict[str, asyncio.Future[None]] = {}
        self._coming: set[UUID] = set()
        """Messages that are claimed or about to be, and not in a lane yet."""
        self._turns = Turns()
        self._claims = OpenClaims()
        self._quoted: dict[UUID, Quoted] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._may_have_more = True
        self._has_stale_claims = False
        self._has_more_to_hold = False
        self._to_claim_again: set[UUID] = set()
        self._claiming = asyncio.Lock()
        self._is_taking_back = False
        self._taken_back = 0
        """How many recoveries were begun."""
        self._is_over = False

    def wake(self) -> None:
        """Look for new messages to send."""
        self._may_have_more = True
        self._wake.set()

    def recover_stale_claims(self) -> None:
        """Have the next claim first requeue messages that are `sending` in the table but not here.

        They are left behind by a commit whose answer was lost, or by an outcome that could not be
        written.
        """
        self._has_stale_claims = True
        self.wake()

    def restriction_changed(self) -> None:
        """Claim again what has not begun to be sent: the network might refuse it now."""
        self._to_claim_again = self._in_hand()
        self.wake()

    async def run(self) -> None:
        """Send until canceled. Messages that are claimed but not sent by then are requeued
        later."""
        self._senders.add(self._lease.resource_id, self)
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._active.is_open() and self._may_have_more and await self._claim():
                    pass
        finally:
            self._is_over = True
            self._senders.remove(self._lease.resource_id, self)
            if self._timer is not None:
                self._timer.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.gather(*self._unwritten.values(), return_exceptions=True)

    async def wait_for_outcome(self, chat_message_id: str) -> None:
        """Wait until the outcome of a send in progress is queued, so that the message's receipts
        are written after it."""
        outcome = self._in_flight.get(chat_message_id)
        if outcome is not None:
            with suppress(asyncio.CancelledError):
                await asyncio.shield(outcome)

    async def _claim(self) -> bool:
        """Claim the next messages, once there is room for a batch. Returns whether to go on."""
        if self._room() < CLAIM_BATCH:
            return False
        allowed = self._rate.allowance()
        if allowed <= 0:
            self._wake_in(self._rate.pause())
            return False
        left = await self._daily.left(len(self._in_hand()))
        if left <= 0:
            self._wake_in(self._daily.pause())
            return False
        limit = min(CLAIM_BATCH, allowed, left)
        async with self._claiming:
            turn, claim = self._turns.take(), None
            try:
                claim = await self._claim_in_order(limit)
            finally:
                self._is_taking_back = False
                self._take(turn, (), claim)
        return True

    async def _claim_in_order(self, limit: int) -> Claim | None:
        self._may_have_more, known = False, self._restriction_now()
        lapsed, over = tuple(self._restriction.lapsed), self._claims.to_forget()
        claim_once = self._claim_once(limit, lapsed, over)
        try:
            (claim, is_busy), kept = await self._database.within(None).transact(claim_once)
        except BaseException:
            self._claims.remember(over)
            raise
        del self._restriction.lapsed[: len(lapsed)]
        if kept is not None:
            self._claims.keep(kept)
        claimed = claim.messages if claim is not None else []
        is_full = len(claimed) == limit or self._has_more_to_hold
        self._may_have_more = self._may_have_more or is_full
        if self._restriction_now() != known:
            self._to_claim_again.update(message.id for message in claimed)
        self._rate.take(len(claimed))
        if is_busy:
            self._wake_in(BUSY_PAUSE)
        return claim

    def reserve(self, message_ids: Collection[UUID]) -> HandOver | None:
        """Reserve room for messages that are to be claimed on acceptance. Returns None if they have
        to wait."""
        if not self._may_send_at_once(len(message_ids)):
            return None
        self._coming.update(message_ids)
        over, taken_back = self._claims.to_forget(), self._taken_back

        def take(claim: Claim | None) -> None:
            if claim is None:
                self._claims.remember(over)
            elif self._taken_back != taken_back:
                # earlier messages may have been requeued without its transaction seeing them
                self._to_claim_again.update(message.id for message in claim.messages)
            self._take(turn, message_ids, claim)

        turn = self._turns.take()
        return HandOver(self._lease, self._floor(), over, take)

    def _may_send_at_once(self, count: int) -> bool:
        is_limited = self._rate.is_limited or self._daily.is_limited
        is_restricted = self._restriction.lapsed or self._restriction_now() is not None
        takes_back = self._is_taking_back or self._has_stale_claims or self._to_claim_again
        return (
            not (self._is_over or is_limited or is_restricted or takes_back)
            and self._active.is_open()
            and count <= self._room()
        )

    def _room(self) -> int:
        in_lanes = sum(map(len, self._lanes.values()))
        return MAX_IN_FLIGHT - len(self._unwritten) - len(self._coming) - in_lanes

    def _take(self, turn: Turn, reserved: Collection[UUID], claim: Claim | None) -> None:
        """Put the claimed messages into lanes, after those that were claimed earlier."""
        messages = [] if claim is None else claim.messages
        ids = {message.id for message in messages}
        # at once: messages that were not claimed after all may have to be requeued
        self._coming.difference_update(set(reserved) - ids)
        self._to_claim_again.difference_update(set(reserved) - ids)
        if claim is not None:
            self._claims.add(claim)
            self._coming |= ids
        if messages and self._is_over:
            self._senders.recover(self._lease.resource_id)

        def enter() -> None:
            self._coming -= ids
            if not self._is_over:
                for message in messages:
                    self._enter(message)
            elif messages:
                self._senders.recover(self._lease.resource_id)

        turn.use(enter)

    def _claim_once(
        self, limit: int, lapsed: Sequence[datetime], over: Sequence[UUID]
    ) -> Callable[[Connection], Awaitable[tuple[ClaimResult, set[UUID] | None]]]:
        """Return a claim that is safe to repeat: a repeat first requeues the messages of an earlier
        try whose answer was lost.

        Its result is the claim and, if others were requeued, the messages that were exempt.
        """
        tries = count(int(self._has_stale_claims))
        self._is_taking_back = self._has_stale_claims
        self._has_stale_claims = False

        async def claim(connection: Connection) -> tuple[ClaimResult, set[UUID] | None]:
            kept = self._in_hand() if next(tries) else None
            if kept is not None:
                self._is_taking_back = True
                self._taken_back += 1
            if kept is not None and not await requeue_claimed(connection, self._lease, but=kept):
                return ClaimResult(None), None
            await forget_claims(connection, self._lease, over)
            now = self._database.clock.now()
            await release_lapsed(connection, self._lease, lapsed, now)
            if await self._hold(connection, now):
                return ClaimResult(None), kept
            result = await claim_messages(connection, self._lease, limit, now, self._floor())
            if result.claim is not None and self._active.capabilities.replies:
                self._quoted |= await list_quoted(
                    connection, self._lease.tenant, result.claim.messages
                )
            return result, kept

        return claim

    async def _hold(self, connection: Connection, now: datetime) -> bool:
        """Hold the messages that a restriction concerns, before anything is claimed. Returns
        whether there may be more."""
        restriction = self._restriction.at(now)
        self._has_more_to_hold = restriction is not None and await hold_messages(
            connection, self._lease, restriction, self._network, now
        )
        return self._has_more_to_hold

    def _restriction_now(self) -> Restriction | None:
        return self._restriction.at(self._database.clock.now())

    def _in_hand(self) -> set[UUID]:
        waiting = {message.id for lane in self._lanes.values() for message in lane}
        return waiting | self._coming | self._unwritten.keys()

    def _wake_in(self, seconds: float) -> None:
        """Schedule a wake-up in this many seconds, unless an earlier one is scheduled."""
        loop = asyncio.get_running_loop()
        at = loop.time() + max(0.005, seconds)
        if self._timer is not None and loop.time() < self._timer.when() <= at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(at, self.wake)

    def _enter(self, message: ClaimedMessage) -> None:
        """Put the message into its recipient's lane, in order of `seq`, but behind the one being
        sent."""
        lane = self._lanes.get(message.recipient)
        if lane is not None:
            first = int(bool(lane) and lane[0].chat_message_id in self._in_flight)
            place = len(lane)
            while place > first and lane[place - 1].seq > message.seq:
                place -= 1
            lane.insert(place, message)
            return
        self._lanes[message.recipient] = deque([message])
        task = asyncio.create_task(self._serve(message.recipient))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, recipient: str) -> None:
        """Send one recipient's messages, one after another."""
        lane = self._lanes[recipient]
        try:
            while lane:
                may_send = self._active.is_open() and lane[0].id not in self._to_claim_again
                if not may_send or not await self._send(lane):
                    await self._put_back(lane)
        finally:
            del self._lanes[recipient]
        self._wake.set()

    async def _put_back(self, lane: deque[ClaimedMessage]) -> None:
        """Requeue the whole lane, without counting an attempt.

        No claim starts until that is written. Messages that a running claim adds to this lane, or
        that are handed over, are requeued with it: they would overtake the message that has just
        been postponed.
        """
        async with self._claiming:
            self._is_taking_back, come = True, asyncio.Event()
            try:
                self._turns.take().use(come.set)
                await come.wait()
                written = [
                    self._report(
                        message, MessagePostponed(message.id, None, None, is_attempt=False)
                    )
                    for message in lane
                ]
                lane.clear()
                if written:  # the writes go on even if this is canceled
                    await asyncio.wait(written)
            finally:
                self._is_taking_back = False

    async def _send(self, lane: deque[ClaimedMessage]) -> bool:
        """Send the lane's first message and report its outcome. Returns False if the lane has to
        wait."""
        message = lane[0]
        # also for the driver's log lines
        structlog.contextvars.bind_contextvars(run_id=message.run_id)
        queued: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._in_flight[message.chat_message_id] = queued
        try:
            with begin_send(self._tracer, message, self._network) as span:
                outcome = await self._sending.send(message, self._quoted.get(message.id))
                if not isinstance(outcome, MessageTaken):
                    span.fail("postponed" if isinstance(outcome, MessagePostponed) else "refused")
            written = self._report(message, outcome)
            lane.popleft()
        finally:
            del self._in_flight[message.chat_message_id]
            queued.set_result(None)
        if not isinstance(outcome, MessagePostponed):
            return True
        await asyncio.wait([written])
        return False

    async def _restricted(self, message: ClaimedMessage, error: RestrictedError) -> datetime | None:
        """Report the restriction, if it is new. Returns until when the message has to be held, or
        None if its recipient has written before, so that the account may still answer."""
        if error.until is None and await self._has_written(message):
            return None
        now = self._database.clock.now()
        event = self._restriction.met(error, now)
        if event is not None:
            reported = self._reports.submit(Report(self._lease, self._network, event))
            reported.add_done_callback(_log_failure)
            self.restriction_changed()
            self._to_claim_again.discard(message.id)
        current = self._restriction.at(now)
        return now if current is None else current.until

    async def _has_written(self, message: ClaimedMessage) -> bool:
        return await self._database.within(None).read(
            has_written, message.tenant, message.account_id, self._network, message.recipient
        )

    def _report(self, message: ClaimedMessage, outcome: ReportedEvent) -> "asyncio.Future[None]":
        """Queue the outcome. Once it is written, the message is no longer in progress."""
        written = self._reports.submit(Report(self._lease, self._network, outcome))
        self._unwritten[message.id] = written
        written.add_done_callback(lambda _: self._on_written(message, outcome, written))
        return written

    def _on_written(
        self, message: ClaimedMessage, outcome: ReportedEvent, written: "asyncio.Future[None]"
    ) -> None:
        self._unwritten.pop(message.id, None)
        self._quoted.pop(message.id, None)
        self._to_claim_again.discard(message.id)
        error = None if written.cancelled() else written.exception()
        if error is None and not written.cancelled():
            self._claims.end(message.id)
        if error is not None and not isinstance(error, LeaseLostError):
            log.error("an outcome was not written", message_id=str(message.id), error=str(error))
        log.debug("message handled", message_id=str(message.id), outcome=type(outcome).__name__)
        if isinstance(outcome, MessagePostponed) and outcome.next_attempt_at is not None:
            pause = outcome.next_attempt_at - self._database.clock.now()
            self._wake_in(pause.total_seconds())
        elif isinstance(outcome, MessagePostponed):
            self.wake()
        else:
            self._wake.set()


def _log_failure(reported: "asyncio.Future[None]") -> None:
    error = None if reported.cancelled() else reported.exception()
    if error is not None and not isinstance(error, LeaseLostError):
        log.error("a restriction was not written", error=str(error))
