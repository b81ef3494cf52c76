"""The form that links an account to WhatsApp, and its stored values."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec

from heliograph.networks.form import FormField, read_values

MAX_EDIT_AGE = 15 * 60
MAX_DELETE_AGE = 2 * 24 * 3600
"""For so long after it was sent phones take an edit, or delete a message for everyone."""
MAX_FILE_BYTES = 16_000_000
"""Of a file that is sent or fetched: it is in memory meanwhile."""
_ONE_ROW = timedelta(hours=7)

FORM = (
    FormField(
        "phone_number",
        "The account's own phone number",
        kind="phone_number",
        help="With its country code. With a number, the account pairs by a code to type on the "
        "phone, without one by a QR code to scan.",
    ),
)


def read_phone_number(settings: Mapping[str, str]) -> str | None:
    """Read the digits of the account's number, or None. Raises `NetworkError` for what is no
    number."""
    number = read_values(FORM, settings).get("phone_number")
    return None if number is None else number.removeprefix("+")


@dataclass(frozen=True, slots=True)
class Kept:
    """What an account keeps: which device it is, until when it must not connect, and why.

    The device's keys are in the library's tables. `replaced` counts how often another client has
    taken the session's place, each time soon after the one before, the last time at `replaced_at`.
    """

    device: str | None = None
    held_until: datetime | None = None
    held_reason: str | None = None
    replaced: int = 0
    replaced_at: datetime | None = None

    @classmethod
    def read(cls, secrets: Mapping[str, str]) -> "Kept":
        kept = {name: value for name, value in secrets.items() if value}
        return msgspec.convert(kept, cls, strict=False)

    def written(self) -> dict[str, str]:
        values = {
            "device": self.device,
            "held_until": self.held_until.isoformat() if self.held_until else None,
            "held_reason": self.held_reason,
            "replaced": str(self.replaced) if self.replaced else None,
            "replaced_at": self.replaced_at.isoformat() if self.replaced_at else None,
        }
        return {name: value for name, value in values.items() if value}

    def held(self, now: datetime, seconds: float, reason: str, *, replaced: int = 0) -> "Kept":
        return replace(
            self,
            held_until=now + timedelta(seconds=seconds),
            held_reason=reason,
            replaced=replaced,
            replaced_at=now if replaced else None,
        )

    def times_replaced(self, now: datetime) -> int:
        """Return how often the session was replaced in a row."""
        # what is longer ago than the longest pause belongs to another row
        is_old = self.replaced_at is not None and now - self.replaced_at > _ONE_ROW
        return 0 if is_old else self.replaced

    def left(self, now: datetime) -> float:
        """Seconds for which no connection may be tried."""
        return (self.held_until - now).total_seconds() if self.held_until else 0.0

    def free(self) -> "Kept":
        return replace(self, held_until=None, held_reason=None)
