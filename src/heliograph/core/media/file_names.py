"""Names of files: which are taken, and how they are written into a header."""

import unicodedata
from urllib.parse import quote

MAX_BYTES = 255
_SEPARATORS = frozenset("/\\")
_NEVER = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters: controls, what turns text round or is not seen, line ends."""
_SEEN_IN_WORDS = frozenset("\u200c\u200d")
"""What joins letters and emoji, or keeps letters apart, in ordinary names."""
_PLAIN = frozenset("!#$&+-.^_`|~ ()[]{}@',;=")


def tidy_file_name(name: str) -> str | None:
    """Return the name without what makes it unfit; None when nothing is left of it. For names that
    no caller has chosen."""
    kept = "".join(letter for letter in name if _is_fit(letter)).strip().encode()[:MAX_BYTES]
    tidied = kept.decode("utf-8", "ignore").strip()
    return tidied if tidied and why_refused(tidied) is None else None


def why_refused(name: str) -> str | None:
    """Return why no file should have this name; None for one that may."""
    if not name.strip() or name != name.strip():
        return "a file name is not empty, and does not begin or end with a space"
    if name in (".", ".."):
        return "a file name is not '.' or '..'"
    if len(name.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return f"a file name has at most {MAX_BYTES} bytes in UTF-8"
    if any(letter in _SEPARATORS for letter in name):
        return "a file name has no '/' or '\\'"
    if not all(map(_is_fit, name)):
        return "a file name has no control characters and none that turn the direction of text"
    return None


def _is_fit(letter: str) -> bool:
    if letter in _SEPARATORS:
        return False
    return letter in _SEEN_IN_WORDS or unicodedata.category(letter) not in _NEVER


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
