"""Which accounts a list of devices shows, and in which order.

Names are compared here and not in SQL: what a database knows of upper and lower case beyond ASCII,
and of how people sort, depends on how it was built and made.
"""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

import msgspec

_BETWEEN_DIGITS = re.compile(r"[\s()+./\-\u2010-\u2015]")


class DeviceName(msgspec.Struct, frozen=True):
    """By what a device is found."""

    id: UUID
    name: str
    session_name: str
    phone_number: str | None


class DeviceQuery(msgspec.Struct, frozen=True):
    """`search` is looked for in name and session name, whatever the case, and in the phone number,
    however it is written.

    `sort_by` is one of created_at, updated_at, name, status, last_connected_at.
    """

    status: str | None = None
    search: str | None = None
    sort_by: str = "created_at"
    descending: bool = True
    limit: int = 50
    offset: int = 0

    @property
    def asks_for_names(self) -> bool:
        return self.search is not None or self.sort_by == "name"

    def select(self, devices: Sequence[DeviceName]) -> list[UUID]:
        """Those that are searched for; by name if that is asked for, else in the order given, which
        also decides between equal names."""
        found = [
            device for device in devices if self.search is None or is_like(device, self.search)
        ]
        if self.sort_by == "name":
            found.sort(key=lambda each: name_key(each.name), reverse=self.descending)
        return [each.id for each in found]


def is_like(device: DeviceName, search: str) -> bool:
    wanted = _folded(search)
    if wanted in _folded(device.name) or wanted in _folded(device.session_name):
        return True
    number = _number(search)
    return number is not None and number in (device.phone_number or "")


def name_key(name: str) -> tuple[str, str]:
    """To sort as people do: letters whatever their case and accents, numbers by what they count;
    only then by the case."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), plain), name


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _number(text: str) -> str | None:
    """The digits of what may be a part of a phone number, with a plus before them if there is."""
    plain = unicodedata.normalize("NFKC", text)
    digits = _BETWEEN_DIGITS.sub("", plain)
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return f"+{digits}" if plain.lstrip(" (").startswith("+") else digits
