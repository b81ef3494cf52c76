"""The words by which messages are found, folded in any language.

A run of letters, digits and vowel signs is a word; in scripts without spaces between words, each
character is one. The rule is the same for all languages, so no dictionary is needed. Each word is
stored behind a key of its organization, so that a search reads nothing that other organizations
wrote.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, get_args
from uuid import UUID

import msgspec

from heliograph.networks.content import Content
from heliograph.networks.content.kinds import Unsearched
from heliograph.platform.folding import fold

MAX_WORD = 64
"""Characters of a word that count."""
MAX_WORDS = 1_000
"""Different words of one message that count: its first ones."""
MAX_SEARCHED = 20
"""Words of a search that count."""
MIN_BEGINNING_LENGTH = 2
"""The minimum length of a prefix: too many words share a single first letter, and in scripts
without spaces one character is a whole word."""

# Kana, Han, Thai, Lao, Burmese, Khmer
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# vowel signs, which `\w` does not match though words of these languages need them
_VOWEL_SIGNS = "".join(
    letter
    for letter in map(chr, (*range(0x0900, 0x1D00), *range(0xA800, 0xAC00)))
    if unicodedata.category(letter) in ("Mc", "Mn")
)
# underscores separate the words of file names, and surround italics
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}_])[\w{_VOWEL_SIGNS}])+")


def _list_unsearched(hint: Any) -> Iterator[str]:
    """List the members within this type that are marked `Unsearched`."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        for field in msgspec.structs.fields(hint):
            if Unsearched in get_args(field.type):
                yield field.name
            yield from _list_unsearched(field.type)
    for part in get_args(hint):
        yield from _list_unsearched(part)


_UNSEARCHED = frozenset(("type", *_list_unsearched(Content)))


def words_of(text: str) -> list[str]:
    """List the different words of a text, in its order."""
    return list(dict.fromkeys(word[:MAX_WORD] for word in _WORD.findall(fold(text))))


def texts_of(content: str | bytes) -> str:
    """Return all text of a stored content, of whatever kind: texts, titles, names."""
    return "\n".join(_texts(msgspec.json.decode(content)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in _UNSEARCHED:
                yield from _texts(item)


def vector_of(organization_id: UUID, content: str | bytes) -> str | None:
    """Return the words of a stored content as a `tsvector`, or None if it has none."""
    key, words = _key(organization_id), words_of(texts_of(content))[:MAX_WORDS]
    return " ".join(key + word for word in words) or None


def query_of(organization_id: UUID, search: str) -> str | None:
    """Return the `tsquery` for messages with all these words; the last may be the beginning of one
    if it has two letters or more.

    None for a search without a word, which matches no message.
    """
    words = words_of(search)[:MAX_SEARCHED]
    if not words:
        return None
    key = _key(organization_id)
    query = " & ".join(f"'{key}{word}'" for word in words)
    return query if len(words[-1]) < MIN_BEGINNING_LENGTH else query + ":*"


def _key(organization_id: UUID) -> str:
    """Return the prefix of each word of an organization; all prefixes have the same length."""
    return organization_id.hex[-8:]
