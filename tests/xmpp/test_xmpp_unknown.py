"""What has no text, or is encrypted, is told if a person has sent it; what programs tell each other
is not."""

import pytest

from each_case import for_each
from heliograph.networks.content import Content, Document, Location, System, Text
from heliograph.networks.port import Inbound
from heliograph.networks.xmpp.rooms import Room
from heliograph.networks.xmpp.stanzas import Message
from xmpp_stanzas import ROOM, reader, stanza

AXOLOTL = "eu.siacs.conversations.axolotl"
KEYS = "<header sid='1'><key rid='2'>x</key></header>"

TOLD: dict[str, tuple[str, str]] = {
    "OMEMO": (
        f"<encrypted xmlns='{AXOLOTL}'>{KEYS}<payload>x</payload></encrypted>",
        "omemo",
    ),
    "the newer OMEMO": (
        f"<encrypted xmlns='urn:xmpp:omemo:2'>{KEYS}<payload>x</payload></encrypted>",
        "omemo",
    ),
    "OMEMO with a hint for others": (
        f"<encrypted xmlns='{AXOLOTL}'>{KEYS}<payload>x</payload></encrypted>"
        f"<encryption xmlns='urn:xmpp:eme:0' namespace='{AXOLOTL}'/>"
        "<body>I sent you an OMEMO encrypted message.</body>",
        "omemo",
    ),
    "OpenPGP": ("<openpgp xmlns='urn:xmpp:openpgp:0'>x</openpgp>", "openpgp"),
    "the older OpenPGP": ("<x xmlns='jabber:x:encrypted'>x</x>", "openpgp"),
    "an encryption that is only named": (
        "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:example:mls' name='MLS'/>",
        "mls",
    ),
    "a call": ("<propose xmlns='urn:xmpp:jingle-message:0' id='1'/>", "call"),
    "a call of the newer kind": ("<invite xmlns='urn:xmpp:call-invites:0'/>", "call"),
    "something that nobody knows": (
        "<hologram xmlns='urn:example:hologram'/><store xmlns='urn:xmpp:hints'/>",
        "hologram urn:example:hologram",
    ),
    "a file without an address": ("<x xmlns='jabber:x:oob'><url/></x>", "x jabber:x:oob"),
    "a form": (
        "<x xmlns='jabber:x:data' type='form'><title>Survey</title></x>",
        "x jabber:x:data",
    ),
    "an invitation into nothing": ("<x xmlns='jabber:x:conference'/>", "x jabber:x:conference"),
    "something forwarded that says nothing": (
        "<forwarded xmlns='urn:xmpp:forward:0'/>",
        "forwarded urn:xmpp:forward:0",
    ),
}

UNDERSTOOD: dict[str, tuple[str, Content]] = {
    "a file alone": (
        "<x xmlns='jabber:x:oob'><url>https://example.org/a%20b.pdf</url></x>",
        Document("application/pdf", file_name="a b.pdf"),
    ),
    "a place alone": (
        "<geoloc xmlns='http://jabber.org/protocol/geoloc'>"
        "<lat>52.5</lat><lon>13.25</lon><text>Harbour</text></geoloc>",
        Location(52.5, 13.25, "Harbour"),
    ),
    "a geo address": ("<body>geo:1,2</body>", Location(1.0, 2.0)),
    "a text that begins like one": ("<body>geo: here</body>", Text("geo: here")),
    "a subject alone": ("<subject>Tomorrow at nine</subject>", Text("Tomorrow at nine")),
    "a file under an address that is none of the web": (
        "<x xmlns='jabber:x:oob'><url>aesgcm://example.org/1</url></x>",
        Text("aesgcm://example.org/1"),
    ),
    "an invitation": (
        "<x xmlns='jabber:x:conference' jid='a@b'/>",
        Text("Invitation to a group: xmpp:a@b?join"),
    ),
}

SILENT = {
    "nothing": "",
    "an empty text": "<body/>",
    "typing": "<composing xmlns='http://jabber.org/protocol/chatstates'/>",
    "a text while it is typed": "<rtt xmlns='urn:xmpp:rtt:0' seq='1'><t>H</t></rtt>",
    "a receipt": "<received xmlns='urn:xmpp:receipts' id='1'/>",
    "a marker": "<displayed xmlns='urn:xmpp:chat-markers:0' id='1'/>",
    "news of somebody's picture": "<event xmlns='http://jabber.org/protocol/pubsub#event'/>",
    "keys for later": f"<encrypted xmlns='{AXOLOTL}'>{KEYS}</encrypted>",
    "keys for later, named": f"<encrypted xmlns='{AXOLOTL}'>{KEYS}</encrypted>"
    "<store xmlns='urn:xmpp:hints'/>",
    "the end of a call": "<retract xmlns='urn:xmpp:jingle-message:0' id='1'/>",
    "a call that goes on": "<accept xmlns='urn:xmpp:call-invites:0'/>",
    "what only stands beside a message": "<nick xmlns='http://jabber.org/protocol/nick'>A</nick>"
    "<thread>1</thread><origin-id xmlns='urn:xmpp:sid:0' id='1'/>",
    "whom a text names": "<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:a@b'/>",
}


def heard(message: Message) -> list[Content]:
    return [event.content for event in reader().direct(message) if isinstance(event, Inbound)]


def heard_in_group(message: Message) -> list[Content]:
    room = Room(ROOM, "desk", "Choir")
    events = reader().in_group(message, room, message.sender, from_me=False)
    return [event.content for event in events if isinstance(event, Inbound)]


@for_each("name", TOLD)
def test_what_a_person_sent_is_told_though_it_can_not_be_read(name: str) -> None:
    inner, kind = TOLD[name]
    [content] = heard(stanza(inner))

    assert isinstance(content, System)
    assert content.kind == kind
    assert content.body
    in_group = heard_in_group(stanza(inner, sender=f"{ROOM}/Ada", kind="groupchat"))
    assert in_group == [content]


@for_each("name", UNDERSTOOD)
def test_what_is_understood_says_what_it_says(name: str) -> None:
    inner, content = UNDERSTOOD[name]

    assert heard(stanza(inner)) == [content]


@for_each("name", SILENT)
def test_what_programs_tell_each_other_is_silent(name: str) -> None:
    assert heard(stanza(SILENT[name])) == []
    assert heard_in_group(stanza(SILENT[name], sender=f"{ROOM}/Ada", kind="groupchat")) == []


@for_each("name", TOLD)
def test_what_a_server_or_a_group_says_by_itself_is_silent(name: str) -> None:
    assert heard(stanza(TOLD[name][0], sender="example.org")) == []
    assert heard_in_group(stanza(TOLD[name][0], sender=ROOM, kind="groupchat")) == []


def test_a_form_is_told_with_what_it_asks() -> None:
    form = (
        "<x xmlns='jabber:x:data' type='form'><title>Survey</title>"
        "<instructions>Two questions.</instructions>"
        "<field type='hidden' var='FORM_TYPE'><value>urn:example:survey</value></field>"
        "<field type='fixed'><value>About you</value></field>"
        "<field type='text-single' label='Your name' var='name'/>"
        "<field type='list-single' label='Size'><option label='Large'><value>l</value></option>"
        "<option><value>s</value></option></field>"
        "<field type='boolean' var='news'><value>1</value></field></x>"
    )

    [content] = heard(stanza(form))

    assert isinstance(content, System)
    assert content.body.splitlines()[:-1] == [
        "Survey",
        "Two questions.",
        "About you",
        "Your name",
        "Size: Large, s",
        "news: 1",
    ]


@pytest.mark.parametrize("inner", ["", "<body/>", "<body>Restart at five</body>"])
def test_a_servers_news_are_silent(inner: str) -> None:
    assert heard(stanza(inner, sender="example.org", kind="headline")) == []


def test_a_headline_of_a_persons_is_a_message() -> None:
    assert heard(stanza("<body>Look!</body>", kind="headline")) == [Text("Look!")]
    news = "<event xmlns='http://jabber.org/protocol/pubsub#event'/>"
    assert heard(stanza(news, kind="headline")) == []


def test_a_groups_new_subject_is_no_message() -> None:
    message = stanza("<subject>Trip</subject>", sender=f"{ROOM}/Ada", kind="groupchat")

    assert heard_in_group(message) == []


def test_a_place_off_the_globe_is_told_as_what_it_is() -> None:
    [content] = heard(
        stanza(
            "<geoloc xmlns='http://jabber.org/protocol/geoloc'>"
            "<lat>152.5</lat><lon>x</lon></geoloc>"
        )
    )

    assert isinstance(content, System)
