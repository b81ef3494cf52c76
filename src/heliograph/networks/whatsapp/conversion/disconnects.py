"""Why a connection ended, in words for people, and when it may be opened again."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from neonize.proto.Neonize_pb2 import (
    BAD_USER_AGENT,
    CLIENT_OUTDATED,
    EXPERIMENTAL,
    GENERIC,
    INTERNAL_SERVER_ERROR,
    LOGGED_OUT,
    MAIN_DEVICE_GONE,
    SERVICE_UNAVAILABLE,
    TEMP_BANNED,
    UNKNOWN_LOGOUT,
    ClientOutdated,
    ConnectFailure,
    LoggedOut,
    StreamReplaced,
    TemporaryBan,
)

HOUR = 3600.0
UNKNOWN_BAN = 6 * HOUR
OUTDATED_PAUSE = 6 * HOUR
REPLACED_PAUSE = 300.0
MAX_REPLACED_PAUSE = 6 * HOUR
TAKEOVER_PAUSE = 4.0


@dataclass(frozen=True, slots=True)
class End:
    """Why a connection ended.

    `is_final`: the account has to be paired again. Otherwise no connection may be tried for `pause`
    seconds; with 0, at once. `is_replaced`: the pause grows with each time.
    """

    reason: str
    is_final: bool = False
    pause: float = 0.0
    is_replaced: bool = False


_LOGGED_OUT = {
    LOGGED_OUT: "The phone has removed the gateway from its linked devices (401): pair it again.",
    MAIN_DEVICE_GONE: "The account's phone is gone from WhatsApp (403): its number was banned, "
    "deleted or moved. Look at the phone, then pair it again.",
    UNKNOWN_LOGOUT: "WhatsApp has logged the gateway out without saying why (406): pair it again.",
}
_FAILURES = {
    GENERIC: "WhatsApp refused the connection (400).",
    BAD_USER_AGENT: "WhatsApp does not accept this kind of client (409): a newer release of "
    "heliograph[whatsapp] may help.",
    INTERNAL_SERVER_ERROR: "WhatsApp's server failed (500).",
    EXPERIMENTAL: "WhatsApp asks this client to wait (415).",
    SERVICE_UNAVAILABLE: "WhatsApp's service is unavailable at the moment (503).",
}
_BANS = {
    TemporaryBan.SEND_TO_TOO_MANY_PEOPLE: "it wrote to too many people who do not know it",
    TemporaryBan.BLOCKED_BY_USERS: "too many people blocked it",
    TemporaryBan.CREATED_TOO_MANY_GROUPS: "it created too many groups with people who do not "
    "know it",
    TemporaryBan.SENT_TOO_MANY_SAME_MESSAGE: "it sent the same message to too many people",
    TemporaryBan.BROADCAST_LIST: "it sent too many messages to broadcast lists",
}
_OUTDATED = End(
    "WhatsApp no longer accepts this version of the client (405): update heliograph[whatsapp] on "
    "every node. It is tried again in 6 hours.",
    pause=OUTDATED_PAUSE,
)
_PAIRING_ENDS = {
    "timeout": "Nobody scanned or typed the code in time: pair again to get a new one.",
    "err-client-outdated": _OUTDATED.reason,
    "err-unexpected-state": "WhatsApp broke off the pairing: ask for it again.",
    "err-scanned-without-multidevice": "The code was scanned by a phone that does not allow linked "
    "devices: update WhatsApp on the phone, then scan again.",
    "passkey-request": "The phone wants to confirm the pairing with a passkey, which this client "
    "can't do.",
}
_MISSING_FIELD = re.compile(r"required field neonize\.(\w+)\.")


def end_of(event: Any) -> End | None:
    """Return the end of the connection by this event, or None."""
    if isinstance(event, LoggedOut):
        return End(_LOGGED_OUT.get(event.Reason, _LOGGED_OUT[UNKNOWN_LOGOUT]), is_final=True)
    if isinstance(event, TemporaryBan):
        return banned(_BANS.get(event.Code), event.Expire)
    if isinstance(event, ClientOutdated):
        return _OUTDATED
    if isinstance(event, StreamReplaced):
        return End(
            "Another client connected with this account's session.",
            pause=REPLACED_PAUSE,
            is_replaced=True,
        )
    if isinstance(event, ConnectFailure):
        return _connect_failure(event)
    return None


def replaced_pause(
    times: int, *, is_takeover: bool, chance: Callable[[], float] = random.random
) -> float:
    """Return how long a session pauses after it was replaced `times` in a row."""
    # a node that has just taken an account over may be replaced once, by the former owner's last
    # attempt to connect, and reconnects at once; two gateways that fight for one session get the
    # long pauses
    if times == 1 and is_takeover:
        return TAKEOVER_PAUSE * (0.5 + chance())
    return min(REPLACED_PAUSE * 2.0 ** max(0, times - 2), MAX_REPLACED_PAUSE)


def banned(why: str | None, seconds: float) -> End:
    """Return the end by a ban of this many seconds; 0 or less if WhatsApp did not say how long."""
    pause = seconds if seconds > 0 else UNKNOWN_BAN
    because = f" because {why}" if why else ""
    left = timedelta(seconds=round(pause))
    return End(f"WhatsApp has banned the account for {left}{because} (402).", pause=pause)


def _connect_failure(event: ConnectFailure) -> End:
    if event.Reason in _LOGGED_OUT:
        return End(_LOGGED_OUT[event.Reason], is_final=True)
    if event.Reason == TEMP_BANNED:
        return banned(None, 0)
    if event.Reason == CLIENT_OUTDATED:
        return _OUTDATED
    reason = _FAILURES.get(event.Reason, _FAILURES[GENERIC])
    return End(f"{reason} {event.Message}".strip())


def end_of_pairing(status: str) -> End | None:
    """Return the end of a pairing for the library's status, or a problem while it goes on, which is
    not final; None if there is neither."""
    if status in ("code", "success"):
        return None
    reason = _PAIRING_ENDS.get(status, f"WhatsApp did not take the pairing ({status}).")
    return End(reason, is_final=status != "err-scanned-without-multidevice")


def end_of_thread(error: str) -> End:
    """Return the end for a stop of the library without an event."""
    # it stops at an event of an unknown kind: the error then names the event
    missing = _MISSING_FIELD.search(error)
    if missing and missing[1] == "TemporaryBan":
        return banned(None, 0)
    if missing and missing[1] == "LoggedOut":
        return End(_LOGGED_OUT[UNKNOWN_LOGOUT], is_final=True)
    if missing:
        return End(f"The WhatsApp client stopped at an event it does not know ({missing[1]}).")
    if "dial" in error or "handshake" in error:
        return End("WhatsApp can't be reached.")
    if "database" in error or "pq:" in error:
        return End("The WhatsApp client can't use the database: " + first_line(error))
    return End(f"The WhatsApp client stopped: {first_line(error)}" if error else "It stopped.")


def first_line(text: str) -> str:
    return text.strip().splitlines()[0][:300] if text.strip() else ""
