"""What clients are counted under, and whose address is that of many."""

from ipaddress import ip_network

from each_case import for_each
from heliograph.core.rates.client_addresses import Client, ClientAddresses

ADDRESSES = ClientAddresses((ip_network("10.0.0.0/8"), ip_network("2001:db8:5::/48")))


@for_each(
    ("host", "name", "is_shared"),
    [
        ("203.0.113.7", "203.0.113.7", False),
        ("::ffff:203.0.113.7", "203.0.113.7", False),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", False),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("::ffff:10.1.2.3", "10.1.2.3", True),
        ("2001:db8:5::1", "2001:db8:5::/64", True),
        ("127.0.0.1", "loopback", True),
        ("127.8.8.8", "loopback", True),
        ("::1", "loopback", True),
        (None, "loopback", True),
        ("a proxy's nonsense", "unknown", True),
    ],
)
def test_who_is_who(host: str | None, name: str, is_shared: bool) -> None:
    assert ADDRESSES.find(host) == Client(name, is_shared)


def test_networks_are_trusted_in_their_mapped_form_too() -> None:
    assert ADDRESSES.list_trusted() == ["10.0.0.0/8", "2001:db8:5::/48", "::ffff:10.0.0.0/104"]
