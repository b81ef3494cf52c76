"""Accounts: an organization's registrations on chat networks. The API calls them devices."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.networks.port import AccountStatus, PairingStep

COUNTED = 10_000
"""Counting an account's queue ends here: a longer queue is reported as this long."""

_BETWEEN_DIGITS = re.compile(r"[\s()+./\-\u2010-\u2015]")


class Account(msgspec.Struct, frozen=True):
    """One row of `accounts`. `send_rate` is in messages a minute; None is no limit.

    `sent_that_day` counts the messages sent on the day `sent_on`, the last on which any was.
    """

    tenant: Tenant
    id: UUID
    network: str
    name: str
    session_name: str
    status: AccountStatus
    is_primary: bool
    message_logging_enabled: bool
    auto_warmer_enabled: bool
    send_rate: int | None
    settings: dict[str, str]
    created_at: datetime
    updated_at: datetime
    status_reason: str | None = None
    pairing: dict[str, Any] | None = None
    phone_number: str | None = None
    remote_jid: str | None = None
    total_messages_sent: int = 0
    total_messages_received: int = 0
    contacts_synced_count: int = 0
    last_connected_at: datetime | None = None
    last_health_check_at: datetime | None = None
    last_contact_sync_at: datetime | None = None
    last_contact_sync_status: str | None = None
    warming_since: date | None = None
    sent_on: date | None = None
    sent_that_day: int = 0


class SessionAccount(msgspec.Struct, frozen=True):
    """An account as its session needs it, its secrets still encrypted; `cursors` by chat."""

    account: Account
    encrypted_secrets: bytes | None
    cursors: dict[str, str]


def pairing_document(step: PairingStep | None) -> dict[str, object] | None:
    """Return a pairing step as it is stored and shown."""
    if step is None:
        return None
    return {"kind": step.kind, "payload": step.payload, "expires_at": step.expires_at}


CursorKey = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the chat's JID (empty: the account's own archive)."""


class AccountQueue(msgspec.Struct, frozen=True):
    """An account's queued messages, and since when the oldest has been waiting."""

    account_id: UUID
    count: int
    oldest_at: datetime | None


class AccountVersion(msgspec.Struct, frozen=True):
    """A fingerprint of an account's row: it differs when the row shows something else."""

    account_id: UUID
    updated_at: datetime
    sent: int
    received: int


class DeviceChange(msgspec.Struct, frozen=True):
    """An account came to a state; `reason` is a sentence for a person."""

    status: str
    reason: str | None
    at: datetime


class DeviceName(msgspec.Struct, frozen=True):
    id: UUID
    name: str
    session_name: str
    phone_number: str | None


class DeviceQuery(msgspec.Struct, frozen=True):
    """Which accounts a list of devices shows, and in which order.

    `search` is looked for in name and session name, whatever the case, and in the phone number,
    however it is written. `sort_by` is one of created_at, updated_at, name, status,
    last_connected_at.
    """

    status: str | None = None
    search: str | None = None
    sort_by: str = "created_at"
    descending: bool = True
    limit: int = 50
    offset: int = 0

    @property
    def asks_for_names(self) -> bool:
        """Whether names are compared."""
        # not in SQL: what a database knows of case and sorting depends on how it was built
        return self.search is not None or self.sort_by == "name"

    def select(self, devices: Sequence[DeviceName]) -> list[UUID]:
        """Return the ids of the devices that match the search, sorted by name if that is asked for.
        Otherwise, and between equal names, the order given stays."""
        found = [
            device for device in devices if self.search is None or is_like(device, self.search)
        ]
        if self.sort_by == "name":
            found.sort(key=lambda device: name_key(device.name), reverse=self.descending)
        return [device.id for device in found]


def is_like(device: DeviceName, search: str) -> bool:
    wanted = _folded(search)
    if wanted in _folded(device.name) or wanted in _folded(device.session_name):
        return True
    number = _number(search)
    return number is not None and number in (device.phone_number or "")


def name_key(name: str) -> tuple[str, str]:
    """Make a key that sorts as people do: letters whatever their case and accents, numbers by
    value; only then by case."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), plain), name


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _number(text: str) -> str | None:
    """Return the digits of what may be part of a phone number, after its plus sign if any."""
    plain = unicodedata.normalize("NFKC", text)
    digits = _BETWEEN_DIGITS.sub("", plain)
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return f"+{digits}" if plain.lstrip(" (").startswith("+") else digits


# A number that sends a thousand messages on its first day is taken for a spammer's and banned.
FIRST_DAY = 20
GROWTH = 1.8
MOST = 10_000
"""The allowance at which an account without a send rate is warm."""

_MINUTES_A_DAY = 24 * 60


def daily_allowance(days: int) -> int:
    """Return the messages of the day so many days after the first: 20, 36, 65, 117, …"""
    return round(min(FIRST_DAY * GROWTH ** min(days, 60), 1e9))


def own_limit(account: Account) -> int:
    """Return how many messages the account may send in a day when it is warm."""
    return MOST if account.send_rate is None else account.send_rate * _MINUTES_A_DAY


def allowance_on(account: Account, today: date) -> int | None:
    """Return how many messages the account may send in all on this day. None when that is not
    limited: the account does not warm up, or is warm."""
    if not account.auto_warmer_enabled or account.warming_since is None:
        return None
    allowance = daily_allowance(max(0, (today - account.warming_since).days))
    return allowance if allowance < own_limit(account) else None


def sent_on(account: Account, today: date) -> int:
    return account.sent_that_day if account.sent_on == today else 0
