"""One account's session on its network, for as long as this node owns the account."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import structlog
from msgspec.structs import replace

from heliograph.core.accounts import sql as accounts_sql
from heliograph.core.accounts.model import Account as StoredAccount
from heliograph.core.accounts.model import Restriction
from heliograph.core.accounts.secrets import open_secrets
from heliograph.core.cluster.chores import Chore
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.change_sender import ChangeSender
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.job_runner import JobRunner
from heliograph.core.dispatch.outbound import Outbound
from heliograph.core.dispatch.received_files import keep_file
from heliograph.core.dispatch.restriction import RestrictionState
from heliograph.core.dispatch.send_limits import DailyAllowance, SendRate
from heliograph.core.ingest.model import Report
from heliograph.core.ingest.presses import mark_possible_press
from heliograph.core.ingest.service import ReportService
from heliograph.core.ingest.storable import clean, least_of, storable
from heliograph.core.media.service import MediaService
from heliograph.core.messages.queue.senders import Senders
from heliograph.errors import StorageUnavailableError
from heliograph.networks.errors import DriverFailedError, LeaseLostError, NetworkError
from heliograph.networks.port import (
    Account,
    AccountStatus,
    Capabilities,
    Inbound,
    Network,
    NetworkEvent,
    Receipt,
    Restricted,
    Session,
    SessionState,
    Unrestricted,
)
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError
from heliograph.platform.aio.backoff import backoff
from heliograph.platform.aio.periodic import (
    Attempt,
    PeriodicWriter,
    attempt_and_log,
    wait_until_set,
)
from heliograph.platform.crypto import SecretBox
from heliograph.platform.database.floors import START, Floor
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.telemetry.tracing import OFF, Tracer

log = structlog.get_logger()

HEALTH_CHECK_INTERVAL = 60.0
PING_TIMEOUT = 20.0
CONNECT_TIMEOUT = 60.0
CLOSE_TIMEOUT = 12.0
"""Seconds for a session to finish its work: a connection that outlives it would disconnect the
account's next one, here or on another node. A node that stops waits less."""
_REOPEN_FIRST = 1.0
_MAY_LAST = (AccountStatus.CONNECTED, AccountStatus.PAIRING, AccountStatus.LOGGED_OUT)
_SILENT_CHECKS = 3
WRITE_HEALTH_INTERVAL = 5.0
HealthChecks = PeriodicWriter[Lease, datetime]


def write_health_checks_to(database: Database) -> HealthChecks:
    """Return the writer of the times of answered pings: one statement for each shard.

    What a dying node has not written is written by the account's next owner within a minute.
    """

    async def write(answered: Mapping[Lease, datetime]) -> None:
        by_shard: defaultdict[int, list[tuple[UUID, UUID, datetime]]] = defaultdict(list)
        for lease, at in answered.items():
            tenant = lease.tenant
            by_shard[tenant.shard].append((tenant.organization_id, lease.resource_id, at))
        for shard, checks in by_shard.items():
            await database.transact(accounts_sql.set_health_checked, shard=shard, checks=checks)

    return PeriodicWriter(write, interval=WRITE_HEALTH_INTERVAL, chore=Chore.RECORD_HEALTH_CHECKS)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The services that all sessions of a node share."""

    database: Database
    notifications: Notifications
    networks: NetworkRegistry
    reports: ReportService
    media: MediaService
    secret_box: SecretBox
    keeper: LeaseKeeper
    health: HealthChecks
    senders: Senders = field(default_factory=Senders)
    health_check_interval: float = HEALTH_CHECK_INTERVAL
    tracer: Tracer = OFF
    attempt: Attempt = attempt_and_log


class SessionEvents:
    """The `Events` of one session, until it is closed. Events published later are refused: they
    would be attributed to the account's next session."""

    def __init__(self, publish: Callable[[Sequence[NetworkEvent]], Awaitable[None]]) -> None:
        self._publish = publish
        self._is_over = False

    def end(self) -> None:
        self._is_over = True

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        """Publish the events. Returns when they are committed."""
        if self._is_over:
            raise LeaseLostError("this session was closed")
        await self._publish(events)


class AccountSession:
    """One account while this node owns it: opens its session, sends its queue and runs its jobs."""

    def __init__(
        self, context: SessionContext, lease: Lease, floor: Callable[[], Floor] = lambda: START
    ) -> None:
        self._context = context
        self.lease = lease
        self._floor = floor
        self.status: AccountStatus | None = None
        """The state last reported, even if no session is wanted any more; None before the first
        report."""
        self.reopen_asked_at: datetime | None = None
        """The latest request to read the account again that has been followed."""
        self._outbound: Outbound | None = None
        self._changes: ChangeSender | None = None
        self._job_runner: JobRunner | None = None
        self._network = ""
        self._keeps_content = False
        self._capabilities = Capabilities(frozenset())
        self._changed = asyncio.Event()
        self._restriction = RestrictionState()
        self._events = SessionEvents(self._handle)

    @property
    def is_restricted(self) -> bool:
        """Whether its network restricts the account at present."""
        return self._restriction.at(self._context.database.clock.now()) is not None

    def wake(self) -> None:
        """Look for messages to send and jobs to run."""
        self.wake_outbound()
        self.wake_jobs()

    def wake_outbound(self) -> None:
        if self._outbound is not None:
            self._outbound.wake()
        if self._changes is not None:
            self._changes.wake()

    def wake_jobs(self) -> None:
        if self._job_runner is not None:
            self._job_runner.wake()

    def account_changed(self) -> None:
        """Reload the account's row, which has changed."""
        self._changed.set()

    async def run(self) -> None:
        """Keep the session open until canceled; reopen it whenever it fails or stops answering."""
        attempt, driver_failure = 0, ""
        while True:
            _raise_if_cancelled()
            self._changed.clear()
            try:
                opened = await self._open()
                if opened is None:
                    await self._changed.wait()
                    continue
                attempt = 0
                await self._hold(*opened)
            except LeaseLostError:
                attempt = 0  # if the lease is really lost, the keeper cancels this task
            except NetworkError as error:
                await self._report_failure(error)
            except (DriverLoadError, UnknownNetworkError) as error:
                if driver_failure != str(error):  # otherwise it is a repetition
                    driver_failure = str(error)
                    log.error(
                        "no driver", account_id=str(self.lease.resource_id), reason=driver_failure
                    )
                await self._report_failure(NetworkError(driver_failure))
            except Exception:
                log.exception("a session failed", account_id=str(self.lease.resource_id))
            _raise_if_cancelled()
            await wait_until_set(self._changed, backoff(attempt, _REOPEN_FIRST))
            attempt += 1

    async def _report_failure(self, error: NetworkError) -> None:
        try:
            await self._report(SessionState(AccountStatus.DISCONNECTED, reason=error.reason))
        except Exception:
            log.warning("a failure to connect was not reported", exc_info=True)

    async def _open(self) -> "tuple[Session, StoredAccount] | None":
        """Open the session. Returns it and its account; None while no session is wanted.

        Raises `LeaseLostError`: a connection made without the lease would end the owner's.
        """
        await self._take_back()
        tenant = self.lease.tenant
        found = await self._context.database.within(None).transact(
            accounts_sql.find_for_session, tenant, self.lease.resource_id
        )
        self.reopen_asked_at = found.reopen_asked_at if found else None
        if found is None or found.account.status is AccountStatus.LOGGED_OUT:
            self.status = found.account.status if found else None
            return None
        account = found.account
        self._network = account.network
        self._keeps_content = account.message_logging_enabled
        self._restriction = RestrictionState(account.restriction)
        network: Network = self._context.networks.get_network(account.network)
        self._capabilities = network.capabilities
        seen = Account(
            id=account.id,
            name=account.name,
            settings=account.settings,
            secrets=self._decrypt(found.encrypted_secrets),
            remote_jid=account.remote_jid,
            cursors=found.cursors,
        )
        self._require_lease()
        return await self._connect(network, seen), account

    async def _connect(self, network: Network, seen: Account) -> Session:
        self._events.end()
        self._events = SessionEvents(self._handle)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                session = await network.connect(seen, self._events)
        except TimeoutError:
            raise NetworkError("The chat network could not be reached in time.") from None
        except (NetworkError, LeaseLostError):
            raise
        except Exception as error:
            log.exception("connecting failed", network=network.name, account_id=str(seen.id))
            raise DriverFailedError(network.name, "connect", error) from error
        if not isinstance(session, Session):
            raise NetworkError(f"The driver of the network {network.name!r} returned no session.")
        return session

    def _require_lease(self) -> None:
        if not self._context.keeper.is_valid(self.lease):
            raise LeaseLostError("another node owns this account")

    def _decrypt(self, encrypted: bytes | None) -> dict[str, str]:
        box, lease = self._context.secret_box, self.lease
        return open_secrets(box, lease.tenant, lease.resource_id, encrypted)

    async def _take_back(self) -> None:
        """Requeue the messages that an earlier owner was sending when it died.

        Raises `LeaseLostError` if this node does not own the account.
        """

        database = self._context.database.within(None)
        if not await database.transact(requeue_claimed, self.lease):
            raise LeaseLostError("another node owns this account")

    async def _hold(self, session: Session, account: StoredAccount) -> None:
        context = self._context
        active = ActiveSession(session, self._is_open, self._capabilities, context.media)
        self._outbound = Outbound(
            context.database,
            context.reports,
            self.lease,
            self._network,
            active,
            SendRate(account.send_rate),
            DailyAllowance(context.database, self.lease, is_warming=account.auto_warmer_enabled),
            restriction=self._restriction,
            senders=context.senders,
            floor=self._floor,
            tracer=context.tracer,
        )
        self._changes = ChangeSender(
            context.database, context.reports, self.lease, self._network, active
        )
        self._job_runner = JobRunner(
            context.database, context.reports, context.media, self.lease, self._network, active
        )
        self.wake()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._outbound.run())
                group.create_task(self._changes.run())
                group.create_task(self._job_runner.run())
                group.create_task(self._check_health(session))
                await self._changed.wait()
                raise _AccountChangedError
        except* _AccountChangedError:
            log.info("the account changed, its session is opened anew")
        finally:
            self._outbound = self._changes = self._job_runner = None
            self.status = None
            with suppress(Exception):
                await asyncio.wait_for(session.close(), CLOSE_TIMEOUT)
            self._events.end()

    def _is_open(self) -> bool:
        """Whether a send may begin: the session is connected and the lease is certainly held."""
        return self.status is AccountStatus.CONNECTED and self._context.keeper.is_valid(self.lease)

    async def _check_health(self, session: Session) -> None:
        """Ping a connected session every `health_check_interval` seconds.

        Reopen a session that stays without a connection: its driver may have given up.
        """
        silent = 0
        while True:
            await asyncio.sleep(self._context.health_check_interval)
            if self._outbound is not None:
                self._outbound.recover_stale_claims()
            self.wake_jobs()
            if not self._context.keeper.is_valid(self.lease):
                continue  # this process may have been frozen for longer than its lease lasts
            if self.status is AccountStatus.CONNECTED:
                silent = 0
                await self._prove_life(session)
            elif self.status not in _MAY_LAST:
                silent += 1
            if silent == _SILENT_CHECKS:
                log.warning("no connection for long", account_id=str(self.lease.resource_id))
                await self._report(SessionState(AccountStatus.DISCONNECTED))
                self.account_changed()

    async def _prove_life(self, session: Session) -> None:
        try:
            await asyncio.wait_for(session.ping(), PING_TIMEOUT)
        except TimeoutError:
            await self._end_lifeless(f"no answer to a ping within {PING_TIMEOUT:.0f} s")
        except NetworkError as error:
            await self._end_lifeless(error.reason)
        except Exception as error:
            log.exception("a driver failed in a way it must not", network=self._network)
            await self._end_lifeless(DriverFailedError(self._network, "ping", error).reason)
        else:
            self._context.health.record(self.lease, self._context.database.clock.now())

    async def _end_lifeless(self, reason: str) -> None:
        """Report the account as disconnected, and reopen its session."""
        log.warning("no proof of life", account_id=str(self.lease.resource_id))
        await self._report(SessionState(AccountStatus.DISCONNECTED, reason=reason))
        self.account_changed()

    # --- what the driver reports ---------------------------------------------------------------

    async def _handle(self, events: Sequence[NetworkEvent]) -> None:
        """Write what the driver publishes. Returns when that is committed.

        A driver whose events are refused is closed, and reopened if the lease turns out to be held
        after all.
        """
        try:
            self._require_lease()
            await self._publish(events)
        except LeaseLostError:
            self.account_changed()
            raise

    async def _publish(self, events: Sequence[NetworkEvent]) -> None:
        for event in events:
            if isinstance(event, Receipt) and self._outbound is not None:
                await self._outbound.wait_for_outcome(event.chat_message_id)
        if answers := self._capabilities.answered_by_text:
            events = [mark_possible_press(event, answers) for event in events]
        stored = [self._storable(await self._kept(event)) for event in events]
        await self._report(*[event for event in stored if event is not None])
        for event in events:
            if isinstance(event, SessionState):
                self._record_state(event)
            elif isinstance(event, Restricted | Unrestricted):
                self._record_restriction(event)

    def _storable(self, event: NetworkEvent) -> NetworkEvent | None:
        """Return the storable part of the event, or None if nothing of it can be stored."""
        # a malformed event of a driver would block everything behind it
        try:
            return storable(event)
        except Exception:
            log.exception("a driver failed in a way it must not", network=self._network)
            return least_of(event)

    async def _kept(self, event: NetworkEvent) -> NetworkEvent:
        """Store the event's file and replace it by a link. If the storage fails, the file is lost
        but the message is kept."""
        if not isinstance(event, Inbound) or event.file is None:
            return event
        try:
            if self._keeps_content:
                return await keep_file(self._context.media, self.lease.tenant, event, event.file)
        except StorageUnavailableError:
            log.error("a file was not kept", account_id=str(self.lease.resource_id))
        return replace(event, file=None, media_url=None)

    def _record_state(self, state: SessionState) -> None:
        self.status = state.status
        log.info(
            "session state",
            account_id=str(self.lease.resource_id),
            status=state.status,
            reason=state.reason,
        )
        if state.status is AccountStatus.CONNECTED:
            self.wake()

    def _record_restriction(self, event: Restricted | Unrestricted) -> None:
        restriction = None
        if isinstance(event, Restricted):
            restriction = Restriction(event.kind, event.until, clean(event.reason))
        self._restriction.set(restriction)
        log.info(
            "restriction",
            account_id=str(self.lease.resource_id),
            until=None if restriction is None else restriction.until.isoformat(),
        )
        if self._outbound is not None:
            self._outbound.restriction_changed()

    async def _report(self, *events: NetworkEvent) -> None:
        await self._context.reports.report(
            [Report(self.lease, self._network, event) for event in events]
        )


class _AccountChangedError(Exception):
    pass


def _raise_if_cancelled() -> None:
    """Raise a cancellation that was swallowed.

    A task group that ends with an error at the same time swallows it (before Python 3.13), and so
    does `wait_for` (before 3.12). The session would go on without its lease, and the account's next
    session would wait for its end.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
