"""Converts arrivals: a message to an `Inbound`, a change of one to a `Changed`, and receipts."""

from datetime import UTC, datetime
from typing import Any, Literal

from google.protobuf.unknown_fields import UnknownFieldSet
from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import MessageInfo, MessageSource, UndecryptableMessage
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, ProtocolMessage

from heliograph.networks.content import (
    Content,
    PollVote,
    Referral,
    System,
    Text,
    not_understood,
)
from heliograph.networks.port import Changed, Inbound, ReadElsewhere, Receipt
from heliograph.networks.whatsapp.addresses import is_group, phone_number
from heliograph.networks.whatsapp.conversion.associations import copied_id, is_part_of_another
from heliograph.networks.whatsapp.conversion.contents import (
    STATUS,
    content_of,
    context_of,
    referral_of,
)
from heliograph.networks.whatsapp.conversion.jids import (
    Book,
    canonical,
    is_person,
    to_text,
    without_device,
)
from heliograph.networks.whatsapp.conversion.mentions import readdressed
from heliograph.networks.whatsapp.conversion.unknown import EMPTY_TEXTS, unknown_of
from heliograph.networks.whatsapp.conversion.wrapping import layers_of, unwrapped

_NO_NAME = ("", "-")
_MILLISECONDS_FROM = 100_000_000_000
"""A larger time is not in seconds: it would be beyond the year 5138."""
_LATEST = _MILLISECONDS_FROM
"""In seconds. A later time is invalid."""


def arrival_of(
    event: MessageEvent,
    own_jid: str,
    book: Book,
    *,
    group_subject: str | None = None,
    vote: PollVote | None = None,
) -> Inbound | Changed | None:
    """Return the event of a message; None for messages not written by a person to the account (a
    status, a newsletter, keys, settings), and for parts of other messages.

    `own_jid` is the account's address with its phone number, `vote` a decrypted vote.
    """
    info = event.Info
    chat = chat_of(info.MessageSource, book)
    if not _is_chat(chat) or info.Category == _BETWEEN_DEVICES:
        return None
    message = unwrapped(event.Message)
    changed = _change_of(event, message, chat, own_jid, book)
    if changed is not None:
        return _or_told(changed, info, own_jid, book, group_subject)
    if message.HasField("protocolMessage") and message.protocolMessage.type in _CHANGES:
        return None
    if is_part_of_another(event.Message):
        return None
    referral = None if info.MessageSource.IsFromMe else referral_of(message)
    content = _people_known(content_of(message), book) if vote is None else vote
    content = content or _by_ad(message, referral) or unknown_of(message)
    if content is None:
        return None
    inbound = _inbound(info, chat, content, own_jid, book, group_subject)
    return replace(
        inbound,
        # under the first one's id both are the same message, whichever arrives first
        chat_message_id=copied_id(event.Message) or inbound.chat_message_id,
        reply_to_chat_message_id=_answered(event.Message) or None,
        referral=referral,
    )


def unreadable_arrival_of(
    event: UndecryptableMessage, own_jid: str, book: Book, *, group_subject: str | None = None
) -> Inbound | None:
    """Return the event for a message that came without its content; None if it had none for a
    person."""
    chat = chat_of(event.Info.MessageSource, book)
    if _is_hidden(event) or event.Info.Category == _BETWEEN_DEVICES or not _is_chat(chat):
        return None
    content = _UNAVAILABLE if event.IsUnavailable else _UNDECRYPTED
    return _inbound(event.Info, chat, content, own_jid, book, group_subject)


def failed_arrival_of(
    event: MessageEvent | UndecryptableMessage, own_jid: str, book: Book
) -> Inbound | None:
    """Return the event for a message that could not be converted."""
    chat = chat_of(event.Info.MessageSource, book)
    if event.Info.Category == _BETWEEN_DEVICES or not _is_chat(chat):
        return None
    return _inbound(event.Info, chat, not_understood("unreadable"), own_jid, book, None)


def is_awaited(event: Any) -> bool:
    """Return whether this message was requested from its sender again, and may still come."""
    is_unreadable = isinstance(event, UndecryptableMessage)
    return is_unreadable and not (event.IsUnavailable or _is_hidden(event))


def changed_id(event: Any) -> str:
    """Return the id of the message that this one changes or reacts to; empty for others."""
    if not isinstance(event, MessageEvent):
        return ""
    message = unwrapped(event.Message)
    is_change = message.HasField("protocolMessage") and message.protocolMessage.type in _CHANGES
    key = message.protocolMessage.key if is_change else message.reactionMessage.key
    return str(key.ID)


def _is_hidden(event: UndecryptableMessage) -> bool:
    # the sender's mark for messages that phones do not show, such as reactions and votes
    return bool(event.DecryptFailMode == UndecryptableMessage.DECRYPT_FAIL_HIDE)


_BETWEEN_DEVICES = "peer"
_CHANGES = (ProtocolMessage.MESSAGE_EDIT, ProtocolMessage.REVOKE)
_UNAVAILABLE = System(
    "unavailable",
    "A message that WhatsApp shows only on the phone, such as a picture to be seen once. "
    "Open it on the phone.",
)
_UNDECRYPTED = System(
    "undecryptable", "A message that could not be decrypted here. Open it on the phone."
)


def _by_ad(message: Message, referral: Referral | None) -> Content | None:
    """Return the content for somebody who came from an advertisement and wrote nothing."""
    is_ad = referral is not None and referral.source_type != STATUS
    if referral is None or not is_ad or not message.HasField("extendedTextMessage"):
        return None
    name = referral.headline or referral.body or referral.source_url
    return System("referral", f"Came from an advertisement: {name}" if name else _BY_AD)


_BY_AD = "Came from an advertisement."


def _inbound(
    info: MessageInfo,
    chat: str,
    content: Content,
    own_jid: str,
    book: Book,
    group_subject: str | None,
) -> Inbound:
    source = info.MessageSource
    sender = sender_of(source, own_jid, book)
    return Inbound(
        chat_jid=chat,
        sender_jid=sender,
        chat_message_id=info.ID,
        content=content,
        sent_at=at_of(info.Timestamp),
        is_group=is_group(chat),
        from_me=source.IsFromMe,
        sender_phone_number=phone_number(sender),
        sender_name=None if source.IsFromMe or info.Pushname in _NO_NAME else info.Pushname,
        group_subject=group_subject if is_group(chat) else None,
    )


_NO_CHATS = {
    "broadcast": "statuses; what comes by a list of recipients is in the chat with its sender",
    "newsletter": "channels, to which nobody writes for the account alone",
    "call": "ringing",
}
"""The servers of addresses that are not chats, with the reasons. People may be on servers that are
not listed anywhere."""


def _is_chat(jid: str) -> bool:
    user, _, server = jid.rpartition("@")
    return bool(user) and server not in _NO_CHATS


def _answered(message: Message) -> str:
    """Return the id of the message that this one answers, votes in or comments on."""
    layers = layers_of(message)
    for layer in layers:
        for field, part in layer.message.ListFields():
            key = _key_in(part) if field.message_type is not None else None
            if key is not None:
                return str(key.ID)
    context = context_of(layers[-1].message)
    return str(context.stanzaID) if context else ""


def _key_in(part: Any) -> MessageKey | None:
    """Return the key of the message to which a part refers: a poll, or a pinned message."""
    keys = (key for field, key in part.ListFields() if field.message_type is MessageKey.DESCRIPTOR)
    return next(keys, None)


def _people_known(content: Content | None, book: Book) -> Content | None:
    """Return the content with its mentions under the addresses that we have for these people."""
    if not isinstance(content, Text) or not content.mentions:
        return content
    mentions = tuple(jid for jid in map(without_device, content.mentions) if is_person(jid))
    return readdressed(replace(content, mentions=mentions), lambda jid: canonical(jid, book))


def chat_of(source: MessageSource, book: Book) -> str:
    """Return the chat's address. A message to a broadcast list is in the chat with its sender."""
    chat = to_text(source.Chat)
    if source.Chat.Server == "broadcast" and source.Chat.User != "status":
        chat = to_text(source.Sender)
    return canonical(chat, book)


def sender_of(source: MessageSource, own_jid: str, book: Book) -> str:
    return own_jid if source.IsFromMe else canonical(to_text(source.Sender), book)


def at_of(value: int) -> datetime:
    """Read a time of the library."""
    # messages have milliseconds, everything else seconds
    seconds = value / 1000 if abs(value) > _MILLISECONDS_FROM else value
    return datetime.fromtimestamp(min(max(seconds, 0), _LATEST), UTC)


def _change_of(
    event: MessageEvent, message: Message, chat: str, own_jid: str, book: Book
) -> Changed | None:
    protocol = message.protocolMessage
    kind: Literal["edited", "deleted", "reaction"]
    if message.HasField("reactionMessage"):
        key, kind = message.reactionMessage.key, "reaction"
    elif not message.HasField("protocolMessage"):
        return None
    elif protocol.type == ProtocolMessage.MESSAGE_EDIT:
        key, kind = protocol.key, "edited"
    elif _is_revocation(protocol) and protocol.HasField("key"):
        key, kind = protocol.key, "deleted"
    else:
        return None
    sender = sender_of(event.Info.MessageSource, own_jid, book)
    content = _edited(protocol, book) if kind == "edited" else None
    if kind == "edited" and content is None:
        return None
    return Changed(
        kind=kind,
        chat_jid=chat,
        sender_jid=sender,
        change_id=event.Info.ID,
        chat_message_id=key.ID,
        message_sender_jid=_author(key, kind, sender, own_jid, chat, book),
        at=at_of(event.Info.Timestamp),
        content=content,
        emoji=message.reactionMessage.text if kind == "reaction" else None,
        from_own_account=event.Info.MessageSource.IsFromMe,
    )


def _or_told(
    changed: Changed, info: MessageInfo, own_jid: str, book: Book, group_subject: str | None
) -> Changed:
    """Return the change, with its new content as a message in case the changed one is unknown."""
    if changed.content is None or changed.from_own_account:
        return changed
    told = _inbound(info, changed.chat_jid, changed.content, own_jid, book, group_subject)
    return replace(changed, otherwise=told)


def _is_revocation(protocol: ProtocolMessage) -> bool:
    # types that are newer than the library are read as 0, which is this one
    is_newer = any(field.field_number == _TYPE for field in UnknownFieldSet(protocol))
    return protocol.type == ProtocolMessage.REVOKE and not is_newer


_TYPE = ProtocolMessage.DESCRIPTOR.fields_by_name["type"].number


def _edited(protocol: ProtocolMessage, book: Book) -> Content | None:
    """Return the content after an edit; None for an edit without content."""
    message = unwrapped(protocol.editedMessage)
    content = _people_known(content_of(message), book) or unknown_of(message)
    return None if isinstance(content, System) and content.kind in EMPTY_TEXTS else content


def _author(key: MessageKey, kind: str, sender: str, own_jid: str, chat: str, book: Book) -> str:
    """Return the author of the message with this key."""
    # `fromMe` in a key is relative to the person who changes the message
    if kind == "edited" or key.fromMe:
        return sender
    if key.participant:
        return canonical(without_device(key.participant), book)
    if kind == "deleted" or is_group(chat):
        return sender
    return own_jid if sender != own_jid else chat


_KINDS: dict[int, Literal["delivered", "read", "failed"]] = {
    ReceiptEvent.DELIVERED: "delivered",
    ReceiptEvent.READ: "read",
    ReceiptEvent.PLAYED: "read",
    ReceiptEvent.SERVER_ERROR: "failed",
}
_REFUSED_LATE = "WhatsApp's server took the message and could not deliver it."


_READ_BY_OWNER = frozenset(
    {
        ReceiptEvent.READ,
        ReceiptEvent.READ_SELF,
        ReceiptEvent.PLAYED,
        ReceiptEvent.PLAYED_SELF,
    }
)


def receipts_of(event: ReceiptEvent, book: Book) -> list[Receipt | ReadElsewhere]:
    """Return a receipt for each message, or the report that the owner has read the chat on another
    device."""
    chat, at = chat_of(event.MessageSource, book), at_of(event.Timestamp)
    # neither other messages among our own devices, nor requests to resend a message, which the
    # library answers
    if event.MessageSource.IsFromMe:
        read = ReadElsewhere(chat, at, tuple(event.MessageIDs))
        return [read] if event.Type in _READ_BY_OWNER else []
    kind = _KINDS.get(event.Type)
    failed = kind == "failed"
    if kind is None or (failed and is_group(chat)):  # in a group, that concerns a single member
        return []
    reason = _REFUSED_LATE if failed else None
    return [
        Receipt(chat, messageid, kind, at, reason, only_of_chat=failed)
        for messageid in event.MessageIDs
    ]
