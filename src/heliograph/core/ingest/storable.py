"""Sanitize incoming text, so that PostgreSQL can store it.

Strangers write what they like. PostgreSQL can't store a NUL character, and a lone surrogate can't
be encoded; no message may be lost for either.
"""

from typing import TypeVar

import msgspec
from msgspec.structs import replace

from heliograph.networks.content import Content, decode_content, encode_content
from heliograph.networks.port import (
    Changed,
    ContactSeen,
    GroupSeen,
    Inbound,
    NetworkEvent,
    Restricted,
    Sent,
)

T = TypeVar("T", str, str | None)


def storable(event: NetworkEvent) -> NetworkEvent:
    """Make every text in the event storable."""
    if isinstance(event, Inbound):
        return replace(
            event,
            content=_content(event.content),
            sender_name=clean(event.sender_name),
            group_subject=clean(event.group_subject),
        )
    if isinstance(event, Changed):
        content = None if event.content is None else _content(event.content)
        return replace(event, content=content, emoji=clean(event.emoji))
    if isinstance(event, ContactSeen):
        return replace(event, name=clean(event.name), chat_name=clean(event.chat_name))
    if isinstance(event, GroupSeen):
        return replace(event, subject=clean(event.subject))
    if isinstance(event, Restricted):
        return replace(event, reason=clean(event.reason))
    return event


def storable_sent(sent: Sent) -> Sent:
    """Make the texts storable that the network gives for a recipient."""
    return replace(sent, contact_name=clean(sent.contact_name), chat_name=clean(sent.chat_name))


def clean(text: T) -> T:
    """Replace NULs and lone surrogates by U+FFFD."""
    if text is None or (text.isascii() and "\x00" not in text):
        return text
    encoded = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return encoded.replace("\x00", "\ufffd")


def _content(content: Content) -> Content:
    try:
        encoded = encode_content(content)
    except UnicodeEncodeError:
        encoded = None
    if encoded is not None and "\\u0000" not in encoded:
        return content
    plain = msgspec.to_builtins(content)
    return decode_content(msgspec.json.encode(_clean_all(plain)))


def _clean_all(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _clean_all(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean_all(item) for item in value]
    return value
