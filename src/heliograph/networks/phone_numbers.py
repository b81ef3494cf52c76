"""Phone numbers as people write them: spaces, dots, dashes and brackets tell nothing."""

import re
import unicodedata

SEPARATORS = dict.fromkeys(map(ord, " \u00a0\u202f.()[]-\u2010\u2011\u2012\u2013"))
"""For `str.translate`, which drops them."""
_NUMBER = re.compile(r"\+?([1-9][0-9]{4,14})", re.ASCII)
_IN_A_SEARCH = re.compile(r"[\s()\[\]+./\-\u2010-\u2015]")


def phone_digits(text: str) -> str | None:
    """Return the digits of a phone number with its country code; None for what is none.

    These are 5 to 15, of which the first is not 0 (E.164), with an optional `+` in front.
    """
    match = _NUMBER.fullmatch(text) or _NUMBER.fullmatch(text.translate(SEPARATORS))
    return None if match is None else match[1]


def partial_phone_digits(text: str) -> str | None:
    """Return the digits of what somebody looking for a phone number has typed of it; None for what
    is no part of one.

    More may stand between them than in an address, and wide digits count (NFKC): whoever searches
    may have copied the number from anywhere.
    """
    digits = _IN_A_SEARCH.sub("", unicodedata.normalize("NFKC", text))
    return digits if digits.isascii() and digits.isdecimal() else None


_MIN_DIGITS = 3


def searched_digits(text: str) -> str | None:
    """Return the digits to look for in phone numbers, of a text that somebody searches for; None if
    it is no part of a number, or too short to tell one from another."""
    digits = partial_phone_digits(text)
    return digits if digits is not None and len(digits) >= _MIN_DIGITS else None
