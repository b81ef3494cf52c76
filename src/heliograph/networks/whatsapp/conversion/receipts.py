"""How far our messages have come, as the network tells it."""

from datetime import datetime
from typing import Literal

from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent

from heliograph.networks.port import Receipt
from heliograph.networks.whatsapp.addresses import is_group
from heliograph.networks.whatsapp.conversion.arrivals import at_of, chat_of
from heliograph.networks.whatsapp.conversion.jids import Book

_KINDS: dict[int, Literal["delivered", "read"]] = {
    ReceiptEvent.DELIVERED: "delivered",
    ReceiptEvent.READ: "read",
    ReceiptEvent.PLAYED: "read",
}


def receipts_of(event: ReceiptEvent, book: Book) -> list[Receipt]:
    """A receipt for each message; none for what our own devices say among themselves, and for
    requests to send a message again, which the library answers."""
    if event.MessageSource.IsFromMe:
        return []
    chat, at = chat_of(event.MessageSource, book), at_of(event.Timestamp)
    if event.Type == ReceiptEvent.SERVER_ERROR:
        return _refused_late(event, chat, at)
    kind = _KINDS.get(event.Type)
    if kind is None:
        return []
    return [Receipt(chat, messageid, kind, at) for messageid in event.MessageIDs]


def _refused_late(event: ReceiptEvent, chat: str, at: datetime) -> list[Receipt]:
    """What the server took and could not deliver. In a group that is one member's trouble."""
    if is_group(chat):
        return []
    reason = "WhatsApp's server took the message and could not deliver it."
    return [
        Receipt(chat, messageid, "failed", at, reason, only_of_chat=True)
        for messageid in event.MessageIDs
    ]
