"""Messages that no converter can read: reported with their readable parts, unless they are only
protocol.

Protocol is recognized by the types of its parts. Everything else is reported: WhatsApp adds kinds
faster than any list of them can grow.
"""

from collections.abc import Iterator
from typing import Any

from google.protobuf.unknown_fields import UnknownFieldSet
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as e2e

from heliograph.networks.content import System, not_understood

PROTOCOL = {
    e2e.SenderKeyDistributionMessage.DESCRIPTOR: "keys, with which later messages are read",
    e2e.GroupRootKeyShare.DESCRIPTOR: "keys of a group",
    e2e.RootSecretDistributeMessage.DESCRIPTOR: "keys of a chat",
    e2e.MessageContextInfo.DESCRIPTOR: "stands beside what a message says",
    e2e.StatusLinkPreviewMetadata.DESCRIPTOR: "stands beside a link, and says how it looks",
    e2e.StickerSyncRMRMessage.DESCRIPTOR: "one's own devices telling each other their stickers",
    e2e.ProtocolMessage.DESCRIPTOR: (
        "settings, keys, history; what changes a message is read before"
    ),
}
"""The types of parts that are not messages to a person, with the reasons."""

_TOLD_PROTOCOL = {
    e2e.ProtocolMessage.SHARE_PHONE_NUMBER: "Shared their phone number.",
    e2e.ProtocolMessage.REQUEST_WELCOME_MESSAGE: "Opened the chat and waits for a greeting.",
    e2e.ProtocolMessage.STATUS_MENTION_MESSAGE: "Mentioned the account in a status.",
}
"""Protocol that phones show in the chat."""

EMPTY_TEXTS = ("conversation", "extendedTextMessage")

_SENTENCES = {
    **dict.fromkeys(EMPTY_TEXTS, "An empty message."),
    "albumMessage": "An album: its pictures and videos follow.",
    "bcallMessage": "An invitation to a call. Open it on the phone.",
    "call": "A call. Open it on the phone.",
    "callLogMesssage": "A call. Open it on the phone.",
    "cancelPaymentRequestMessage": "Withdrew a request for a payment.",
    "declinePaymentRequestMessage": "Declined a request for a payment.",
    "encEventResponseMessage": "An answer to an invitation. Open it on the phone.",
    "encReactionMessage": "A reaction that can't be read here. Open it on the phone.",
    "invoiceMessage": "An invoice. Open it on the phone.",
    "keepInChatMessage": "Changed whether a message is kept in the chat.",
    "paymentInviteMessage": "An invitation to set up payments. Open it on the phone.",
    "pinInChatMessage": "Pinned a message, or unpinned one.",
    "placeholderMessage": "A message that WhatsApp shows only on the phone, such as a code.",
    "pollUpdateMessage": "A vote in a poll that can't be read here. Open it on the phone.",
    "requestPaymentMessage": "A request for a payment. Open it on the phone.",
    "requestPhoneNumberMessage": "Asks for the account's phone number.",
    **dict.fromkeys(
        ("viewOnceMessage", "viewOnceMessageV2", "viewOnceMessageV2Extension"),
        "A picture, video or voice to be seen once. Open it on the phone.",
    ),
    "secretEncryptedMessage": "A change that can't be read here. Open it on the phone.",
    "sendPaymentMessage": "A payment. Open it on the phone.",
}
_PINNED = {
    e2e.PinInChatMessage.PIN_FOR_ALL: "Pinned a message.",
    e2e.PinInChatMessage.UNPIN_FOR_ALL: "Unpinned a message.",
}
_KEPT = {
    e2e.KEEP_FOR_ALL: "Kept a message in the chat.",
    e2e.UNDO_KEEP_FOR_ALL: "No longer keeps a message in the chat.",
}
_WORDS = frozenset(
    ("text", "messageText", "caption", "title", "name", "description", "note", "body", "footer")
) | {"author", "displayName", "eventTitle", "newsletterName", "optionName"}
"""Members of any kind that contain text for people."""
_DEPTH = 4
_MAX_WORDS_LENGTH = 2_000
"""The most characters shown of an unknown kind."""


def unknown_of(message: e2e.Message) -> System | None:
    """Return the content to report for an unwrapped message that could not be read, or None for
    protocol."""
    for field, part in message.ListFields():
        if field.message_type not in PROTOCOL:
            return _told(field.name, part)
    newer = next((field for field in UnknownFieldSet(message) if field.wire_type == 2), None)
    if newer is not None:
        return not_understood(f"field_{newer.field_number}")
    return _protocol(message.protocolMessage)


def _told(kind: str, part: Any) -> System:
    said = "\n".join(_words(part, _DEPTH))[:_MAX_WORDS_LENGTH]
    sentence = _done_to_another(part) or _SENTENCES.get(kind)
    if sentence is None:
        return not_understood(kind, said)
    return System(kind, f"{said}\n{sentence}" if said else sentence)


def _done_to_another(part: Any) -> str | None:
    if isinstance(part, e2e.PinInChatMessage):
        return _PINNED.get(part.type)
    return _KEPT.get(part.keepType) if isinstance(part, e2e.KeepInChatMessage) else None


def _protocol(part: e2e.ProtocolMessage) -> System | None:
    handed_over = part.cloudApiThreadControlNotification.notificationContent
    sentence = handed_over.handoffNotificationText or (
        _TOLD_PROTOCOL.get(part.type) if part.HasField("type") else None
    )
    return System(e2e.ProtocolMessage.Type.Name(part.type), sentence) if sentence else None


def _words(part: Any, depth: int) -> Iterator[str]:
    """List the texts in a part that a person would read."""
    if isinstance(part, (str, bytes, int)):
        return
    for field, value in part.ListFields():
        values = value if field.is_repeated else [value]
        if field.name in _WORDS and field.message_type is None:
            yield from (each for each in values if isinstance(each, str) and each)
        elif field.message_type is not None and depth > 1 and field.message_type not in _ASIDE:
            for each in values:
                yield from _words(each, depth - 1)


_ASIDE = frozenset((e2e.ContextInfo.DESCRIPTOR, e2e.MessageContextInfo.DESCRIPTOR))
