"""Invite links as people paste them: with what stands around them, and without what they leave out.

Each network says what its links look like; this finds one in what was pasted.
"""

import html
import re
from urllib.parse import unquote

from heliograph.platform.characters import trimmed, without_invisible

_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_MARKDOWN = re.compile(r"\[[^\]]*+\]\(\s*+<?+([^\s)>]++)>?+[^)]*+\)")
_EMPHASIS = "*_~`"
_MAX_TEXT_LENGTH = 4096
"""Characters of a pasted text that are read."""
_OPENING = "<([{\"'«‹“‘„‚「『"
_CLOSING = ">)]}\"'»›”’「」』"
_PUNCTUATION = ".,;:!?…。،؛"


def unwrapped(pasted: str) -> str:
    """Return what was pasted without what nobody sees in it, markup, brackets, quotation marks and
    punctuation around it."""
    text = trimmed(without_invisible(html.unescape(pasted[:_MAX_TEXT_LENGTH])))
    if (link := _HREF.search(text)) is not None:
        text = link[1] or link[2] or link[3] or ""
    elif (named := _MARKDOWN.search(text)) is not None:
        text = named[1]
    text = _without_emphasis(text.strip())
    if re.match(r"[a-z]+%3a%2f%2f", text, re.IGNORECASE):
        text = unquote(text)
    return text.lstrip(_OPENING + " ").rstrip(_CLOSING + _PUNCTUATION + " ")


def _without_emphasis(text: str) -> str:
    plain = text.lstrip(_EMPHASIS)
    marks = text[: len(text) - len(plain)]
    return plain.removesuffix(marks) if plain.endswith(marks) else text


def link_pattern(schemes: str, places: str, code: str) -> str:
    """Return the regular expression of links to `code` at one of these places, with or without one
    of these schemes, to be read in any case. All three are regular expressions."""
    return rf"(?<![\w.@/-])(?:(?:{schemes})://)?(?:{places})(?P<code>{code})(?![\w-])"


def find_code(pasted: str, links: re.Pattern[str], code: re.Pattern[str]) -> str | None:
    """Return the code of the link that stands in what was pasted, or the bare code. None where
    there is none, or several."""
    text = unwrapped(pasted)
    bare = code.fullmatch(text.partition("?")[0].partition("#")[0].rstrip("/"))
    if bare is not None:
        return bare[0]
    found = {link["code"] for link in links.finditer(text)}
    return found.pop() if len(found) == 1 else None
