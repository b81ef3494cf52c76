"""How a list of devices is searched and sorted: by name as people do, and by phone number."""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.accounts.model import DeviceName, DeviceQuery
from heliograph.networks.phone_numbers import partial_phone_digits


def select_devices(query: DeviceQuery, devices: Sequence[DeviceName]) -> list[UUID]:
    """Return the ids of the devices that match the search, sorted by name if that is asked for.
    Otherwise, and between equal names, the order given stays."""
    found = [device for device in devices if query.search is None or is_like(device, query.search)]
    if query.sort_by == "name":
        found.sort(key=lambda device: name_key(device.name), reverse=query.descending)
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
    digits = partial_phone_digits(text)
    begins = unicodedata.normalize("NFKC", text).lstrip(" ([").startswith("+")
    return f"+{digits}" if digits is not None and begins else digits
