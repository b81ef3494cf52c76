"""Codes that one person hands to another, and that are typed or pasted."""

import secrets

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # none that looks like another
_GROUP = 4


def make_typed_code(groups: int) -> str:
    """Make a code of this many groups of four characters, with 19 bits in each."""
    return "-".join(
        "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(groups)
    )


def normalize_typed_code(text: str) -> str:
    """Return a code without what people add: blanks, dashes, small letters."""
    return "".join(sign for sign in text.upper() if sign.isalnum())
