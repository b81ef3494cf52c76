"""An address is read as people see it, also where marks came along when it was copied."""

from collections.abc import Callable

from each_case import for_each
from heliograph.networks.sandbox.addresses import address as sandbox_address
from heliograph.networks.whatsapp.addresses import address as whatsapp_address
from heliograph.networks.xmpp.addresses import address as xmpp_address

ADDRESSES: dict[str, Callable[[str], str]] = {
    "15550100001@sandbox": sandbox_address,
    "120363000000000001@g.sandbox": sandbox_address,
    "15550100001@s.whatsapp.net": whatsapp_address,
    "120363000000000001@g.us": whatsapp_address,
    "romeo@example.org": lambda value: xmpp_address(value, {}),
}


@for_each("shown", ["\u200e{}", "{}\u200b", "\u2066{}\u2069", "\ufeff {}\u00a0\n"])
@for_each("address", ADDRESSES)
def test_what_nobody_sees_around_an_address_is_no_part_of_it(address: str, shown: str) -> None:
    assert ADDRESSES[address](shown.format(address)) == address
