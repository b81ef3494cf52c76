"""Addresses as people write them: phone numbers and JIDs.

A phone number is 5 to 15 digits (E.164 allows 15) with an optional `+` in front; spaces, dots,
dashes and brackets between them are dropped. Anything with an `@` is a JID, the network's own
address, and only the network can say more about it.
"""

import re

_PHONE_NUMBER = re.compile(r"\+?[0-9]{5,15}", re.ASCII)
_DROPPED = str.maketrans("", "", " \t\u00a0\u202f.-\u2010\u2011\u2012\u2013()[]")
_NOT_IN_A_JID = re.compile(r"[\s\x00-\x1f\x7f]")


def is_jid(text: str) -> bool:
    """Whether this is written as a JID: something, an `@`, something, and no blank or control."""
    local, _, domain = text.partition("@")
    return bool(local and domain) and _NOT_IN_A_JID.search(text) is None


def normalize_phone_number(text: str) -> str | None:
    """The phone number as `+` and digits, or None when this is none (a JID, words, too long)."""
    bare = text.translate(_DROPPED)
    if _PHONE_NUMBER.fullmatch(bare) is None:
        return None
    return "+" + bare.removeprefix("+")


def normalize_address(text: str) -> str | None:
    """A phone number as `+` and digits, a JID as it is, or None for what is neither."""
    stripped = text.strip()
    return stripped if is_jid(stripped) else normalize_phone_number(stripped)
