"""Characters that show nothing, or turn what is read around: the one list of them.

They come along when people copy names and numbers, and strangers use them to hide or turn text.
Sources: Unicode's Default_Ignorable_Code_Point and White_Space, and the fillers that look blank.
"""

import re
import unicodedata

INVISIBLE = (
    r"\u0000-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F"
    r"\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB"
)
"""Blanks, and what shows nothing by itself, for a class of a regular expression that Python and
JSON Schema read alike; without what lies beyond U+FFFF, which those write in different ways."""
_INVISIBLE_BEYOND = r"\U00013430-\U0001345F\U0001BCA0-\U0001BCA3\U0001D159\U0001D173-\U0001D17A"
_TAGS_AND_SELECTORS = r"\U000E0000-\U000E0FFF"
_ALL_INVISIBLE = f"[{INVISIBLE}{_INVISIBLE_BEYOND}{_TAGS_AND_SELECTORS}]"
_BLANKS = r"\t-\r\u001C-\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"
CONTROLS = r"\u0000-\u001F\u007F-\u009F"
"""For a class of a regular expression, like `INVISIBLE`."""

TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Embeddings, overrides and isolates. What is written from right to left needs none of them: its
letters, and the marks of direction, say how it is read."""
MARKS_OF_DIRECTION = "\u061c\u200e\u200f"
_TURNING = re.compile(f"[{TURNING}]")
_HIDDEN = re.compile(rf"(?!\s)(?![{_BLANKS}{CONTROLS}]){_ALL_INVISIBLE}")
_UNSEEN = re.compile(rf"(?:[{_BLANKS}]|{_HIDDEN.pattern})*+")
_CONTROL = re.compile(f"[{CONTROLS}]")
_CONTROL_IN_TEXT = re.compile(r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]")
_BETWEEN_WORDS = re.compile(rf"[{_BLANKS}{CONTROLS}]+")
_HALF = re.compile("[\ud800-\udfff]")
_NOTHING = re.compile(_ALL_INVISIBLE)
_FLAG = r"\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]+\U000E007F"
"""The flag of a part of a country: a black flag and its name in tags (UTS #51)."""
JOINERS = "\u200c\u200d"
"""They join letters and emoji, or keep letters apart, in ordinary words."""
_SELECTORS = "\ufe00-\ufe0f"
_FLAG_OR_HIDDEN = re.compile(rf"({_FLAG}|[{JOINERS}{_SELECTORS}])|{_HIDDEN.pattern}")


def has_controls(text: str) -> bool:
    """Return whether there are control characters in it, such as escapes, tabs and line breaks."""
    return _CONTROL.search(text) is not None


def shows_something(text: str) -> bool:
    """Return whether there is something to see: more than blanks, marks and what shows nothing."""
    seen = _NOTHING.sub("", text)
    return any(unicodedata.category(letter)[0] != "M" for letter in seen)


def without_turning(text: str) -> str:
    """Return the text without what turns the direction of writing in spite of its letters."""
    return text if text.isascii() else _TURNING.sub("", text)


def without_hidden(text: str) -> str:
    """Return the text without what shows nothing, but for blanks and controls. What joins letters
    and emoji, chooses their look or makes flags stays."""
    return text if text.isascii() else _FLAG_OR_HIDDEN.sub(lambda found: found[1] or "", text)


def without_invisible(text: str) -> str:
    """Return the text without anything that shows nothing, but for blanks and controls."""
    return text if text.isascii() else _HIDDEN.sub("", text)


def trimmed(text: str) -> str:
    """Return the text without blanks and what shows nothing at its ends."""
    if text.isascii():
        return text.strip()
    # from each end: a pattern for the last run would try each run at each place
    return _without_start(_without_start(text)[::-1])[::-1]


def _without_start(text: str) -> str:
    return _UNSEEN.sub("", text, count=1)


def storable_text(text: str) -> str:
    """Return the text without control characters except tabs and line breaks, and with U+FFFD for
    each half of a character."""
    return _HALF.sub("\ufffd", _CONTROL_IN_TEXT.sub("", text))


def one_line(text: str) -> str:
    """Return the text as one line that can be stored and shown: with a blank for each run of blanks
    and controls, none at its ends, and U+FFFD for each half of a character."""
    return _HALF.sub("\ufffd", _BETWEEN_WORDS.sub(" ", text)).strip(" ")


def visible_name(text: str | None) -> str | None:
    """Return a name that a stranger chose as it can be shown beside others; None for one that shows
    nothing."""
    name = one_line(without_turning(text or ""))
    return name if shows_something(name) else None
