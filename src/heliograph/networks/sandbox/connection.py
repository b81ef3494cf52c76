"""The connection of one session to the network: pairing, connecting, being dropped, coming back.

pairing --accepted--> connected --cut--> disconnected --backoff--> connecting --> connected
                          |
                          +--logged out, banned, replaced--> the end
"""

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NoReturn
from uuid import UUID, uuid4

import msgspec
import structlog

from heliograph.networks import port
from heliograph.networks.connection import stay_connected
from heliograph.networks.errors import LeaseLostError, NetworkError
from heliograph.networks.reporting import Reporter
from heliograph.networks.sandbox import addresses, devices, phones
from heliograph.networks.sandbox.database_access import (
    NetworkDatabase,
    restriction_topic,
    topic,
)
from heliograph.networks.sandbox.devices import Standing
from heliograph.networks.sandbox.mailbox import Mailbox
from heliograph.networks.sandbox.options import Options
from heliograph.networks.sandbox.outbox import Outbox
from heliograph.platform.aio.backoff import backoff
from heliograph.platform.aio.futures import resolve
from heliograph.platform.aio.periodic import wait_until_set

CODE_LIFETIME = 180.0
EXPIRY_GRACE = 10.0
LOOK_INTERVAL = 1.0

log = structlog.get_logger(__name__)


class Pace(msgspec.Struct, frozen=True):
    """In seconds: how long the slow phone takes to accept a message, the first wait before
    reconnecting, and how long a QR payload is valid."""

    slowness: float = 3.0
    first_delay: float = 1.0
    qr_seconds: float = 20.0


class SessionResources(msgspec.Struct, frozen=True):
    """What the sessions of one process share."""

    context: port.NetworkContext
    mailbox: Mailbox
    outbox: Outbox
    pace: Pace


class Connection:
    """Keeps one session connected, and passes on what its mailbox holds."""

    def __init__(
        self,
        account: port.Account,
        events: port.Events,
        resources: SessionResources,
        options: Options,
    ) -> None:
        self.account_id = account.id
        self.session_id: UUID = uuid4()
        self.registration = account.secrets.get("registration")
        self._is_new = self.registration is None
        self._events = events
        self._resources = resources
        self._context = resources.context
        self._database = NetworkDatabase(resources.context.pool)
        self._options = options
        self._reporter = Reporter(events, account.id, first_delay=resources.pace.first_delay)
        self._woken = asyncio.Event()
        self._drop: asyncio.Future[Standing] | None = None
        self._restricted_until: datetime | None = None
        self._restriction_changed = asyncio.Event()
        self._subscriptions = (
            self._context.subscribe(topic(account.id), self._on_wake),
            self._context.subscribe(restriction_topic(account.id), self._restriction_changed.set),
        )
        self._life = asyncio.create_task(self._live())

    async def close(self) -> None:
        self._unsubscribe()
        await self._resources.mailbox.detach(self)
        if self._life is not asyncio.current_task():
            self._life.cancel()
            await asyncio.wait([self._life])

    def standing(self, device: devices.Device | None) -> Standing:
        if device is None or device.registration != self.registration:
            return "logged_out"
        return devices.standing(device.status, device.session_id, self.session_id)

    def _unsubscribe(self) -> None:
        for unsubscribe in self._subscriptions:
            unsubscribe()

    # --- what the mailbox says ---

    async def take(self, events: Sequence[port.NetworkEvent]) -> bool:
        try:
            await self._events.publish(events)
        except LeaseLostError:
            self._life.cancel()
            return False
        except Exception:
            log.exception("sandbox_events_not_taken", account_id=str(self.account_id))
            return False
        return True

    def dropped(self, why: Standing) -> None:
        if self._drop is not None:
            resolve(self._drop, why)

    def _on_wake(self) -> None:
        self._woken.set()
        self._resources.mailbox.wake(self.account_id)

    # --- the life of the connection ---

    async def _live(self) -> None:
        try:
            if self.registration is None and not await self._pair():
                return
            first_delay = self._resources.pace.first_delay
            await stay_connected(self._connect_once, self._reporter, first_delay)
        except LeaseLostError:
            log.info("sandbox_session_gave_way", account_id=str(self.account_id))
        finally:
            self._unsubscribe()
            await self._resources.mailbox.detach(self)

    async def _connect_once(self) -> NoReturn:
        """Log on, and stay connected. Raises the reason why the connection ended."""
        device = await self._log_on()
        why = await (self._until_dropped(device) if device else self._why_refused())
        raise devices.error_of(why)

    async def _log_on(self) -> devices.Device | None:
        with contextlib.suppress(NetworkError):
            return await devices.log_on(
                self._database,
                self.account_id,
                self.registration or "",
                self.session_id,
                self._context.now(),
            )
        return None

    async def _why_refused(self) -> Standing:
        with contextlib.suppress(NetworkError):
            stand = self.standing(await devices.find_device(self._database, self.account_id))
            if stand in ("logged_out", "banned"):
                return stand
        return "cut"

    async def _until_dropped(self, device: devices.Device) -> Standing:
        self._drop = asyncio.get_running_loop().create_future()
        self._context.notify(topic(self.account_id))  # wakes the session that this one replaces
        connected = port.SessionState(
            port.AccountStatus.CONNECTED,
            remote_jid=device.jid,
            phone_number=addresses.phone_number(device.jid),
            secrets={"registration": device.registration} if self._is_new else None,
        )
        await self._reporter.report(connected)
        self._is_new = False
        self._resources.mailbox.attach(self)
        following = asyncio.create_task(self._follow_restriction())
        try:
            return await self._drop
        finally:
            following.cancel()
            await self._resources.mailbox.detach(self)

    async def _follow_restriction(self) -> None:
        """Report when the network restricts the account, or lifts the restriction early."""
        self._restriction_changed.set()
        while True:
            await self._restriction_changed.wait()
            self._restriction_changed.clear()
            with contextlib.suppress(NetworkError):
                device = await devices.find_device(self._database, self.account_id)
                await self._report_restriction(device.restricted_until if device else None)

    async def _report_restriction(self, until: datetime | None) -> None:
        if until is not None and until <= self._context.now():
            until = None
        if until == self._restricted_until:
            return
        event: port.NetworkEvent = port.Unrestricted()
        if until is not None:
            event = port.Restricted("new_conversations", until, devices.RESTRICTED)
        self._restricted_until = until
        await self._reporter.publish([event])

    # --- pairing ---

    async def _pair(self) -> bool:
        """Offer codes until somebody accepts one; then the account is a device of the network.

        Returns False when the network does not take the account at all.
        """
        while True:
            try:
                if self._options.pair_automatically or await self._offered_and_accepted():
                    await self._register()
                    return True
            except NetworkError as error:
                if error.permanent:
                    await self._reporter.show(port.AccountStatus.LOGGED_OUT, error.reason)
                    return False
                log.warning("sandbox_pairing_waits", reason=error.reason)
                await asyncio.sleep(backoff(0, self._resources.pace.first_delay))

    async def _register(self) -> None:
        token = secrets.token_urlsafe(24)
        await devices.register(
            self._database, self.account_id, token, self._options, self._context.now()
        )
        await phones.insert_phones(
            self._database, self.account_id, phones.address_book(self._options.contacts)
        )
        await devices.clear_pairings(self._database, self.account_id)
        self.registration = token

    async def _offered_and_accepted(self) -> bool:
        kind: Literal["qr", "code"] = "qr" if self._options.own_jid is None else "code"
        qr = kind == "qr"
        payload = addresses.new_qr_payload() if qr else addresses.new_pairing_code()
        life = timedelta(seconds=self._resources.pace.qr_seconds if qr else CODE_LIFETIME)
        now = self._context.now()
        await devices.offer_pairing(
            self._database,
            self.account_id,
            payload,
            now=now,
            expires_at=now + life + timedelta(seconds=EXPIRY_GRACE),
        )
        step = port.PairingStep(kind, payload, now + life)
        await self._reporter.report(port.SessionState(port.AccountStatus.PAIRING, pairing=step))
        return await self._accepted_within(life.total_seconds())

    async def _accepted_within(self, seconds: float) -> bool:
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while (left := until - clock()) > 0:
            await wait_until_set(self._woken, min(left, LOOK_INTERVAL))
            self._woken.clear()
            if await devices.pairing_accepted(self._database, self.account_id):
                return True
        return False
