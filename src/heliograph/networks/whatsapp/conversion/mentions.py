"""Mentions in a text: each as `@` and the user part of an address."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from heliograph.networks.content import Text

_NAMED = re.compile(r"@([0-9]{5,20})(?![0-9])", re.ASCII)


def readdressed(text: Text, address: Callable[[str], str]) -> Text:
    """Return the text with each mention under another `address` of the same person."""
    mentions = tuple(dict.fromkeys(address(jid) for jid in text.mentions))
    users = {user_of(jid): user_of(address(jid)) for jid in text.mentions}
    body = _NAMED.sub(lambda named: "@" + users.get(named[1], named[1]), text.body)
    return replace(text, body=body, mentions=mentions)


def user_of(jid: str) -> str:
    return jid.partition("@")[0]
