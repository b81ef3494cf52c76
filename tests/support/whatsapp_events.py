"""The library's own objects, as it would hand them over, built with what a test cares about."""

import hashlib
import time
from typing import Any

from neonize.proto.Neonize_pb2 import (
    JID,
    Contact,
    ContactInfo,
    Device,
    GroupAnnounce,
    GroupEphemeral,
    GroupIncognito,
    GroupInfo,
    GroupInfoEvent,
    GroupIsDefaultSub,
    GroupLinkedParent,
    GroupLocked,
    GroupName,
    GroupParent,
    GroupParticipant,
    GroupTopic,
    JoinedGroup,
    MessageDebugTimings,
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


def jid(text: str) -> JID:
    """The library's JID; of an empty text, its empty one."""
    return to_jid(text) if text else JID(User="", Device=0, Server="", RawAgent=0, Integrator=0)


def source(
    chat: str = ADA,
    sender: str = "",
    *,
    sender_alt: str = "",
    recipient_alt: str = "",
    from_me: bool = False,
) -> MessageSource:
    return MessageSource(
        Chat=jid(chat),
        Sender=jid(sender or (OWN if from_me else chat)),
        IsFromMe=from_me,
        IsGroup=chat.endswith("@g.us"),
        SenderAlt=jid(sender_alt),
        RecipientAlt=jid(recipient_alt),
        BroadcastListOwner=jid(""),
    )


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
    return MessageEvent(
        Info=MessageInfo(
            MessageSource=where or source(),
            ID=message_id,
            ServerID=0,
            Type="text",
            Pushname=name,
            Timestamp=at * 1000,
            Category="",
            Multicast=False,
            MediaType="",
            Edit="",
        ),
        Message=message or Message(**parts),
        IsEphemeral=False,
        IsViewOnce=False,
        IsViewOnceV2=False,
        IsViewOnceV2Extension=False,
        IsDocumentWithCaption=False,
        IsLottieSticker=False,
        IsEdit=False,
        UnavailableRequestID="",
        RetryCount=0,
    )


def receipt(
    kind: Any, *ids: str, where: MessageSource | None = None, at: int = NOW
) -> ReceiptEvent:
    return ReceiptEvent(MessageSource=where or source(), MessageIDs=ids, Timestamp=at, Type=kind)


def response(message_id: str, at: int | None = None) -> SendResponse:
    timings = MessageDebugTimings(
        Queue=0,
        Marshal=0,
        GetParticipants=0,
        GetDevices=0,
        GroupEncrypt=0,
        PeerEncrypt=0,
        Send=0,
        Resp=0,
        Retry=0,
    )
    return SendResponse(
        Timestamp=int(time.time()) if at is None else at,
        ID=message_id,
        ServerID=0,
        DebugTimings=timings,
    )


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
    return Device(
        JID=jid(text),
        LID=jid(lid),
        Platform="android",
        BussinessName="",
        PushName="Front desk",
        Initialized=True,
    )


def member(number: str = "", lid: str = "", *, error: int = 0) -> GroupParticipant:
    return GroupParticipant(
        JID=jid(lid or number),
        LID=jid(lid),
        PhoneNumber=jid(number),
        IsAdmin=False,
        IsSuperAdmin=False,
        DisplayName="",
        Error=error,
    )


def group(
    subject: str,
    members: list[GroupParticipant],
    *,
    group_jid: str = GROUP,
    owner: str = OWN_JID,
    created: int = NOW,
    named: int | None = None,
) -> GroupInfo:
    return GroupInfo(
        JID=jid(group_jid),
        OwnerJID=jid(owner),
        OwnerPN=jid(""),
        GroupName=GroupName(
            Name=subject, NameSetAt=created if named is None else named, NameSetBy=jid(owner)
        ),
        GroupTopic=GroupTopic(
            Topic="", TopicID="", TopicSetAt=0, TopicSetBy=jid(""), TopicDeleted=False
        ),
        GroupLocked=GroupLocked(isLocked=False),
        GroupAnnounce=GroupAnnounce(IsAnnounce=False, AnnounceVersionID=""),
        GroupEphemeral=GroupEphemeral(IsEphemeral=False, DisappearingTimer=0),
        GroupIncognito=GroupIncognito(IsIncognito=False),
        GroupParent=GroupParent(IsParent=False, DefaultMembershipApprovalMode=""),
        GroupLinkedParent=GroupLinkedParent(LinkedParentJID=jid("")),
        GroupIsDefaultSub=GroupIsDefaultSub(IsDefaultSubGroup=False),
        GroupCreated=float(created),
        ParticipantVersionID="",
        Participants=members,
    )


def joined(info: GroupInfo) -> JoinedGroup:
    """The account was taken into a group."""
    return JoinedGroup(Reason="", Type="new", CreateKey="", GroupInfo=info)


def renamed(group_jid: str, subject: str) -> GroupInfoEvent:
    return GroupInfoEvent(
        JID=jid(group_jid),
        Notify="",
        Timestamp=NOW,
        Name=GroupName(Name=subject, NameSetAt=NOW, NameSetBy=jid(ADA)),
        PrevParticipantsVersionID="",
        ParticipantVersionID="",
        JoinReason="",
    )


def contact(text: str, *, name: str = "", push_name: str = "", found: bool = True) -> Contact:
    return Contact(JID=jid(text), Info=contact_info(name, push_name, found=found))


def contact_info(name: str = "", push_name: str = "", *, found: bool = True) -> ContactInfo:
    return ContactInfo(
        Found=found,
        FirstName="",
        FullName=name,
        PushName=push_name,
        BusinessName="",
        RedactedPhone="",
    )
