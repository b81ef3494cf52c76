"""Web addresses in what people write, as links that tell the other site nothing."""

import re

from markupsafe import Markup, escape

_ADDRESS = re.compile(r"""\bhttps?://[^\s<>"'`“”‘’«»\\]+""", re.IGNORECASE)
_ENDS = ".,;:!?…)]}"
"""Characters at the end that belong to the sentence, not the address."""


def link_addresses(text: str) -> Markup:
    """Return the text, escaped, with its web addresses as links."""
    parts, end = [], 0
    for found in _ADDRESS.finditer(text):
        address = _without_end(found[0])
        if not _is_plain(address):
            continue
        parts += [escape(text[end : found.start()]), _link(address)]
        end = found.start() + len(address)
    return Markup("").join([*parts, escape(text[end:])])


def _without_end(address: str) -> str:
    while address and address[-1] in _ENDS and not _closes(address):
        address = address[:-1]
    return address


def _closes(address: str) -> bool:
    """Return whether the address ends with a parenthesis that it opened itself."""
    return address[-1] == ")" and address.count("(") >= address.count(")")


def _is_plain(address: str) -> bool:
    """Return whether the address plainly shows its host: text before an `@` can look like one."""
    host = re.split(r"[/?#]", address.partition("://")[2], maxsplit=1)[0]
    return bool(host) and "@" not in host and address.isprintable()


def _link(address: str) -> Markup:
    return Markup(
        '<a href="{0}" target="_blank" rel="noopener noreferrer nofollow">{0}</a>'
    ).format(address)
