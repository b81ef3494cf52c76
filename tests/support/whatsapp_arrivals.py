"""What the driver makes of the library's messages."""

from neonize.proto.Neonize_pb2 import MessageSource
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import Content
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.whatsapp.conversion.arrivals import arrival_of


def arrived(
    message: Message | None = None,
    where: MessageSource | None = None,
    *,
    book: dict[str, str] | None = None,
    name: str = "Ada",
) -> Inbound:
    event = made.message(message, where, name=name)
    arrival = arrival_of(event, made.OWN_JID, book or {}, group_subject="Choir")
    assert isinstance(arrival, Inbound)
    return arrival


def changed(
    message: Message,
    where: MessageSource | None = None,
    *,
    book: dict[str, str] | None = None,
) -> Changed:
    arrival = arrival_of(made.message(message, where), made.OWN_JID, book or {})
    assert isinstance(arrival, Changed)
    return arrival


def said(message: Message) -> Content:
    return arrived(message).content


def wrapped(name: str, message: Message) -> Message:
    """The message within another one, which is of this kind."""
    outer = Message()
    getattr(outer, name).message.CopyFrom(message)
    return outer
