"""Messages as they reach an account, and what reads them."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.stanzas import Message, read_message

NOW = datetime(2026, 3, 2, tzinfo=UTC)
OWN, ADA, ROOM = "desk@example.org", "ada@example.org", "choir@rooms.example.org"
ID = "8c7d1e42-6a34-4dd8-b0d1-2f4e8f3a9c11"


def stanza(
    inner: str, *, sender: str = f"{ADA}/phone", to: str = OWN, kind: str = "chat", id_: str = ID
) -> Message:
    """A message with these elements in it."""
    xml = ET.fromstring(  # noqa: S314 - our own
        f"<message xmlns='jabber:client' from='{sender}' to='{to}' type='{kind}' id='{id_}'>"
        f"{inner}</message>"
    )
    return read_message(xml, NOW)


def text_stanza(body: str, more: str = "", *, sender: str = f"{ADA}/phone") -> Message:
    """A message with this text, whatever characters it has, and these elements beside it."""
    xml = stanza(f"<body/>{more}", sender=sender).xml
    xml[0].text = body
    return read_message(xml, NOW)


def reader(questions: Questions | None = None, ids: GroupIds | None = None) -> Reader:
    return Reader(OWN, {}, questions or Questions(), ids or group_ids())


def group_ids() -> GroupIds:
    return GroupIds(lambda: None, lambda *_: None)
