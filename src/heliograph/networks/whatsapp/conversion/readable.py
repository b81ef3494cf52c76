"""Makes texts from the library readable: neither WhatsApp nor the library checks strangers' texts.

A text that is not UTF-8 comes as bytes, and one with a NUL fits into no database. Both are replaced
before anything else reads them.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message as Part

T = TypeVar("T")


def readable(said: T) -> T:
    """Make the texts in the library's object, or in each of several, readable. Returns the same
    object."""
    if isinstance(said, Part):
        _mend(said)
    elif isinstance(said, Sequence) and not isinstance(said, (str, bytes)):
        for each in said:
            readable(each)
    return said


def _mend(part: Any) -> None:
    for field, value in part.ListFields():
        if field.message_type is not None:
            for each in value if field.is_repeated else (value,):
                _mend(each)
        elif field.type != field.TYPE_STRING:
            continue
        elif field.is_repeated:
            for position, text in enumerate(value):
                if not _is_readable(text):
                    value[position] = _text(text)
        elif not _is_readable(value):
            setattr(part, field.name, _text(value))


def _is_readable(text: str | bytes) -> bool:
    return isinstance(text, str) and "\0" not in text


def _text(value: str | bytes) -> str:
    text = value.decode(errors="replace") if isinstance(value, bytes) else value
    return text.replace("\0", "\ufffd")
