"""Converts changes of sent messages to the library's form."""

from datetime import datetime

from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    FutureProofMessage,
    Message,
    ProtocolMessage,
    ReactionMessage,
)


def key_of(chat: str, remote_id: str, author: str | None, *, is_group: bool) -> MessageKey:
    """Return the key of a message; `author` is None for the account's own."""
    key = MessageKey(remoteJID=chat, fromMe=author is None, ID=remote_id)
    if author is not None and is_group:
        key.participant = author
    return key


def edit_to_send(key: MessageKey, message: Message, at: datetime) -> Message:
    """Return the edit that gives the message this content."""
    protocol = ProtocolMessage(
        key=key,
        type=ProtocolMessage.MESSAGE_EDIT,
        editedMessage=message,
        timestampMS=_milliseconds(at),
    )
    return Message(editedMessage=FutureProofMessage(message=Message(protocolMessage=protocol)))


def revoke_to_send(key: MessageKey) -> Message:
    """Return the message that deletes another one for everyone."""
    return Message(protocolMessage=ProtocolMessage(key=key, type=ProtocolMessage.REVOKE))


def reaction_to_send(key: MessageKey, emoji: str, at: datetime) -> Message:
    """Return a reaction; an empty `emoji` withdraws the one before."""
    reaction = ReactionMessage(key=key, text=emoji, senderTimestampMS=_milliseconds(at))
    return Message(reactionMessage=reaction)


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)
