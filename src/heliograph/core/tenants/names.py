"""What the names that people give to a tenant and to its things have in common: something to see,
and to click, in the order in which it is read."""

import re

from heliograph.errors import InvalidInputError
from heliograph.networks.choices import INVISIBLE

_VISIBLE = re.compile(f"[^{INVISIBLE}]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates. What is written from right to left needs none of them, nor
does an emoji, whose parts U+200D joins."""


def require_visible(what: str, text: str, *loc: str | int) -> None:
    """Raise `InvalidInputError` where nobody sees anything of a name, or sees it turned around.

    `what` is what the text is called, such as `A name`.
    """
    if _VISIBLE.search(text) is None:
        raise InvalidInputError.at(
            loc, f"{what} needs a character that people can see.", input=text
        )
    if (turning := _TURNING.search(text)) is not None:
        code = f"U+{ord(turning[0]):04X}"
        problem = f"{what} has no characters that turn the direction of writing, such as {code}."
        raise InvalidInputError.at(loc, problem, input=text)
