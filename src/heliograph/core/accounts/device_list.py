"""How a list of devices is searched and sorted: by name as people do, and by phone number."""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.accounts.model import DeviceName, DeviceQuery
from heliograph.networks.phone_numbers import forms_of, partial_phone_digits
from heliograph.platform.characters import trimmed
from heliograph.platform.folding import fold


def select_devices(query: DeviceQuery, devices: Sequence[DeviceName]) -> list[UUID]:
    """Return the ids of the devices that match the search, sorted by name if that is asked for.
    Otherwise, and between equal names, the order given stays."""
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
    """Make a key that sorts as people do: letters whatever their case and accents, numbers by
    value; only then by case."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), fold(name)), name


def _number(text: str) -> str | None:
    """Return the digits of what may be part of a phone number, after its plus sign if any."""
    digits = partial_phone_digits(text)
    begins = unicodedata.normalize("NFKC", trimmed(text)).lstrip(" ([").startswith("+")
    return f"+{digits.removeprefix('+')}" if digits is not None and begins else digits
