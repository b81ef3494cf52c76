"""What stands beside a message's text is told with it, and not twice."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.content import ContactCard, Content, Document, Image, Location, Text
from heliograph.networks.xmpp.beside import with_what_is_beside
from heliograph.networks.xmpp.contents import content_of, read_content, read_correction
from heliograph.networks.xmpp.stanzas import CLIENT, MAX_BODY_LENGTH
from xmpp_stanzas import text_stanza

PICTURE, PAPER, PAGE = (f"https://example.org/{name}" for name in ("a.png", "b.pdf", "page"))
PLACE = (
    "<geoloc xmlns='http://jabber.org/protocol/geoloc'>{}<lat>52.5</lat><lon>13.25</lon></geoloc>"
)
CARD = (
    "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Ada Lovelace</text></fn>"
    "<tel><text>+44 20 7946</text></tel><email><text>ada@example.org</text></email></vcard>"
)
INVITED = "<x xmlns='jabber:x:conference' jid='choir@rooms.example.org'{}/>"
LINK = "xmpp:choir@rooms.example.org?join"


def oob(url: str, words: str = "") -> str:
    desc = f"<desc>{words}</desc>" if words else ""
    return f"<x xmlns='jabber:x:oob'><url>{url}</url>{desc}</x>"


def sharing(url: str, name: str = "", media_type: str = "image/png") -> str:
    return (
        "<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>"
        f"<media-type>{media_type}</media-type><name>{name}</name></file>"
        f"<sources><url-data xmlns='http://jabber.org/protocol/url-data' target='{url}'/></sources>"
        "</file-sharing>"
    )


def sims(*urls: str, attributes: str = "begin='0' end='4'") -> str:
    sources = "".join(
        f"<reference xmlns='urn:xmpp:reference:0' type='data' uri='{url}'/>" for url in urls
    )
    return (
        f"<reference xmlns='urn:xmpp:reference:0' type='data' {attributes}>"
        "<media-sharing xmlns='urn:xmpp:sims:1'>"
        "<file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><media-type>image/jpeg</media-type>"
        "<name>summit.jpg</name><size>3032449</size></file>"
        f"<sources>{sources}</sources></media-sharing></reference>"
    )


def forwarded(inner: str, sender: str = "bob@example.org/x") -> str:
    return (
        "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-01-01'/>"
        f"<message xmlns='jabber:client' from='{sender}'>{inner}</message></forwarded>"
    )


def choice(value: str, label: str) -> str:
    return f"<response xmlns='urn:xmpp:tmp:quick-response' value='{value}' label='{label}'/>"


FILES: dict[str, tuple[str, str, Content]] = {
    "a picture beside a text": (
        "Look at this",
        oob(PICTURE),
        Image("image/png", "Look at this", "a.png"),
    ),
    "a paper beside a text": (
        "Read it",
        oob(PAPER),
        Document("application/pdf", "Read it", "b.pdf"),
    ),
    "a page beside a text": ("Look at this", oob(PAGE), Text(f"Look at this\n{PAGE}")),
    "a page by its name": ("See", oob(f"{PAGE}.html"), Text(f"See\n{PAGE}.html")),
    "a link within a text": (f"See {PICTURE}!", oob(PICTURE), Text(f"See {PICTURE}!")),
    "a link that only begins like one within a text": (
        f"See {PICTURE}",
        oob(f"{PAGE}"),
        Text(f"See {PICTURE}\n{PAGE}"),
    ),
    "an encrypted file beside a text": (
        "Look",
        oob("aesgcm://example.org/1.png#00"),
        Text("Look\naesgcm://example.org/1.png#00"),
    ),
    "a file with words of its own": (
        "",
        oob(PICTURE, "My cat"),
        Image("image/png", "My cat", "a.png"),
    ),
    "two addresses": (
        "Both",
        oob(PICTURE) + oob(PAPER, "The bill"),
        Image("image/png", f"Both\nThe bill\n{PAPER}", "a.png"),
    ),
    "two shared files": (
        "",
        sharing(PICTURE, "a.png") + sharing(PAPER, "b.pdf", "application/pdf"),
        Image("image/png", PAPER, "a.png"),
    ),
    "a file announced twice": (
        PICTURE,
        sharing(PICTURE, "a.png") + oob(PICTURE),
        Image("image/png", "", "a.png"),
    ),
    "a shared file that is nowhere, and another": (
        "Both",
        sharing("jingle:1", "c.png") + sharing(PICTURE, "a.png"),
        Image("image/png", "Both\njingle:1", "a.png"),
    ),
    "a file of XEP-0385 beside a text": (
        "Look at this",
        sims("xmpp:ada@example.org", PICTURE),
        Image("image/jpeg", "Look at this", "summit.jpg", 3032449),
    ),
    "a file of XEP-0385 alone": (
        "",
        sims(PICTURE, attributes=""),
        Image("image/jpeg", "", "summit.jpg", 3032449),
    ),
    "a file of XEP-0385 that is nowhere": ("Look", sims(), Text("Look\nsummit.jpg")),
    "a link that a text refers to": (
        "The report is out",
        f"<reference xmlns='urn:xmpp:reference:0' type='data' uri='{PAPER}'/>",
        Text(f"The report is out\n{PAPER}"),
    ),
}

BESIDE: dict[str, tuple[str, str, Content]] = {
    "a place beside a text": ("Here I am", PLACE.format(""), Text("Here I am\ngeo:52.5,13.25")),
    "a place with a name beside a text": (
        "Here I am",
        PLACE.format("<description>Harbour</description><street>Quay 1</street>"),
        Text("Here I am\nHarbour\nQuay 1\ngeo:52.5,13.25"),
    ),
    "a place that the text names": (
        "Harbour\nQuay 1",
        PLACE.format("<description>Harbour</description><street>Quay 1</street>"),
        Location(52.5, 13.25, "Harbour", "Quay 1"),
    ),
    "a place that the text alone names": (
        "The harbour\ngeo:52.5,13.25",
        PLACE.format(""),
        Location(52.5, 13.25, "The harbour"),
    ),
    "a place under a text of its own": (
        "I am late.\ngeo:52.5,13.25",
        PLACE.format("<description>Harbour</description>"),
        Text("I am late.\ngeo:52.5,13.25\nHarbour"),
    ),
    "a place off the globe beside a text": (
        "Here I am",
        "<geoloc xmlns='http://jabber.org/protocol/geoloc'><lat>x</lat></geoloc>",
        Text("Here I am"),
    ),
    "a card beside a text": (
        "Call her",
        CARD,
        Text("Call her\nAda Lovelace\n+44 20 7946\nada@example.org"),
    ),
    "a subject beside a text": (
        "At nine.",
        "<subject>Tomorrow</subject>",
        Text("Tomorrow\nAt nine."),
    ),
    "a subject that the text has": (
        "Tomorrow at nine.",
        "<subject>Tomorrow</subject>",
        Text("Tomorrow at nine."),
    ),
    "a spoiler": (
        "The butler did it.",
        "<spoiler xmlns='urn:xmpp:spoiler:0'>The end of the book</spoiler>",
        Text("The end of the book\nThe butler did it."),
    ),
    "choices beside a text": (
        "Do you know?",
        choice("yes", "Yes")
        + choice("n", "No")
        + "<action xmlns='urn:xmpp:tmp:quick-response' id='1' label='Ask'/>",
        Text("Do you know?\n- Yes\n- No (n)\n- Ask"),
    ),
    "choices that the text lists": (
        "Well?\n1. Yes\n2. No, sorry",
        choice("yes", "Yes") + choice("no", "No, sorry"),
        Text("Well?\n1. Yes\n2. No, sorry"),
    ),
    "an invitation beside a text": (
        "Join us in choir@rooms.example.org",
        INVITED.format(""),
        Text(f"Join us in choir@rooms.example.org\nInvitation to a group: {LINK}"),
    ),
    "an invitation with all that it may have": (
        "",
        INVITED.format(" password='open &amp; shut' reason='We need a bass.'"),
        Text(f"Invitation to a group: {LINK};password=open%20%26%20shut\nWe need a bass."),
    ),
    "an invitation whose link the text has": (
        f"Join {LINK}",
        INVITED.format(""),
        Text(f"Join {LINK}"),
    ),
    "a message that is passed on": (
        "What do you think?",
        forwarded("<body>Shall we sell?</body>"),
        Text("What do you think?\nForwarded from bob@example.org:\nShall we sell?"),
    ),
    "a message that is passed on without words": (
        "",
        forwarded("<body>Shall we sell?</body>" + oob(PICTURE)),
        Text(f"Forwarded from bob@example.org:\nShall we sell?\n{PICTURE}"),
    ),
    "a message that was passed on before": (
        "",
        forwarded(forwarded("<body>Sell!</body>", "eve@example.org")),
        Text("Forwarded from bob@example.org:\nForwarded from eve@example.org:\nSell!"),
    ),
    "an encrypted message that is passed on": (
        "",
        forwarded("<encrypted xmlns='urn:xmpp:omemo:2'><payload>x</payload></encrypted>"),
        Text(
            "Forwarded from bob@example.org:\nAn encrypted message (OMEMO). Read it in a program "
            "that has its keys."
        ),
    ),
    "a form beside a text": (
        "Fill this in",
        "<x xmlns='jabber:x:data' type='form'><field label='Your name' var='name'/></x>",
        Text("Fill this in\nYour name"),
    ),
    "an unknown element beside a text that stands in for it": (
        "I wave at you.",
        "<hologram xmlns='urn:example:hologram'/>",
        Text("I wave at you."),
    ),
    "many things": (
        "Come!",
        INVITED.format("") + PLACE.format("") + "<subject>Rehearsal</subject>" + oob(PAGE),
        Text(f"Rehearsal\nCome!\n{PAGE}\ngeo:52.5,13.25\nInvitation to a group: {LINK}"),
    ),
}


@for_each("name", FILES)
def test_a_file_or_link_beside_a_text_is_told_with_it(name: str) -> None:
    body, more, content = FILES[name]

    assert content_of(text_stanza(body, more)) == content


@for_each("name", BESIDE)
def test_what_stands_beside_a_text_is_told_with_it(name: str) -> None:
    body, more, content = BESIDE[name]

    assert content_of(text_stanza(body, more)) == content
    if isinstance(content, Text) and body:
        assert read_correction(text_stanza(body, more)) == content


@pytest.mark.parametrize("body", ["", "Ada", "Ada Lovelace\n\n+44 20 7946 (work)"])
def test_a_card_whose_text_says_no_more_is_a_card(body: str) -> None:
    assert isinstance(content_of(text_stanza(body, CARD)), ContactCard)


def test_a_file_that_can_not_be_fetched_is_a_text_with_all_links() -> None:
    message = text_stanza("Both", sharing(PICTURE, "a.png") + oob(PAPER))

    assert read_content(message) == Text(f"Both\n{PICTURE}\n{PAPER}")


def test_who_invites_through_a_group_is_named_and_why() -> None:
    invite = (
        "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='{}'>"
        "<reason>We need a bass.</reason></invite><password>1234</password></x>"
    )
    room = "choir@rooms.example.org"
    told = f"{LINK};password=1234\nWe need a bass."

    by_address = text_stanza("", invite.format("bob@example.org/x"), sender=room)
    assert content_of(by_address) == Text(f"Invitation to a group, by bob@example.org: {told}")
    by_nick = text_stanza("", invite.format(f"{room}/Bob") + INVITED.format(""), sender=room)
    assert content_of(by_nick) == Text(f"Invitation to a group, by Bob: {told}")


def test_however_much_stands_beside_a_text_it_is_not_too_long() -> None:
    more = "".join(oob(f"https://example.org/{n}/{'x' * 4000}") for n in range(40))

    content = content_of(text_stanza("Look", more + f"<subject>{'y' * 100_000}</subject>"))

    assert isinstance(content, Text)
    assert len(content.body) == MAX_BODY_LENGTH


TAGS = [
    f"{CLIENT}subject",
    "{jabber:x:oob}x|{jabber:x:oob}url",
    "{jabber:x:conference}x",
    "{jabber:x:data}x|{jabber:x:data}field|{jabber:x:data}option",
    "{urn:xmpp:forward:0}forwarded|{jabber:client}message|{jabber:client}body",
    "{urn:xmpp:tmp:quick-response}response",
    "{urn:xmpp:reference:0}reference|{urn:xmpp:sims:1}media-sharing|{urn:xmpp:sims:1}file",
    "{http://jabber.org/protocol/muc#user}x|{http://jabber.org/protocol/muc#user}invite",
]
"""Elements, each within the one before it."""
WORDS = st.text(max_size=20) | st.sampled_from(["https://[", "https://a.b/c", "(", "data"])


@given(st.lists(st.tuples(st.sampled_from(TAGS), WORDS, WORDS), max_size=8), WORDS)
def test_whatever_stands_beside_a_text_is_read(
    parts: list[tuple[str, str, str]], body: str
) -> None:
    message = text_stanza(body)
    for path, attribute, text in parts:
        parent = message.xml
        for tag in path.split("|"):
            parent = ET.SubElement(parent, tag)
        parent.text = text
        for element in message.xml.iter():
            for name in ("jid", "uri", "type", "label", "value", "from", "reason"):
                element.set(name, attribute)

    content_of(message)
    assert message.body in with_what_is_beside(message, message.body)
