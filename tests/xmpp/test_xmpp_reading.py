"""What the account's other programs say was read names the message by the gateway's id of it."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from each_case import for_each
from heliograph.networks.port import Changed, Inbound, NetworkEvent, ReadElsewhere
from heliograph.networks.xmpp.addresses import stored_as
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.stanzas import read_message

NOW = datetime(2026, 3, 2, tzinfo=UTC)
OWN, ADA = "desk@example.org", "ada@example.org"
LONG, ORIGIN = "8c7d1e42-6a34-4dd8-b0d1-2f4e8f3a9c11", "d1b7c9a0-52e5-4d0e-9a64-7e0f6a4b3c22"
HELLO = "<body>Hello</body>"


class Chat:
    """What one account's reader makes of a chat with Ada."""

    def __init__(self) -> None:
        self._reader = Reader(OWN, {}, Questions(), GroupIds(lambda: None, lambda *_: None))

    def told(self, inner: str, *, by: str = ADA, id_: str = LONG) -> tuple[NetworkEvent, ...]:
        to = OWN if by == ADA else ADA
        xml = ET.fromstring(  # noqa: S314 - our own
            f"<message xmlns='jabber:client' from='{by}/phone' to='{to}' type='chat' id='{id_}'>"
            f"{inner}</message>"
        )
        return self._reader.direct(read_message(xml, NOW))

    def said(self, inner: str, id_: str = LONG) -> str:
        [event] = self.told(inner, id_=id_)
        assert isinstance(event, (Inbound, Changed))
        return event.change_id if isinstance(event, Changed) else event.chat_message_id

    def displayed(self, name: str) -> tuple[str, ...]:
        marker = f"<displayed xmlns='urn:xmpp:chat-markers:0' id='{name}'/>"
        [event] = self.told(marker, by=OWN, id_="marker")
        assert isinstance(event, ReadElsewhere)
        assert (event.chat_jid, event.at) == (ADA, NOW)
        return event.chat_message_ids


ORIGINAL = f"<origin-id xmlns='urn:xmpp:sid:0' id='{ORIGIN}'/>"
ARCHIVED = f"<stanza-id xmlns='urn:xmpp:sid:0' by='{OWN}' id='archived-1'/>"


@for_each(
    ("inner", "own_id", "name"),
    [
        (HELLO, LONG, LONG),
        (HELLO + ORIGINAL, LONG, ORIGIN),
        (HELLO + ORIGINAL, LONG, LONG),
        (HELLO + ARCHIVED, "2", "2"),
        (HELLO + f"<replace xmlns='urn:xmpp:message-correct:0' id='{ORIGIN}'/>", LONG, LONG),
    ],
    ids=["by its id", "by its origin's", "by the stanza's", "by one that is counted", "an edit"],
)
def test_a_marker_names_what_the_gateway_has_stored(inner: str, own_id: str, name: str) -> None:
    chat = Chat()

    assert chat.displayed(name) == (stored_as(name),)  # before it came
    stored = chat.said(inner, own_id)
    assert chat.displayed(name) == (stored,)
