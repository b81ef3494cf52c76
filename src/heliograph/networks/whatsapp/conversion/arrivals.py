"""What came: a message as an `Inbound`, a change of one as a `Changed`, and receipts."""

from datetime import UTC, datetime
from typing import Literal

from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import MessageSource
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, ProtocolMessage

from heliograph.networks.content import Content, PollVote, Text
from heliograph.networks.port import Changed, Inbound, Receipt
from heliograph.networks.whatsapp.addresses import is_group, phone_number
from heliograph.networks.whatsapp.conversion.contents import content_of, context_of, unwrapped
from heliograph.networks.whatsapp.conversion.jids import (
    Book,
    canonical,
    is_person,
    to_jid,
    to_text,
    without_device,
)
from heliograph.networks.whatsapp.conversion.mentions import readdressed

_NO_NAME = ("", "-")
_MILLISECONDS_FROM = 100_000_000_000
"""A time with more than this in it is not in seconds: those would be of the year 5138."""


def arrival_of(
    event: MessageEvent,
    own_jid: str,
    book: Book,
    *,
    group_subject: str | None = None,
    vote: PollVote | None = None,
) -> Inbound | Changed | None:
    """Return what a message event means; None for what no person wrote: a status, a newsletter,
    keys, settings.

    `own_jid` is the account's address with its phone number, `vote` what a vote says, decrypted.
    """
    chat = chat_of(event.Info.MessageSource, book)
    if not (is_person(chat) or is_group(chat)):
        return None
    message = unwrapped(event.Message)
    changed = _change_of(event, message, chat, own_jid, book)
    if changed is not None:
        return changed
    content = _people_known(content_of(message), book) if vote is None else vote
    if content is None:
        return None
    source = event.Info.MessageSource
    sender = sender_of(source, own_jid, book)
    name = event.Info.Pushname
    return Inbound(
        chat_jid=chat,
        sender_jid=sender,
        chat_message_id=event.Info.ID,
        content=content,
        sent_at=at_of(event.Info.Timestamp),
        is_group=is_group(chat),
        from_me=source.IsFromMe,
        sender_phone_number=phone_number(sender),
        sender_name=None if source.IsFromMe or name in _NO_NAME else name,
        group_subject=group_subject if is_group(chat) else None,
        reply_to_chat_message_id=_answered(message) or None,
    )


def _answered(message: Message) -> str:
    """Return the id of the message that this one answers, or votes in."""
    if message.HasField("pollUpdateMessage"):
        return str(message.pollUpdateMessage.pollCreationMessageKey.ID)
    context = context_of(message)
    return str(context.stanzaID) if context else ""


def _people_known(content: Content | None, book: Book) -> Content | None:
    """Return the content with those whom it mentions under the addresses that we have for them."""
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
    # messages have milliseconds, everything else has seconds
    seconds = value / 1000 if value > _MILLISECONDS_FROM else value
    return datetime.fromtimestamp(seconds, UTC)


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
    elif protocol.type == ProtocolMessage.REVOKE and protocol.HasField("key"):
        key, kind = protocol.key, "deleted"
    else:
        return None
    sender = sender_of(event.Info.MessageSource, own_jid, book)
    said = content_of(unwrapped(protocol.editedMessage)) if kind == "edited" else None
    content = _people_known(said, book)
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


def _author(key: MessageKey, kind: str, sender: str, own_jid: str, chat: str, book: Book) -> str:
    """Return who wrote the message that is meant."""
    # `fromMe` in a key is from the view of who changes the message
    if kind == "edited" or key.fromMe:
        return sender
    if key.participant:
        return canonical(to_text(to_jid(key.participant)), book)
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


def receipts_of(event: ReceiptEvent, book: Book) -> list[Receipt]:
    """Return a receipt for each message."""
    # what our own devices say among themselves is none, nor are requests to send a message again,
    # which the library answers
    if event.MessageSource.IsFromMe:
        return []
    chat, at = chat_of(event.MessageSource, book), at_of(event.Timestamp)
    kind = _KINDS.get(event.Type)
    failed = kind == "failed"
    if kind is None or (failed and is_group(chat)):  # in a group that is one member's trouble
        return []
    reason = _REFUSED_LATE if failed else None
    return [
        Receipt(chat, messageid, kind, at, reason, only_of_chat=failed)
        for messageid in event.MessageIDs
    ]
