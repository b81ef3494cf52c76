"""What addresses and passwords may consist of, by the rules that servers and slixmpp check (RFC
3920, appendices A and B; RFC 4013; both by RFC 3454).

slixmpp knows these rules as well, but takes 20 MiB, and a form is read in processes that hold no
connection.
"""

import re
import stringprep
import unicodedata
from collections.abc import Callable, Iterable

MAX_PART_LENGTH = 1023
"""Bytes of UTF-8 in each part of an address (RFC 7622, section 3.1), and, here, in a password: the
normal form of one character has up to 18, each of which is looked up in ten tables."""
MAX_DOMAIN_LENGTH = 253
"""Characters of a domain as the DNS knows it (RFC 1035)."""

_CONTROLS = (
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)
_NOT_IN_ADDRESSES = (stringprep.in_table_a1, stringprep.in_table_c11_c12, *_CONTROLS)
_NOT_IN_NAMES = frozenset("\"&'/:<>@")
_RESERVED_LABEL = re.compile(r"(?:\A|\.)(?!xn)..--")
"""Two hyphens in the third place, which only `xn--` may have."""


def prepare_local(local: str) -> str | None:
    """Return the name before the `@` as XMPP compares it, or None for one that it does not
    allow."""
    prepared = _prepare(local)
    return None if prepared is None or not _NOT_IN_NAMES.isdisjoint(prepared) else prepared


def prepare_domain(domain: str) -> str | None:
    """Return a domain as XMPP compares it, or None for one that can't be in the DNS."""
    prepared = _prepare(domain)
    if prepared is None or _RESERVED_LABEL.search(prepared):
        return None
    try:
        encoded = prepared.encode("idna")
        encoded.decode("idna")
    except UnicodeError:
        return None
    return prepared if 0 < len(encoded) <= MAX_DOMAIN_LENGTH else None


def prepare_password(password: str) -> str | None:
    """Return a password as it is hashed for a log-in (RFC 4013), or None for one that can't be or
    is too long."""
    if _is_too_long(password):
        return None
    kept = (c for c in password if not stringprep.in_table_b1(c))
    mapped = "".join(" " if stringprep.in_table_c12(c) else c for c in kept)
    return _normalize(mapped, _CONTROLS)


def _is_too_long(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) > MAX_PART_LENGTH


def _prepare(text: str) -> str | None:
    if _is_too_long(text):
        return None
    kept = (c for c in text if not stringprep.in_table_b1(c))
    return _normalize("".join(map(stringprep.map_table_b2, kept)), _NOT_IN_ADDRESSES)


def _normalize(mapped: str, prohibited: Iterable[Callable[[str], bool]]) -> str | None:
    """Return the text in normal form, or None for one that is empty, has prohibited characters, or
    mixes directions (RFC 3454, sections 4 to 6)."""
    prepared = unicodedata.normalize("NFKC", mapped)
    if not prepared or any(is_in(c) for is_in in prohibited for c in prepared):
        return None
    from_the_right = [stringprep.in_table_d1(c) for c in prepared]
    if any(from_the_right):
        is_mixed = any(map(stringprep.in_table_d2, prepared))
        if is_mixed or not (from_the_right[0] and from_the_right[-1]):
            return None
    return prepared
