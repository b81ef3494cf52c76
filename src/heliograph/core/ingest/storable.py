"""Sanitize incoming text, so that PostgreSQL can store it and people can read it.

Strangers can write anything. PostgreSQL can't store a NUL character, and a lone surrogate can't be
encoded; no message may be lost because of either. A name without visible characters counts as none,
and no name may change the direction of the text beside it. Names are cut to a length that the index
of names can take, and times are kept early enough to allow for additions.
"""

import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from heliograph.core.ingest.model import ReportedEvent
from heliograph.networks import port
from heliograph.networks.content import (
    ContactCard,
    Content,
    Location,
    Media,
    Referral,
    decode_content,
    encode_content,
    message_type,
    not_understood,
)
from heliograph.platform.characters import visible_name
from heliograph.platform.file_names import tidy_file_name

T = TypeVar("T", str, str | None)

MAX_NAME_LENGTH = 255
"""Characters. The index of names takes time in the square of a name's length: minutes for
20,000."""
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def storable(event: port.NetworkEvent) -> port.NetworkEvent:
    """Return the event with every text made storable."""
    if isinstance(event, port.Inbound):
        return _arrival(event)
    if isinstance(event, port.Changed):
        return replace(
            event,
            content=None if event.content is None else _content(event.content),
            emoji=clean(event.emoji),
            at=_time(event.at),
            otherwise=None if event.otherwise is None else _arrival(event.otherwise),
        )
    if isinstance(event, port.ContactSeen):
        return replace(event, name=_name(event.name), chat_name=_name(event.chat_name))
    if isinstance(event, (port.Receipt, port.ReadElsewhere)):
        return replace(event, at=_time(event.at))
    if isinstance(event, port.GroupSeen):
        return replace(event, subject=_name(event.subject) or "")
    if isinstance(event, port.Restricted):
        return replace(event, reason=clean(event.reason))
    return event


def _arrival(event: port.Inbound) -> port.Inbound:
    return replace(
        event,
        content=_content(event.content),
        sent_at=_time(event.sent_at),
        sender_name=_name(event.sender_name),
        group_subject=_name(event.group_subject),
        referral=_referral(event.referral),
    )


def _referral(referral: Referral | None) -> Referral | None:
    if referral is None:
        return None
    values = msgspec.structs.asdict(referral)
    return Referral(**{name: clean(value) for name, value in values.items()})


def storable_sent(sent: port.Sent) -> port.Sent:
    """Return the send's outcome with the network's texts about the recipient made storable."""
    return replace(
        sent,
        contact_name=_name(sent.contact_name),
        chat_name=_name(sent.chat_name),
    )


def _name(text: str | None) -> str | None:
    name = visible_name(clean(text))
    return None if name is None else visible_name(name[:MAX_NAME_LENGTH])


def _time(at: datetime) -> datetime:
    return min(max(at, _EARLIEST), _LATEST)


def clean(text: T) -> T:
    """Replace NULs and lone surrogates by U+FFFD."""
    if text is None or (text.isascii() and "\x00" not in text):
        return text
    encoded = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return encoded.replace("\x00", "\ufffd")


_MAX_ID_LENGTH = 500
"""Bytes: an index entry holds only a few thousand."""


def least_of(event: ReportedEvent) -> port.Inbound | None:
    """Return the minimum to keep of a message that can't be stored even so: that it came, when, and
    from whom. None for other reports."""
    if not isinstance(event, port.Inbound):
        return None
    return port.Inbound(
        event.chat_jid,
        event.sender_jid,
        _short_id(event.chat_message_id),
        not_understood(message_type(event.content)),
        _time(event.sent_at),
        is_group=event.is_group,
        from_me=event.from_me,
        sender_phone_number=_number(event.sender_phone_number),
    )


def _number(phone_number: str | None) -> str | None:
    is_one = phone_number is not None and _PHONE_NUMBER.fullmatch(phone_number) is not None
    return phone_number if is_one else None


_PHONE_NUMBER = re.compile(r"\+[0-9]{1,20}", re.ASCII)


def _short_id(chat_message_id: str) -> str:
    encoded = chat_message_id.encode("utf-8", "surrogatepass")
    if len(encoded) <= _MAX_ID_LENGTH and clean(chat_message_id) == chat_message_id:
        return chat_message_id
    return sha256(encoded).hexdigest()


def _content(content: Content) -> Content:
    if isinstance(content, Media) and content.file_name is not None:
        content = replace(content, file_name=tidy_file_name(content.file_name))
    if isinstance(content, (ContactCard, Location)):
        content = replace(content, name=visible_name(clean(content.name)) or "")
    return _encodable(content)


def _encodable(content: Content) -> Content:
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
