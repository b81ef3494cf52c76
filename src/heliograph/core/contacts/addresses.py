"""Addresses that networks make of phone numbers, and the numbers in them."""

from collections.abc import Mapping

from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.phone_numbers import plain_phone_digits
from heliograph.networks.port import Network


def number_at(network: Network, settings: Mapping[str, str], jid: str) -> str | None:
    """Return the phone number, as `+` and digits, of which the network makes this address; None if
    there is none."""
    digits = plain_phone_digits(jid.partition("@")[0])
    if digits is None:
        return None
    try:
        made = network.recipient(digits, settings)
    except InvalidAddressError:
        return None
    return f"+{digits}" if made == jid else None
