"""The words by which messages are found: folded, whatever the language.

A run of letters, digits and vowel signs is a word; of scripts that put no spaces
between words, each character is one. Words are the same everywhere, so the search knows no
dictionary. Each is stored behind a key of its organization, so that a search reads nothing of what
others have written, however much that is.
"""

import re
import unicodedata
from collections.abc import Iterator
from uuid import UUID

import msgspec

from heliograph.platform.folding import fold

MAX_WORD = 64
"""Characters of a word that count."""
MAX_WORDS = 1_000
"""Different words of one message that count: its first ones."""
MAX_SEARCHED = 20
"""Words of a search that count."""
SHORTEST_BEGINNING = 2
"""Letters of a beginning: many words have the first one in common, and one is a word by itself in
scripts without spaces."""

# Kana, Han, Thai, Lao, Burmese, Khmer
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# which `\w` leaves out, though no word of their languages is without
_VOWEL_SIGNS = "".join(
    letter
    for letter in map(chr, (*range(0x0900, 0x1D00), *range(0xA800, 0xAC00)))
    if unicodedata.category(letter) in ("Mc", "Mn")
)
# an underscore stands between words of a file's name, and around what is written in italics
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}_])[\w{_VOWEL_SIGNS}])+")
_NO_TEXT = frozenset(
    (
        "type",
        "id",
        "media_id",
        "media_type",
        "url",
        "media_url",
        "vcard",
        "phones",
        "sha256",
        "language",
    )
)
"""Members of a content that say nothing to a person."""


def words_of(text: str) -> list[str]:
    """List the different words of a text, in its order."""
    return list(dict.fromkeys(word[:MAX_WORD] for word in _WORD.findall(fold(text))))


def texts_of(content: str | bytes) -> str:
    """Return all that a stored content says, of whatever kind: texts, titles, names."""
    return "\n".join(_texts(msgspec.json.decode(content)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in _NO_TEXT:
                yield from _texts(item)


def vector_of(organization_id: UUID, content: str | bytes) -> str | None:
    """Return the words of a stored content as a `tsvector`, None if it says nothing."""
    key, words = _key(organization_id), words_of(texts_of(content))[:MAX_WORDS]
    return " ".join(key + word for word in words) or None


def query_of(organization_id: UUID, search: str) -> str | None:
    """Return the `tsquery` for messages with all these words; the last may be the beginning of one
    if it has two letters or more.

    None for a text without a word, which no message fits.
    """
    words = words_of(search)[:MAX_SEARCHED]
    if not words:
        return None
    key = _key(organization_id)
    query = " & ".join(f"'{key}{word}'" for word in words)
    return query if len(words[-1]) < SHORTEST_BEGINNING else query + ":*"


def _key(organization_id: UUID) -> str:
    """What stands before each word of an organization: of the same length for all."""
    return organization_id.hex[-8:]
