"""The library's own objects, as it would hand them over, built with what a test cares about."""

import hashlib
import time
from typing import Any, TypeVar, cast

from google.protobuf.message import Message as ProtobufMessage
from neonize.proto.Neonize_pb2 import (
    JID,
    Contact,
    ContactInfo,
    Device,
    GroupInfo,
    GroupInfoEvent,
    GroupName,
    GroupParticipant,
    JoinedGroup,
    MessageInfo,
    MessageSource,
    SendResponse,
    UndecryptableMessage,
    UploadResponse,
)
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    Message,
    PollEncValue,
    PollUpdateMessage,
    PollVoteMessage,
    ProtocolMessage,
)

import libmagic_needed  # noqa: F401 - before the library
from heliograph.networks.whatsapp.conversion.jids import to_jid

OWN = "4915112340001:7@s.whatsapp.net"
OWN_JID = "4915112340001@s.whatsapp.net"
OWN_LID = "70000000000001@lid"
ADA = "4915112340002@s.whatsapp.net"
ADA_LID = "70000000000002@lid"
BRUNO = "4915112340003@s.whatsapp.net"
GROUP = "120363000000000001@g.us"
NOW = 1_772_442_910
"""2026-03-02 09:15:10 UTC."""

M = TypeVar("M", bound=ProtobufMessage)


def whole(message: M) -> M:
    """The same, with all that the library's objects must have: what is not given is empty."""
    for field in cast("Any", message.DESCRIPTOR).fields:
        if field.message_type is None:
            if field.is_required and not message.HasField(field.name):
                setattr(message, field.name, field.default_value)
        elif field.is_repeated:
            for each in getattr(message, field.name):
                whole(each)
        elif field.is_required or message.HasField(field.name):
            getattr(message, field.name).SetInParent()
            whole(getattr(message, field.name))
    return message


def jid(text: str) -> JID:
    """The library's JID; of an empty text, its empty one."""
    return to_jid(text) if text else whole(JID())


def source(
    chat: str = ADA,
    sender: str = "",
    *,
    sender_alt: str = "",
    recipient_alt: str = "",
    from_me: bool = False,
) -> MessageSource:
    found = MessageSource(
        Chat=jid(chat),
        Sender=jid(sender or (OWN if from_me else chat)),
        IsFromMe=from_me,
        IsGroup=chat.endswith("@g.us"),
        SenderAlt=jid(sender_alt),
        RecipientAlt=jid(recipient_alt),
    )
    return whole(found)


def message(
    message: Message | None = None,
    where: MessageSource | None = None,
    *,
    message_id: str = "3A0123456789ABCDEF01",
    name: str = "Ada",
    at: int = NOW,
    **parts: Any,
) -> MessageEvent:
    """A message that came; `parts` are those of the library's `Message`."""
    info = MessageInfo(
        MessageSource=where or source(),
        ID=message_id,
        Type="text",
        Pushname=name,
        Timestamp=at * 1000,
    )
    event = MessageEvent(Info=info)
    whole(event).Message.CopyFrom(message or Message(**parts))
    return event


def receipt(
    kind: Any, *ids: str, where: MessageSource | None = None, at: int = NOW
) -> ReceiptEvent:
    return ReceiptEvent(MessageSource=where or source(), MessageIDs=ids, Timestamp=at, Type=kind)


def response(message_id: str, at: int | None = None) -> SendResponse:
    return whole(SendResponse(Timestamp=int(time.time()) if at is None else at, ID=message_id))


def unreadable(
    where: MessageSource | None = None,
    *,
    message_id: str = "3A0123456789ABCDEF01",
    hidden: bool = False,
    gone: bool = False,
) -> UndecryptableMessage:
    """A message that came without its content, which only the phone has if it is `gone`."""
    return UndecryptableMessage(
        Info=message(where=where, message_id=message_id).Info,
        IsUnavailable=gone,
        DecryptFailMode="DECRYPT_FAIL_HIDE" if hidden else "DECRYPT_FAIL_SHOW",
    )


def edit(message_id: str, **parts: Any) -> Message:
    """Its author says something else instead."""
    protocol = ProtocolMessage(
        key=MessageKey(ID=message_id, fromMe=True),
        type=ProtocolMessage.MESSAGE_EDIT,
        editedMessage=Message(**parts),
    )
    return Message(protocolMessage=protocol)


def revoke(message_id: str, *, from_me: bool = True, participant: str = "") -> Message:
    key = MessageKey(ID=message_id, fromMe=from_me, participant=participant)
    return Message(protocolMessage=ProtocolMessage(type=ProtocolMessage.REVOKE, key=key))


VOTE_IV = b"not encrypted"


def vote(poll_id: str, *options: str, poll_from_me: bool = False) -> Message:
    """A vote for these options, for the stand-in to decrypt."""
    chosen = [hashlib.sha256(option.encode()).digest() for option in options]
    plain = PollVoteMessage(selectedOptions=chosen).SerializeToString()
    update = PollUpdateMessage(
        pollCreationMessageKey=MessageKey(remoteJID=OWN_LID, fromMe=poll_from_me, ID=poll_id),
        vote=PollEncValue(encPayload=plain, encIV=VOTE_IV),
    )
    return Message(pollUpdateMessage=update)


def upload(data: bytes, path: str = "") -> UploadResponse:
    """What the library says of a file that was uploaded."""
    path = path or f"/v/t62.7118-24/{len(data)}.enc"
    return UploadResponse(
        url=f"https://mmg.whatsapp.net{path}",
        DirectPath=path,
        Handle="",
        MediaKey=b"k" * 32,
        FileEncSHA256=b"e" * 32,
        FileSHA256=hashlib.sha256(data).digest(),
        FileLength=len(data),
    )


def device(text: str = OWN, lid: str = OWN_LID) -> Device:
    made = Device(
        JID=jid(text), LID=jid(lid), Platform="android", PushName="Front desk", Initialized=True
    )
    return whole(made)


def member(number: str = "", lid: str = "", *, error: int = 0) -> GroupParticipant:
    who = GroupParticipant(
        JID=jid(lid or number), LID=jid(lid), PhoneNumber=jid(number), Error=error
    )
    return whole(who)


def group(
    subject: str,
    members: list[GroupParticipant],
    *,
    group_jid: str = GROUP,
    owner: str = OWN_JID,
    created: int = NOW,
    named: int | None = None,
) -> GroupInfo:
    name_set_at = created if named is None else named
    info = GroupInfo(
        JID=jid(group_jid),
        OwnerJID=jid(owner),
        GroupName=GroupName(Name=subject, NameSetAt=name_set_at, NameSetBy=jid(owner)),
        GroupCreated=float(created),
        Participants=members,
    )
    return whole(info)


def joined(info: GroupInfo) -> JoinedGroup:
    """The account was taken into a group."""
    return whole(JoinedGroup(Type="new", GroupInfo=info))


def renamed(group_jid: str, subject: str) -> GroupInfoEvent:
    name = GroupName(Name=subject, NameSetAt=NOW, NameSetBy=jid(ADA))
    return whole(GroupInfoEvent(JID=jid(group_jid), Timestamp=NOW, Name=name))


def contact(text: str, *, name: str = "", push_name: str = "", found: bool = True) -> Contact:
    return Contact(JID=jid(text), Info=contact_info(name, push_name, found=found))


def contact_info(name: str = "", push_name: str = "", *, found: bool = True) -> ContactInfo:
    return whole(ContactInfo(Found=found, FullName=name, PushName=push_name))
