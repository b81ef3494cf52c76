"""One attempt to send a message, and its outcome."""

import random
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.retries import GIVE_UP_AFTER, is_exhausted, retry_delay
from heliograph.core.ingest.model import (
    MessagePostponed,
    MessageRefused,
    MessageTaken,
    ReportedEvent,
)
from heliograph.core.ingest.storable import clean, storable_sent
from heliograph.core.messages.edits.ending import EXPIRED
from heliograph.core.messages.model import ClaimedMessage
from heliograph.networks.errors import (
    BannedError,
    DriverFailedError,
    LoggedOutError,
    NetworkError,
    NotConnectedError,
    RestrictedError,
)
from heliograph.networks.port import Outgoing, Quoted
from heliograph.platform.aio.watchdog import Watchdog
from heliograph.platform.database.clock import Clock

log = structlog.get_logger()

NO_CONNECTION_DELAY = 1.0
PERSON_PAUSE = 180.0
"""Seconds until the second and last attempt at a message that the network refuses for one person
only."""
SEND_TIMEOUT = 60.0
"""Seconds without an answer after which the network is assumed to have lost the message."""
_SILENCE = "The chat network did not answer in time."
_GAVE_UP = (
    f"The message could not be sent within {GIVE_UP_AFTER // timedelta(hours=1)} hours of trying. "
    "The last reason: {reason}"
)


class Sending:
    """Sends single messages over a session.

    `restricted` is called if the network restricts the account. It returns until when the message
    has to be held, or None if the restriction concerns this recipient only.
    """

    def __init__(
        self,
        active: ActiveSession,
        network: str,
        clock: Clock,
        *,
        restricted: Callable[[ClaimedMessage, RestrictedError], Awaitable[datetime | None]],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._active = active
        self._network = network
        self._clock = clock
        self._restricted = restricted
        self._chance = chance
        self._watchdog = Watchdog(SEND_TIMEOUT)

    async def send(self, message: ClaimedMessage, reply_to: Quoted | None) -> ReportedEvent:
        """Make one attempt and return its outcome: sent, refused for good, or postponed."""
        if message.expires_at is not None and message.expires_at <= self._clock.now():
            return MessageRefused(message.id, EXPIRED)
        try:
            outgoing = self._outgoing(message, reply_to)
            async with self._watchdog.limit():
                return MessageTaken(
                    message.id, storable_sent(await self._active.session.send(outgoing))
                )
        except (NotConnectedError, LoggedOutError, BannedError) as error:
            # if it is not certain, the network was asked before the connection broke
            is_attempt = not error.certain
            return self._postponed(message, error, NO_CONNECTION_DELAY, is_attempt=is_attempt)
        except RestrictedError as error:
            return await self._hold(message, error)
        except NetworkError as error:
            return self._judge(message, error)
        except TimeoutError:
            return self._judge(message, NetworkError(_SILENCE, certain=False))
        except Exception as error:
            log.exception("a driver failed in a way it must not", network=self._network)
            return self._judge(message, DriverFailedError(self._network, "send", error))

    async def _hold(self, message: ClaimedMessage, error: RestrictedError) -> ReportedEvent:
        until = await self._restricted(message, error)
        if until is not None:
            return MessagePostponed(message.id, until, clean(error.reason), is_attempt=False)
        reason = clean(error.about_person or error.reason)
        if message.failure_reason == reason:
            return MessageRefused(message.id, reason)
        return self._postponed(message, NetworkError(reason), PERSON_PAUSE, is_attempt=True)

    def _outgoing(self, message: ClaimedMessage, reply_to: Quoted | None) -> Outgoing:
        return Outgoing(
            message_id=message.id,
            chat_message_id=message.chat_message_id,
            recipient=message.recipient,
            content=self._active.content(message),
            attempt=message.retry_count,
            file=self._active.file(message),
            reply_to=reply_to,
        )

    def _judge(self, message: ClaimedMessage, error: NetworkError) -> ReportedEvent:
        if error.permanent:
            return MessageRefused(message.id, clean(error.reason), certain=error.certain)
        delay = retry_delay(message.retry_count, error.retry_after, self._chance)
        if is_exhausted(message.connected_seconds + delay):
            reason = _GAVE_UP.format(reason=clean(error.reason))
            return MessageRefused(message.id, reason, certain=error.certain)
        return self._postponed(message, error, delay, is_attempt=True)

    def _postponed(
        self, message: ClaimedMessage, error: NetworkError, delay: float, *, is_attempt: bool
    ) -> MessagePostponed:
        return MessagePostponed(
            message.id,
            self._clock.now() + timedelta(seconds=delay),
            clean(error.reason),
            is_attempt=is_attempt,
            certain=error.certain,
            connected_seconds=delay if is_attempt else 0.0,
        )
