"""Clients by their address: what they are counted under, and which addresses stand for many.

A customer of an internet provider has an IPv6 network of 64 bits and can use any address in it, so
these are counted together. Connections from this very machine, through a Unix socket, or from a
proxy that the operator trusts may stand for any number of people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_network

from heliograph.platform.outbound_http import addresses
from heliograph.platform.outbound_http.addresses import Address, Network

_CUSTOMER_BITS = 64
_MAPPED = "::ffff:{0}"
_MAPPED_BITS = 96


@dataclass(frozen=True, slots=True)
class Client:
    """`name` is what the client is counted under; `is_shared`: it may be many people."""

    name: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class ClientAddresses:
    """`proxies` are the networks of the proxies whose `X-Forwarded-For` is believed."""

    proxies: Sequence[Network] = ()

    def find(self, host: str | None) -> Client:
        """Find the client with this address; None, as a Unix socket has it, is this machine."""
        address = parse_client_address(host)
        if address is None or address.is_loopback:
            return Client("loopback" if host is None or address is not None else "unknown", True)
        return Client(_name(address), self.is_named(host))

    def is_named(self, host: str | None) -> bool:
        """Return whether this is the address of a proxy that is believed."""
        address = parse_client_address(host)
        return address is not None and any(address in network for network in self.proxies)

    def list_trusted(self) -> list[str]:
        """List the proxies' networks, for software that knows nothing of mapped addresses (RFC
        4291, 2.5.5.2), under which a socket that listens on `::` sees IPv4 clients."""
        mapped = [
            f"{_MAPPED.format(network.network_address)}/{_MAPPED_BITS + network.prefixlen}"
            for network in self.proxies
            if isinstance(network, IPv4Network)
        ]
        return [str(network) for network in self.proxies] + mapped


def parse_client_address(host: str | None) -> Address | None:
    """Parse an address; one mapped into IPv6 is an IPv4 address. None for what is no address."""
    address = addresses.parse_address(host or "")
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _name(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((int(address), _CUSTOMER_BITS), strict=False))
