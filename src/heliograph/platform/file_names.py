"""Names of files: which are taken, and how they are written into a header."""

import unicodedata
from urllib.parse import quote

from heliograph.platform.characters import shows_something, without_hidden

MAX_BYTES = 255
_MAX_ENDING_SIZE = 20  # bytes
_SEPARATORS = frozenset("/\\")
_NEVER = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of characters: controls, halves of characters, line ends."""
_PLAIN = frozenset("!#$&+-.^_`|~ ()[]{}@',;=")


def tidy_file_name(name: str) -> str | None:
    """Return the name without what makes it unfit; None when nothing is left of it. For names that
    no caller has chosen."""
    fit = "".join(letter for letter in without_hidden(name) if _is_fit(letter))
    tidied = _shortened(fit.strip())
    return tidied if tidied and why_refused(tidied) is None else None


def _shortened(name: str) -> str:
    """Return a name that is not too long, with its ending, by which it is opened."""
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending if stem and len(ending.encode()) <= _MAX_ENDING_SIZE else ""
    kept = name.removesuffix(ending).encode()[: MAX_BYTES - len(ending.encode())]
    return kept.decode("utf-8", "ignore").strip() + ending


def why_refused(given: str) -> str | None:
    """Return why no file should have this name, as `without_hidden` leaves it; None for one that
    may."""
    name = without_hidden(given)
    if not shows_something(name) or name != name.strip():
        return "a file name is not empty, and does not begin or end with a space"
    if name in (".", ".."):
        return "a file name is not '.' or '..'"
    if len(name.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return f"a file name has at most {MAX_BYTES} bytes in UTF-8"
    if any(letter in _SEPARATORS for letter in name):
        return "a file name has no '/' or '\\'"
    if not all(map(_is_fit, name)):
        return "a file name has no control characters and no line breaks"
    return None


def _is_fit(letter: str) -> bool:
    return letter not in _SEPARATORS and unicodedata.category(letter) not in _NEVER


def attachment(name: str | None) -> str:
    """Return the value of Content-Disposition for a download of this name (RFC 6266, RFC 8187)."""
    if name is None:
        return "attachment"
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in _PLAIN) else "_"
        for letter in name
    )
    simple = f'attachment; filename="{plain}"'
    return simple if plain == name else f"{simple}; filename*=UTF-8''{quote(name, safe='')}"
