"""How far our messages have come, as the network tells it."""

from typing import Literal

from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent

from heliograph.networks.base import Receipt
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
    kind = _KINDS.get(event.Type)
    if kind is None or event.MessageSource.IsFromMe:
        return []
    chat, at = chat_of(event.MessageSource, book), at_of(event.Timestamp)
    return [Receipt(chat, each, kind, at) for each in event.MessageIDs]
