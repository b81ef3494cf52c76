"""What the names that people give to a tenant and to its things have in common: something to see,
and to click, in the order in which it is read."""

import re

from heliograph.errors import InvalidInputError
from heliograph.networks.choices import INVISIBLE

_VISIBLE = re.compile(f"[^{INVISIBLE}]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Embeddings, overrides and isolates. What is written from right to left needs none of them, nor
does an emoji, whose parts U+200D joins."""


def check_name(name: str, longest: int) -> None:
    """Raise `InvalidInputError` for the field `name` unless it has 1 to `longest` characters, not
    all of them blank, and can be read."""
    if not name.strip() or len(name) > longest or "\x00" in name:
        raise InvalidInputError.at(("name",), f"A name has 1 to {longest} characters.")
    require_visible("A name", name, "name")


def require_visible(what: str, text: str, *loc: str | int) -> None:
    """Raise `InvalidInputError` for a text that is invisible or changes the writing direction.

    `what` is what the text is called, such as `A name`.
    """
    if _VISIBLE.search(text) is None:
        problem = f"{what} needs at least one visible character."
        raise InvalidInputError.at(loc, problem, input=text)
    if (turning := _TURNING.search(text)) is not None:
        code = f"U+{ord(turning[0]):04X}"
        problem = (
            f"{what} can't contain characters that change the writing direction, such as {code}."
        )
        raise InvalidInputError.at(loc, problem, input=text)
