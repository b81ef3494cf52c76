"""How many connections there may be, in all and from one address."""

from ipaddress import ip_network

from each_case import for_each
from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.faces.api.connection_limits import ConnectionLimits

PROXIES = ClientAddresses((ip_network("10.0.0.0/8"),))


def admitted(limits: ConnectionLimits, *hosts: str | None) -> list[bool]:
    return [limits.admit(object(), host) for host in hosts]


def test_an_address_has_so_many_and_another_one_too() -> None:
    limits = ConnectionLimits(100, 2, PROXIES)
    assert admitted(limits, *["203.0.113.7"] * 3) == [True, True, False]
    assert admitted(limits, "203.0.113.8") == [True]


def test_a_customers_whole_network_counts_as_one() -> None:
    limits = ConnectionLimits(100, 2)
    assert admitted(limits, "2001:db8::1", "2001:db8::2", "2001:db8::3") == [True, True, False]


@for_each("host", ["127.0.0.1", "::1", None, "10.1.2.3"])
def test_who_speaks_for_many_is_bound_by_the_total_alone(host: str | None) -> None:
    limits = ConnectionLimits(5, 1, PROXIES)
    assert admitted(limits, *[host] * 6) == [True] * 5 + [False]


def test_what_is_released_makes_room_once() -> None:
    limits = ConnectionLimits(10, 1)
    first, refused = object(), object()
    assert limits.admit(first, "203.0.113.7")
    assert not limits.admit(refused, "203.0.113.7")
    limits.release(refused)
    assert not limits.admit(refused, "203.0.113.7")
    limits.release(first)
    limits.release(first)
    assert admitted(limits, "203.0.113.7", "203.0.113.7") == [True, False]


def test_without_limits_everybody_comes_in() -> None:
    assert all(admitted(ConnectionLimits(), *["203.0.113.7"] * 1000))
