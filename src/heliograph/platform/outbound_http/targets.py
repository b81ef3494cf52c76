"""What a URL dials.

The parser is the one that the client dials with (the WHATWG URL rules), so `http://2130706433/`,
`http://0x7f.1/` and `http://１２７.1/` are 127.0.0.1 here as they are there.
"""

import re
from functools import lru_cache

import msgspec
from pyreqwest.http import Url

from heliograph.platform.outbound_http.addresses import Address, AddressPolicy, parse_address
from heliograph.platform.outbound_http.errors import DnsError, InvalidUrlError, RefusedAddressError

MAX_URL_LENGTH = 2048

_BEGINNING = re.compile(r"https?://[^/?#]", re.ASCII | re.IGNORECASE)
_NEVER_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.ASCII)
_MAX_NAME_LENGTH = 253


class Target(msgspec.Struct, frozen=True):
    """A URL as it is dialed. `host` is in ASCII, without brackets; `address` when it is one, and
    `literal` is then how it is written."""

    url: str
    scheme: str
    host: str
    port: int
    address: Address | None
    literal: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def check_url(url: str, policy: AddressPolicy) -> Target:
    """Return what `url` dials. Asks no name server.

    Raises `InvalidUrlError`, or `RefusedAddressError` when its host is an address that `policy`
    refuses.
    """
    _check_text(url)
    try:
        parsed = Url(url).with_fragment(None)
    except ValueError as error:
        raise InvalidUrlError(f"The URL is not valid: {error}.") from None
    target = _target(parsed)
    if target.address is not None:
        _judge(target.host, target.address, policy)
    return target


@lru_cache(maxsize=4096)
def judge_answer(host: str, text: str, policy: AddressPolicy) -> Address:
    """Return the address that a name server's answer for `host` spells.

    Raises `DnsError` when it is none, and `RefusedAddressError` when `policy` refuses it.
    """
    address = parse_address(text)
    if address is None:
        raise DnsError(f"The name {host} leads to something that is not an address.")
    _judge(host, address, policy)
    return address


def _judge(host: str, address: Address, policy: AddressPolicy) -> None:
    kind = policy.why_refused(address)
    if kind is not None:
        raise RefusedAddressError(host, kind, str(address))


def _check_text(url: str) -> None:
    if len(url) > MAX_URL_LENGTH:
        raise InvalidUrlError(f"The URL is longer than {MAX_URL_LENGTH} characters.")
    if not _BEGINNING.match(url):
        raise InvalidUrlError("The URL must begin with https:// or http:// and a host.")
    if _NEVER_IN_A_URL.search(url):
        raise InvalidUrlError("The URL holds a space, a backslash or a control character.")


def _target(parsed: Url) -> Target:
    if parsed.username or parsed.password is not None:
        raise InvalidUrlError("The URL must not hold a user name or password.")
    host = (parsed.host_str or "").removeprefix("[").removesuffix("]")
    port = parsed.port_or_known_default
    if not port:
        raise InvalidUrlError("The URL's port must be from 1 to 65535.")
    address = parse_address(host)
    if address is None:
        _check_name(host)
    literal = () if address is None else (str(address),)
    return Target(str(parsed), parsed.scheme, host, port, address, literal)


def _check_name(host: str) -> None:
    labels = host.removesuffix(".").split(".")
    if len(host) > _MAX_NAME_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        raise InvalidUrlError("The URL's host is not a valid name.")
