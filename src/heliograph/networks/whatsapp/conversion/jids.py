"""The library's JIDs as text, and the phone numbers of hidden ids (LIDs)."""

from collections.abc import Mapping

from neonize.proto.Neonize_pb2 import JID, MessageSource

from heliograph.networks.whatsapp.addresses import LID_SERVER, PERSON_SERVER, is_lid

Book = Mapping[str, str]
"""Hidden ids to the addresses with the phone number: `…@lid` to `…@s.whatsapp.net`."""

_SAME_SERVER = {"c.us": PERSON_SERVER, "hosted": PERSON_SERVER, "hosted.lid": LID_SERVER}


def to_text(jid: JID) -> str:
    """Return the address without device and agent; empty for an empty JID."""
    if not jid.Server:
        return ""
    server = _SAME_SERVER.get(jid.Server, jid.Server)
    return f"{jid.User}@{server}" if jid.User else server


def to_device_text(jid: JID) -> str:
    """Return the address of one device, as the library's store knows it."""
    return f"{jid.User}:{jid.Device}@{jid.Server}" if jid.Device else f"{jid.User}@{jid.Server}"


def to_jid(text: str) -> JID:
    """Return the library's JID of an address, also of one with a device (`user:device@server`)."""
    local, _, server = text.rpartition("@")
    user, _, device = local.partition(":")
    return JID(
        User=user, Device=int(device or 0), Server=server, RawAgent=0, Integrator=0, IsEmpty=False
    )


def without_device(text: str) -> str:
    """Return an address that a stranger wrote, without its device."""
    local, _, server = text.rpartition("@")
    return f"{local.partition(':')[0]}@{_SAME_SERVER.get(server, server)}"


def is_person(jid: str) -> bool:
    return jid.endswith((f"@{PERSON_SERVER}", f"@{LID_SERVER}"))


def canonical(jid: str, book: Book) -> str:
    """Return the address under which a person is known: with the phone number, where we know it."""
    return book.get(jid, jid)


def pairs_of(source: MessageSource) -> dict[str, str]:
    """Return the phone numbers of hidden ids, according to a message's source."""
    pairs = _pair(source.Sender, source.SenderAlt)
    if not source.IsGroup:
        other = source.RecipientAlt if source.IsFromMe else source.SenderAlt
        pairs |= _pair(source.Chat, other)
    for recipient in source.BroadcastRecipients:
        pairs |= _pair(recipient.LID, recipient.PN)
    return pairs


def hidden_in(source: MessageSource) -> set[str]:
    """Return the hidden ids in a message's source."""
    return {text for jid in (source.Chat, source.Sender) if is_lid(text := to_text(jid))}


def _pair(one: JID, other: JID) -> dict[str, str]:
    """Return the pair of hidden id and address with the number, if these are one."""
    texts = to_text(one), to_text(other)
    for lid, number in (texts, texts[::-1]):
        if is_lid(lid) and number.endswith(f"@{PERSON_SERVER}"):
            return {lid: number}
    return {}
