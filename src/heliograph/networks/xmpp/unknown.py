"""Messages that can't be read: encrypted ones, and messages without text that a person may have
sent. Signals between programs are ignored.

Namespaces are those of the XEPs: 0027, 0373, 0380, 0384 encryption, 0353 and 0482 calls.
"""

import xml.etree.ElementTree as ET

from heliograph.networks.content import System, not_understood
from heliograph.networks.xmpp.forms import form_lines
from heliograph.networks.xmpp.stanzas import (
    CLIENT,
    DATA,
    FALLBACK,
    IDS,
    MARKERS,
    MAX_BODY_LENGTH,
    RECEIPTS,
    Message,
    namespace_of,
)

_ENCRYPTION = {
    "eu.siacs.conversations.axolotl": "OMEMO",
    "urn:xmpp:omemo": "OMEMO",
    "urn:xmpp:openpgp": "OpenPGP",
    "jabber:x:encrypted": "OpenPGP",
    "urn:xmpp:otr": "OTR",
}
"""The names of encryption methods, by namespace prefix."""
_EME = "{urn:xmpp:eme:0}encryption"
_OTR = ("?OTR:", "?OTR,", "?OTR|")
"""The prefixes of OTR messages, whole or in pieces: older programs mark them in no other way."""
_CALLS = {"urn:xmpp:jingle-message": "propose", "urn:xmpp:call-invites": "invite"}
"""Elements that start a call, by namespace prefix. Other elements of these namespaces belong to its
progress."""
_SIGNALS = frozenset(
    {
        CLIENT[1:-1],  # thread, subject, body
        RECEIPTS[1:-1],
        MARKERS[1:-1],
        IDS[1:-1],
        FALLBACK[1:-1],
        "http://jabber.org/protocol/chatstates",
        "http://jabber.org/protocol/nick",
        "http://jabber.org/protocol/muc#user",
        "http://jabber.org/protocol/pubsub",
        "http://jabber.org/protocol/pubsub#event",
        "http://jabber.org/protocol/caps",
        "http://jabber.org/protocol/address",
        "http://jabber.org/protocol/shim",
        "jabber:x:delay",
        "jabber:x:event",
        "urn:xmpp:carbons:2",
        "urn:xmpp:delay",
        "urn:xmpp:hints",
        "urn:xmpp:mam:2",
        "urn:xmpp:mam:tmp",
        "urn:xmpp:message-correct:0",
        "urn:xmpp:message-moderate:1",
        "urn:xmpp:message-retract:1",
        "urn:xmpp:occupant-id:0",
        "urn:xmpp:message-markup:0",
        "urn:xmpp:reactions:0",
        "urn:xmpp:reference:0",
        "urn:xmpp:reply:0",
        "urn:xmpp:rtt:0",  # a text while it is typed
        "urn:xmpp:spoiler:0",
        "urn:xmpp:styling:0",
        "vcard-temp:x:update",
    }
)
"""Namespaces of additions to messages, of receipts and of changes: read elsewhere, or sent by
programs and not by people."""
_CALL = System("call", "A call. Answer it in a program that takes calls.")


def encrypted_of(message: Message) -> System | None:
    """Return the content to report for an encrypted message. A text beside it only says that it is
    encrypted."""
    names = [_encryption(child) for child in message.xml if not _has_keys_alone(child)]
    is_otr = message.body.startswith(_OTR)
    name = next((name for name in names if name is not None), "OTR" if is_otr else None)
    if name is None:
        return None
    sentence = f"An encrypted message ({name}). Read it in a program that has its keys."
    return System(name.lower(), sentence)


def unknown_of(message: Message) -> System | None:
    """Return the content to report for an unreadable message, or None for a signal."""
    for child in message.xml:
        namespace, local = namespace_of(child.tag), child.tag.rpartition("}")[2]
        rings = next(
            (word for begins, word in _CALLS.items() if namespace.startswith(begins)), None
        )
        if rings is not None:
            if local == rings:
                return _CALL
        elif namespace not in _SIGNALS and _encryption(child) is None:
            said = "\n".join(form_lines(child)) if namespace == DATA[1:-1] else ""
            return not_understood(f"{local} {namespace}"[:_MAX_KIND_LENGTH], said[:MAX_BODY_LENGTH])
    return None


_MAX_KIND_LENGTH = 200


def _encryption(child: ET.Element) -> str | None:
    """Return the name of an element's encryption method, if it is one."""
    namespace = child.get("namespace", "") if child.tag == _EME else namespace_of(child.tag)
    for begins, name in _ENCRYPTION.items():
        if namespace.startswith(begins):
            return name
    return (child.get("name") or namespace)[:_MAX_KIND_LENGTH] if child.tag == _EME else None


def _has_keys_alone(child: ET.Element) -> bool:
    """Return whether an element only transports keys (XEP-0384), without content."""
    names = {each.tag.rpartition("}")[2] for each in child}
    return "header" in names and "payload" not in names
