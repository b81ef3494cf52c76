"""What the account's other programs say was read names the message by the gateway's id of it."""

from each_case import for_each
from heliograph.networks.port import Changed, Inbound, NetworkEvent, ReadElsewhere
from heliograph.networks.xmpp.addresses import stored_as
from xmpp_stanzas import ADA, ID, NOW, OWN, reader, stanza

ORIGIN = "d1b7c9a0-52e5-4d0e-9a64-7e0f6a4b3c22"
HELLO = "<body>Hello</body>"


class Chat:
    """What one account's reader makes of a chat with Ada."""

    def __init__(self) -> None:
        self._reader = reader()

    def told(self, inner: str, *, by: str = ADA, id_: str = ID) -> tuple[NetworkEvent, ...]:
        to = OWN if by == ADA else ADA
        return self._reader.direct(stanza(inner, sender=f"{by}/phone", to=to, id_=id_))

    def said(self, inner: str, id_: str = ID) -> str:
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
        (HELLO, ID, ID),
        (HELLO + ORIGINAL, ID, ORIGIN),
        (HELLO + ORIGINAL, ID, ID),
        (HELLO + ARCHIVED, "2", "2"),
        (HELLO + f"<replace xmlns='urn:xmpp:message-correct:0' id='{ORIGIN}'/>", ID, ID),
    ],
    ids=["by its id", "by its origin's", "by the stanza's", "by one that is counted", "an edit"],
)
def test_a_marker_names_what_the_gateway_has_stored(inner: str, own_id: str, name: str) -> None:
    chat = Chat()

    assert chat.displayed(name) == (stored_as(name),)  # before it came
    stored = chat.said(inner, own_id)
    assert chat.displayed(name) == (stored,)
