"""The words by which messages are found: without case and accents, whatever the language.

A run of letters, digits and underscores is a word; of scripts that put no spaces between words,
each character is one. Words are the same everywhere, so the search knows no dictionary.
"""

import re
import unicodedata
from collections.abc import Iterator
from uuid import UUID

import msgspec

MAX_WORD = 64
"""Characters of a word that count."""
MAX_WORDS = 1_000
"""Different words of one message that count: its first ones."""
MAX_SEARCHED = 20
"""Words of a search that count."""

# Kana, Han, Thai, Lao, Burmese, Khmer
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_NO_TEXT = frozenset(
    ("type", "id", "media_id", "media_type", "url", "media_url", "vcard", "sha256", "language")
)
"""Members of a content that say nothing to a person."""


def words_of(text: str) -> list[str]:
    """List the different words of a text, in its order."""
    return list(dict.fromkeys(word[:MAX_WORD] for word in _WORD.findall(_folded(text))))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")


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
    words = words_of(texts_of(content))[:MAX_WORDS]
    return " ".join((_mark(organization_id), *words)) if words else None


def query_of(organization_id: UUID, search: str) -> str | None:
    """Return the `tsquery` for messages with all these words; the last may be the beginning of one.

    None for a text without a word, which no message fits.
    """
    words = words_of(search)[:MAX_SEARCHED]
    if not words:
        return None
    terms = [f"'{word}'" for word in (_mark(organization_id), *words)]
    return " & ".join(terms) + ":*"


def _mark(organization_id: UUID) -> str:
    """A word that all messages of an organization have and none says: the index of all tenants'
    words finds with it only those of one."""
    return f"@{organization_id.hex[-8:]}"
