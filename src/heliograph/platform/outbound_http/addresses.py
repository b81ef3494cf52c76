"""Which IP addresses may be dialed on a customer's behalf.

The ranges are those of the IANA special-purpose registries (RFC 6890 and its successors), with the
fixed addresses at which clouds hand out credentials. IPv6 forms that carry an IPv4 address inside
are refused whatever they carry: where they end is decided by a translator that we can't see.
Python's `is_global` lets some of all these through (multicast, 6to4 relays, NAT64).
"""

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
_GLOBAL_UNICAST = ip_network("2000::/3")
_LAST_32_BITS: tuple[Network, ...] = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96"))
)
"""Forms that carry an IPv4 address at their end: NAT64, compatible and translated ones."""
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""The third quarter of an address with an IPv4 address at its end (RFC 5214, 6.1)."""
_TRANSLATED_AT = (32, 40, 48, 56, 64, 96)
"""Bits before an IPv4 address in a NAT64 prefix that a network chose itself (RFC 6052, 2.2)."""

_METADATA = "the metadata address of a cloud"
_LINK_LOCAL = "a link-local address"
_MULTICAST = "a multicast address"
_UNSPECIFIED = "the unspecified address"
_NEVER = frozenset({_METADATA, _LINK_LOCAL, _MULTICAST, _UNSPECIFIED})
"""Refused under every policy: no webhook receiver lives there, and credentials of clouds do."""

_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        _METADATA,
        (
            "169.254.169.254/32",
            "169.254.170.2/32",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
            "fd00:ec2::/32",  # Amazon: instance metadata, credentials of pods, name server, clock
            "fd20:ce::/48",  # Google
            "fd00:c1::/48",  # Oracle
            "fd00:42::/48",  # Scaleway
            "fd00:a9fe:a9fe::/48",  # Akamai
        ),
    ),
    (_UNSPECIFIED, ("0.0.0.0/8", "::/128")),
    ("a loopback address", ("127.0.0.0/8", "::1/128")),
    (_LINK_LOCAL, ("169.254.0.0/16", "fe80::/10")),
    (_MULTICAST, ("224.0.0.0/4", "ff00::/8", "255.255.255.255/32")),
    ("a private address", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")),
    ("a site-local address", ("fec0::/10",)),
    ("an address shared by a carrier's customers", ("100.64.0.0/10",)),
    ("a benchmarking address", ("198.18.0.0/15", "2001:2::/48")),
    (
        "a documentation address",
        ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    ),
    ("an IPv4-mapped address", ("::ffff:0:0/96", "::ffff:0:0:0/96")),
    ("an IPv4-compatible address", ("::/96",)),
    ("a NAT64 address", ("64:ff9b::/96", "64:ff9b:1::/48")),
    ("a 6to4 address", ("2002::/16", "192.88.99.0/24")),
    ("a Teredo address", ("2001::/32",)),
    ("an ORCHID address", ("2001:10::/28", "2001:20::/28")),
    ("a discard address", ("100::/64", "100:0:0:1::/64")),
    ("an address reserved for protocols", ("192.0.0.0/24", "2001::/23")),
    ("a reserved address", ("240.0.0.0/4",)),
)
_RANGES: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(text), kind) for kind, texts in _KINDS for text in texts
)


class AddressPolicy(StrEnum):
    """What may be dialed besides public addresses.

    `LOOPBACK` adds 127.0.0.0/8 and ::1 and nothing else. `ALL` adds every unicast address but
    link-local ones and the metadata addresses of clouds.
    """

    NONE = "none"
    LOOPBACK = "loopback"
    ALL = "all"

    def why_refused(self, address: Address) -> str | None:
        """Return what kind of address it is, in words, when it may not be dialed; else None."""
        if isinstance(address, IPv6Address) and address.scope_id is not None:
            return "an address with a scope"
        kind = special_kind(address)
        if kind is None or self is AddressPolicy.ALL:
            return next((face for face in _special_faces(address) if face in _NEVER), None)
        if self is AddressPolicy.LOOPBACK and _is_in(address, *_LOOPBACK):
            return None
        return kind

    def why_text_refused(self, text: str) -> str | None:
        """Judge an address as it is written, as `why_refused` does; refuse a name."""
        address = parse_address(text)
        return "no IP address" if address is None else self.why_refused(address)


def parse_address(text: str) -> Address | None:
    """Return the address that `text` usually spells; None for a name or an odd spelling."""
    try:
        return ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def special_kind(address: Address) -> str | None:
    """Return what is special about an address, in words; None for an ordinary public one."""
    for network, kind in _RANGES:
        if _is_in(address, network):
            return kind
    if isinstance(address, IPv6Address) and not _is_in(address, _GLOBAL_UNICAST):
        return "a reserved address"
    return None


def _special_faces(address: Address) -> Iterator[str]:
    """Yield the kinds of an address, and of the IPv4 addresses that it carries."""
    for face in (address, *embedded_addresses(address)):
        kind = special_kind(face)
        if kind is not None:
            yield kind
    if any(special_kind(inner) == _METADATA for inner in _translated_addresses(address)):
        yield _METADATA


def embedded_addresses(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that an IPv6 address of a known form carries."""
    if isinstance(address, IPv4Address) or address.is_loopback:
        return ()
    low = IPv4Address(int(address) & 0xFFFF_FFFF)
    if _is_in(address, *_LAST_32_BITS) or (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return (low,)
    if address.teredo is not None:
        return address.teredo[1:]
    inside = address.ipv4_mapped or address.sixtofour
    return () if inside is None else (inside,)


def _translated_addresses(address: Address) -> Iterator[IPv4Address]:
    """Yield what an IPv6 address carries if its network translates with a prefix of its own.

    Nobody can tell from outside whether it does, so this is for what is never dialed.
    """
    if isinstance(address, IPv6Address):
        high, rest = divmod(int(address), 1 << 64)
        without_octet = high << 56 | rest & (1 << 56) - 1  # bits 64 to 71 are left out of it
        for bits in _TRANSLATED_AT:
            whole, length = (int(address), 128) if bits == 96 else (without_octet, 120)
            yield IPv4Address(whole >> length - bits - 32 & 0xFFFF_FFFF)


def _is_in(address: Address, *networks: Network) -> bool:
    return any(address.version == network.version and address in network for network in networks)
