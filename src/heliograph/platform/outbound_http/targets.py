"""What a URL dials.

It is read by the WHATWG's rules, as browsers read it: `http://2130706433/`, `http://0x7f.1/` and
`http://１２７.1/` are 127.0.0.1. What has been judged here is dialed; nobody reads the URL again.
"""

import re
from functools import lru_cache

import msgspec
from ada_url import URL

from heliograph.platform.outbound_http.addresses import Address, AddressPolicy, parse_address
from heliograph.platform.outbound_http.errors import DnsError, InvalidUrlError, RefusedAddressError

MAX_URL_LENGTH = 2048

_PORTS = {"http": 80, "https": 443}

_BEGINNING = re.compile(r"https?://[^/?#]", re.ASCII | re.IGNORECASE)
_NEVER_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]")
_LABEL = re.compile(r"[a-z0-9_-]{1,63}", re.ASCII)
_MAX_NAME_LENGTH = 253


class Target(msgspec.Struct, frozen=True):
    """A URL as it is dialed. `host` is in ASCII, without brackets; `address` when it is one, and
    `literal` is then how it is written. A request names `authority` and `path`, the query
    included."""

    url: str
    scheme: str
    host: str
    port: int
    authority: str
    path: str
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
        parsed = URL(url)
    except ValueError:
        raise InvalidUrlError("The URL is not valid: check its host and port.") from None
    parsed.hash = ""
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


def _target(parsed: URL) -> Target:
    if parsed.username or parsed.password:
        raise InvalidUrlError("The URL must not hold a user name or password.")
    scheme, host = parsed.protocol.removesuffix(":"), parsed.hostname
    host = host.removeprefix("[").removesuffix("]")
    port = int(parsed.port or _PORTS[scheme])
    if not port:
        raise InvalidUrlError("The URL's port must be from 1 to 65535.")
    address = parse_address(host)
    if address is None:
        _check_name(host)
    return Target(
        url=parsed.href,
        scheme=scheme,
        host=host,
        port=port,
        authority=parsed.host,
        path=parsed.pathname + parsed.search,
        address=address,
        literal=() if address is None else (str(address),),
    )


def _check_name(host: str) -> None:
    labels = host.removesuffix(".").split(".")
    if len(host) > _MAX_NAME_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        raise InvalidUrlError("The URL's host is not a valid name.")
