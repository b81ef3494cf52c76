"""The connection of one session to WhatsApp: pairing, connecting, losing the connection,
reconnecting.

pairing --scanned--> connected --lost--> disconnected --the library--> connecting --> connected
   |                     |
   |                     +--banned, outdated, replaced--> disconnected until its time has come
   +--nobody scanned, refused--+--logged out--> the end
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import compress, takewhile
from operator import not_
from typing import Any, NoReturn
from uuid import UUID

import structlog
from neonize.proto.Neonize_pb2 import (
    Connected,
    Device,
    Disconnected,
    KeepAliveRestored,
    KeepAliveTimeout,
)

from heliograph.networks.connection import stay_connected
from heliograph.networks.errors import (
    BannedError,
    LeaseLostError,
    LoggedOutError,
    NetworkError,
    NotConnectedError,
)
from heliograph.networks.port import (
    Account,
    AccountStatus,
    Events,
    NetworkContext,
    NetworkEvent,
    SessionState,
)
from heliograph.networks.reporting import Reporter
from heliograph.networks.whatsapp import files, sql
from heliograph.networks.whatsapp.addresses import phone_number
from heliograph.networks.whatsapp.client_run import Arrived, ClientRun, Item, PairingWord, QrCode
from heliograph.networks.whatsapp.conversion import disconnects
from heliograph.networks.whatsapp.conversion.arrivals import at_of
from heliograph.networks.whatsapp.conversion.disconnects import End
from heliograph.networks.whatsapp.conversion.jids import to_device_text, to_jid, to_text
from heliograph.networks.whatsapp.directory import Directory
from heliograph.networks.whatsapp.event_converter import EventConverter, one_file_at_most
from heliograph.networks.whatsapp.files import Fetch
from heliograph.networks.whatsapp.library_client import DEVICE, MakeLibraryClient
from heliograph.networks.whatsapp.options import Kept
from heliograph.networks.whatsapp.originals import Originals
from heliograph.networks.whatsapp.pairing import Pairing
from heliograph.networks.whatsapp.sent_ids import SentIds, UnderWay
from heliograph.networks.whatsapp.sql import database_errors
from heliograph.networks.whatsapp.threads import ThreadQueue, run_aside
from heliograph.networks.whatsapp.unprocessed_events import UnprocessedEvents, is_worth_keeping
from heliograph.platform.aio.backoff import backoff

MAX_BACKOFF = 300.0
MAX_RETRY_INTERVAL = 20.0
"""Seconds between two tries to have something stored."""
BATCH = 100
QUIET_TIMEOUT = 0.05
"""Seconds of silence after which a disconnected client is assumed to have delivered everything."""
SEND_TIMEOUT = 5.0
"""Seconds for sends in progress when a session is closed: interrupted ones may be sent twice."""
HANG_UP_TIMEOUT = 5.0
"""Seconds for a client to disconnect and to deliver its remaining events, including a few for
dialing."""
MAX_LEFT = 10_000
"""More than the library's queues hold: further events of a disconnected client are lost, which is
logged."""
UPLOADS_AT_ONCE = 3
TAKEOVER_PERIOD = 120.0
"""Seconds after a session's start in which another client may be the account's former owner."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SessionResources:
    """The resources that the sessions of one process share. `first_delay` is the first wait, in
    seconds, before reconnecting; `fetch` downloads files; `under_way` has the accounts' sends;
    `uploads` limits the files that are in memory while they are uploaded."""

    context: NetworkContext
    make_client: MakeLibraryClient
    first_delay: float = 2.0
    fetch: Fetch = files.fetch
    under_way: defaultdict[UUID, UnderWay] = field(default_factory=lambda: defaultdict(dict))
    uploads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(UPLOADS_AT_ONCE))


class Connection:
    """Keeps one session connected, and passes on its events."""

    def __init__(
        self, account: Account, events: Events, resources: SessionResources, number: str | None
    ) -> None:
        self.account_id = account.id
        self.directory = Directory()
        self.sent_ids = SentIds(
            resources.context.pool, account.id, self.directory, resources.under_way[account.id]
        )
        self.originals = Originals(resources.context.pool, account.id, resources.context.now)
        self.kept = Kept.read(account.secrets)
        self._known_jid = account.remote_jid or ""
        self._resources = resources
        self._context = resources.context
        self._number = number
        self._converter = EventConverter(
            account.id, self.directory, self.sent_ids, self.originals, resources.fetch
        )
        self._reporter = Reporter(
            events, account.id, first_delay=resources.first_delay, max_delay=MAX_RETRY_INTERVAL
        )
        self._current_run: ClientRun | None = None
        self._pending: deque[Item] = deque()
        self._refusal: NetworkError | None = None
        self._pairing = Pairing(self._reporter, self._context.now, self._number)
        self._connected_at = 0.0
        self._opened_at = asyncio.get_running_loop().time()
        self._is_closing = self._is_ending = False
        self._unprocessed = UnprocessedEvents(
            account.id, resources.context, self._handle_unprocessed
        )
        self._life = asyncio.create_task(self._live())
        self._attention = asyncio.create_task(self._attend())

    @property
    def own_jid(self) -> str:
        """The account's address with its number; empty until it is paired."""
        return to_text(to_jid(self.kept.device)) if self.kept.device else self._known_jid

    def now(self) -> datetime:
        return self._context.now()

    def current_run(self) -> ClientRun:
        """Return the run of the client that is connected.

        Raises `NotConnectedError`, `LoggedOutError` and `BannedError`.
        """
        if self._refusal is not None:
            raise self._refusal
        is_connected = self._reporter.status is AccountStatus.CONNECTED and not self._is_closing
        if self._current_run is None or not is_connected:
            raise NotConnectedError("The account is not connected to WhatsApp at the moment.")
        return self._current_run

    def logged_out(self, reason: str) -> None:
        """End the connection, because we have ended the registration."""
        run = self._current_run
        if run is not None:
            end = End(reason, is_final=True)
            run_aside(lambda: run.items.put(end), "whatsapp-drop")

    async def close(self) -> None:
        """Close the connection. Returns when sends in progress have ended and the client has
        disconnected, or after a time limit."""
        self._is_closing = True
        if await self._is_ours():
            await self.sent_ids.drained(SEND_TIMEOUT)
        self._end()
        self._attention.cancel()
        await asyncio.wait([self._life, self._attention])
        self._unprocessed.close()

    async def _is_ours(self) -> bool:
        """Return whether this node still owns the account."""
        try:
            await self._reporter.require_lease()
        except Exception:
            return False
        return True

    def _end(self) -> None:
        """Cancel the life of the connection, once."""
        # a second cancellation would interrupt the clean-up of the first one
        if not self._is_ending:
            self._is_ending = True
            self._life.cancel()

    async def _attend(self) -> None:
        try:
            await self._unprocessed.attend()
        except LeaseLostError:
            self._end()

    async def _handle_unprocessed(self, events: Sequence[Any]) -> None:
        await self._reporter.require_lease()
        if events:
            await self._handle_events(events, None)

    # --- the life of the connection ---

    async def _live(self) -> None:
        first_delay = self._resources.first_delay
        try:
            await stay_connected(self._connect, self._reporter, first_delay, MAX_BACKOFF)
        except LeaseLostError:
            log.info("whatsapp_session_gave_way", account_id=str(self.account_id))
        finally:
            await self._set_aside()
            if self._pending:
                log.error(
                    "whatsapp_events_lost",
                    account_id=str(self.account_id),
                    count=len(self._pending),
                )

    async def _connect(self) -> NoReturn:
        """Run one client after another, with the pauses that WhatsApp asks for. Raises the reason
        why the last one has ended."""
        while True:
            await self._wait_out()
            self._connected_at = 0.0
            end = await self._connect_once()
            await self._set_aside()
            if end.is_final:
                self._refusal = LoggedOutError(end.reason)
                raise self._refusal
            if not end.pause:
                raise NetworkError(end.reason)
            await self._hold(end)

    async def _set_aside(self) -> None:
        """Store unprocessed events of a connection in the database, however long the next one
        takes."""
        if await self._unprocessed.keep(self._pending):
            self._pending.clear()

    async def _wait_out(self) -> None:
        """Wait for the end of a ban or the like, also in a session opened meanwhile."""
        left = self.kept.left(self._context.now())
        if left <= 0:
            return
        reason = self.kept.held_reason or "The account rests."
        self._refusal = BannedError(reason, until=self.kept.held_until)
        await self._reporter.show(AccountStatus.DISCONNECTED, reason, stays_away=True)
        await asyncio.sleep(left)
        self.kept = self.kept.free()
        self._refusal = None
        await self._reporter.show(AccountStatus.CONNECTING)

    async def _hold(self, end: End) -> None:
        """Record until when the account must not connect."""
        pause, replaced = end.pause, 0
        if end.is_replaced:
            replaced = self._times_replaced()
            pause = self._replaced_pause(replaced)
        now = self._context.now()
        self.kept = self.kept.held(now, pause, end.reason, replaced=replaced)
        state = SessionState(
            AccountStatus.DISCONNECTED,
            end.reason,
            secrets=self.kept.written(),
            stays_away=True,
        )
        await self._reporter.report(state)

    def _times_replaced(self) -> int:
        """Return how often the session was replaced in a row."""
        # a lasting connection resets the count
        lasted = asyncio.get_running_loop().time() - self._connected_at
        is_lasting = bool(self._connected_at) and lasted > 2 * disconnects.REPLACED_PAUSE
        return 1 if is_lasting else min(self.kept.times_replaced(self._context.now()) + 1, 10)

    def _replaced_pause(self, times: int) -> float:
        age = asyncio.get_running_loop().time() - self._opened_at
        return disconnects.replaced_pause(times, is_takeover=age < TAKEOVER_PERIOD)

    async def _connect_once(self) -> End:
        """Run one client, from its start to its end. Returns why it ended."""
        device = self.kept.device
        try:
            await self._unprocessed.handle_kept()  # older than anything that a connection brings
            with database_errors():
                gone = device and not await sql.has_device(self._context.pool, device)
                await self._delete_old()
        except NetworkError as error:
            return End(error.reason)
        if gone:
            return End("The account's session is gone: pair it again.", is_final=True)
        self._pairing = Pairing(self._reporter, self._context.now, self._number)
        await self._reporter.require_lease()
        self._current_run = run = ClientRun(self._resources.make_client(device), ThreadQueue())
        run.start()
        try:
            return await self._listen(run)
        finally:
            self._current_run = None
            await self._hang_up_and_drain(run)

    async def _delete_old(self) -> None:
        pool, now = self._context.pool, self._context.now()
        await sql.delete_old_sent(pool, self.account_id, now)
        await sql.delete_old_originals(pool, self.account_id, now)

    async def _hang_up_and_drain(self, run: ClientRun) -> None:
        """Disconnect, and accept the client's remaining events."""
        # of these, and of earlier waiting events, only messages, receipts and groups are kept
        run.close()
        self._pending = deque(item for item in self._pending if is_worth_keeping(item))
        try:
            async with asyncio.timeout(HANG_UP_TIMEOUT):
                await self._drain(run)
        except TimeoutError:
            log.warning("whatsapp_phone_not_silent", account_id=str(self.account_id))
        finally:
            run.items.close()

    async def _drain(self, run: ClientRun) -> None:
        """Accept events until the client has disconnected and is silent."""
        while True:
            was_down = run.is_down
            last = run.items.take_now(BATCH * 10)
            self._leave([item for item in last if is_worth_keeping(item)])
            if was_down and not last:
                return
            await asyncio.sleep(QUIET_TIMEOUT)

    def _leave(self, items: Sequence[Item]) -> None:
        room = max(0, MAX_LEFT - len(self._pending))
        self._pending.extend(items[:room])
        if lost := len(items[room:]):
            log.error("whatsapp_events_lost", account_id=str(self.account_id), count=lost)

    # --- what the client says ---

    async def _listen(self, run: ClientRun) -> End:
        while True:
            self._pending.extend(await run.items.take(BATCH))
            end = await self._work_off(run)
            if end is not None:
                return end

    async def _work_off(self, run: ClientRun) -> End | None:
        """Pass on pending items, in order."""
        # an item is removed from the list when it is on disk
        while self._pending:
            await asyncio.sleep(0)  # other tasks get their turn even in a flood
            inbound = self._next_inbound()
            if inbound:
                await self._handle_inbound(inbound, run)
                for _ in inbound:
                    self._pending.popleft()
                continue
            end = await self._handle(self._pending[0], run)
            self._pending.popleft()
            if end is not None:
                return end
        return None

    def _next_inbound(self) -> list[Any]:
        """Return the messages and receipts at the head of the pending items."""
        return one_file_at_most(
            item.event
            for item in takewhile(_is_inbound, self._pending)
            if isinstance(item, Arrived)
        )

    async def _handle_inbound(self, events: Sequence[Any], run: ClientRun) -> None:
        waits = [self._unprocessed.awaits(event) for event in events]
        awaited = list(compress(events, waits))
        if awaited and await self._unprocessed.hold(awaited):
            events = list(compress(events, map(not_, waits)))
        await self._handle_events(events, run)

    async def _handle_events(self, events: Sequence[Any], run: ClientRun | None) -> None:
        reports = await self._converter.reports(events, self.own_jid, run)
        if reports:
            await self._reporter.publish(reports)

    async def _handle(self, item: Item, run: ClientRun) -> End | None:
        if isinstance(item, End):
            return item
        if isinstance(item, QrCode):
            return await self._pairing.offer(item.payload, run)
        if isinstance(item, PairingWord):
            return await self._pairing.handle(item.status)
        end = disconnects.end_of(item.event)
        if end is None:
            await self._handle_state(item)
        return end

    async def _handle_state(self, item: Arrived) -> None:
        event = item.event
        if item.code == DEVICE:
            await self._record_device(event)
        elif isinstance(event, Connected):
            self._connected_at = asyncio.get_running_loop().time()
            await self._report_connected()
        elif isinstance(event, KeepAliveRestored):
            await self._report_connected()
        elif isinstance(event, KeepAliveTimeout):
            since = at_of(event.LastSuccess).strftime("%H:%M:%S UTC")
            reason = f"WhatsApp has not answered since {since} (keep-alive timeout)."
            await self._reporter.show(AccountStatus.DISCONNECTED, reason)
        elif isinstance(event, Disconnected) and self._reporter.status is not AccountStatus.PAIRING:
            await self._reporter.show(AccountStatus.DISCONNECTED, "WhatsApp closed the connection.")
            await self._reporter.show(AccountStatus.CONNECTING)

    async def _record_device(self, event: Device) -> None:
        device = to_device_text(event.JID)
        await self._keep_device(device)
        self.kept = replace(self.kept, device=device)
        lid = to_text(event.LID)
        if lid:
            await self._reporter.publish(self.directory.record({lid: self.own_jid}))

    async def _keep_device(self, device: str) -> None:
        """Record the account's device, however long that takes."""
        # keys of an unknown account would stay forever
        attempt = 0
        while True:
            try:
                with database_errors():
                    return await sql.insert_device(self._context.pool, self.account_id, device)
            except NetworkError:
                log.warning("whatsapp_device_not_kept", account_id=str(self.account_id))
            await asyncio.sleep(backoff(attempt, self._resources.first_delay, MAX_RETRY_INTERVAL))
            attempt += 1

    async def _report_connected(self) -> None:
        state = SessionState(
            AccountStatus.CONNECTED,
            remote_jid=self.own_jid,
            phone_number=phone_number(self.own_jid),
            secrets=self.kept.written(),
        )
        await self._reporter.report(state)

    # --- reports ---

    async def report(self, events: Sequence[NetworkEvent]) -> None:
        """Report the findings of a request. Raises `NotConnectedError`."""
        try:
            if events:
                await self._reporter.publish(events)
        except LeaseLostError as error:
            raise NotConnectedError("The account belongs to another node by now.") from error


def _is_inbound(item: Item) -> bool:
    """Return whether this item comes from people, not from the connection."""
    if not isinstance(item, Arrived):
        return False
    states = (Device, Connected, Disconnected, KeepAliveTimeout, KeepAliveRestored)
    return not isinstance(item.event, states) and disconnects.end_of(item.event) is None
