"""Search and order of device lists: by name, in natural order, and by phone number."""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.accounts.model import DeviceName, DeviceQuery
from heliograph.networks.phone_numbers import forms_of, partial_phone_digits
from heliograph.platform.characters import trimmed
from heliograph.platform.folding import fold


def select_devices(query: DeviceQuery, devices: Sequence[DeviceName]) -> list[UUID]:
    """Return the ids of the devices that match the search, sorted by name if requested. Otherwise,
    and between equal names, the given order is kept."""
    found = [device for device in devices if query.search is None or is_like(device, query.search)]
    if query.sort_by == "name":
        found.sort(key=lambda device: name_key(device.name), reverse=query.descending)
    return [device.id for device in found]


def is_like(device: DeviceName, search: str) -> bool:
    wanted = fold(search)
    if wanted in fold(device.name) or wanted in fold(device.session_name):
        return True
    number = _number(search)
    known = device.phone_number or ""
    return number is not None and any(form in known for form in (wanted, *forms_of(number)))


def name_key(name: str) -> tuple[str, str]:
    """Make a key for natural sorting: letters regardless of case and accents, numbers by value;
    only then by case."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), fold(name)), name


def _number(text: str) -> str | None:
    """Return the digits of a possible part of a phone number, with its plus sign if any."""
    digits = partial_phone_digits(text)
    begins = unicodedata.normalize("NFKC", trimmed(text)).lstrip(" ([").startswith("+")
    return f"+{digits.removeprefix('+')}" if digits is not None and begins else digits
