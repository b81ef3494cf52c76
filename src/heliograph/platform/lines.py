"""What counts as one line for people: something to see, and no line break."""

import re

from heliograph.platform.characters import CONTROLS, INVISIBLE, shows_something

BREAKS = r"\n\u000B\f\r\u001C-\u001E\u0085\u2028\u2029"
"""What begins a new line or paragraph, for a class of a regular expression."""
_NO_TITLE = rf"{CONTROLS}\u2028\u2029"
TITLE_PATTERN = rf"^[^{_NO_TITLE}]*[^{INVISIBLE}{BREAKS}][^{_NO_TITLE}]*$"
"""A title is one line with something visible in it. The same for Python and for JSON Schema, which
can't name everything that shows nothing: `has_title` can."""

_TITLE = re.compile(TITLE_PATTERN[:-1] + r"\Z")
_BREAK = re.compile(f"[{BREAKS}]")


def has_title(title: str) -> bool:
    """Return whether the title is one line with something in it to see."""
    return _TITLE.match(title) is not None and shows_something(title)


def has_break(text: str) -> bool:
    return _BREAK.search(text) is not None
