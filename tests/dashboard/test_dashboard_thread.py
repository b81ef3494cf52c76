"""A conversation in the dashboard: read, answered, and put in order by people."""

import html
import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from contents import asked
from core_scene import arrival, receipt
from dashboard_inbox_scene import InboxScene, changed, said_in
from dashboard_scene import Person
from heliograph.core.ingest.model import MessageRefused
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.inbox import thread as area
from heliograph.networks.content import (
    Button,
    ButtonReply,
    Buttons,
    ContactCard,
    Content,
    Document,
    Image,
    LinkButton,
    ListMessage,
    ListReply,
    Location,
    LocationRequest,
    Media,
    Order,
    OrderItem,
    Poll,
    Referral,
    Row,
    Section,
    Text,
    not_understood,
)
from inbox_scene import GROUP, NOBODY, jid_of
from media_scene import PNG

WAV = b"RIFF\x24\0\0\0WAVEfmt " + bytes(28)
QUESTION = Buttons("20:00?", (Button("yes", "Yes"), Button("no", "No")), footer="Trattoria Lume")


# --- what hinders an answer ---------------------------------------------------------------------


async def test_a_conversation_says_whether_its_device_can_send(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    path = inbox.path(f"inbox/{ana}")
    accounts = "UPDATE accounts SET "
    states = {
        "status = 'logged_out'": "Front desk is logged out: answers wait until it is paired again.",
        "status = 'disconnected'": "Front desk is not connected: answers wait until it is.",
        "status = 'connected', restriction_kind = 'new_conversations',"
        " restriction_until = '2999-01-31T12:00:00Z'": "Front desk: answers may wait until <time"
        ' datetime="2999-01-31T12:00:00+00:00" data-time="precise">2999-01-31 12:00:00 UTC</time>.',
    }
    for change, said in states.items():
        await inbox.dashboard.rows(accounts + change)
        assert said in (await ada.get(path)).text
        assert said in (await ada.get(f"{path}/panel")).text
    await inbox.dashboard.rows(
        accounts + "status = 'connected', restriction_until = now() - interval '1 second'"
    )
    assert (
        '<p id="device-note" class="notice warn" role="status" hidden>'
        in (await ada.get(path)).text
    )


async def test_nobody_is_answered_from_a_device_that_is_gone(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    await inbox.dashboard.rows("UPDATE accounts SET status = 'logged_out'")
    device = inbox.account
    await inbox.dashboard.gateway.removals.remove(inbox.principal, device.id, device.name)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert "was removed, so you can&#39;t answer here." in page
    assert "<textarea" not in page


# --- reading -----------------------------------------------------------------------------------


async def test_opening_a_conversation_makes_it_read(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    page = await ada.get(inbox.path(f"inbox/{ana}"))
    assert page.status_code == 200
    assert '<h2 id="who">Ana</h2>' in page.text
    assert (await inbox.row(ana))["unread_count"] == 0
    for path in ("inbox", f"inbox/{ana}"):
        page = await ada.get(inbox.path(path))
        assert 'data-unread="0"' in page.text
        assert 'class="count"' not in page.text


async def test_new_messages_are_read_by_whoever_has_the_page_open(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "one")
    await inbox.arrive(1, "two")
    answer = await ada.get(inbox.path(f"inbox/{ana}/messages"))
    assert answer.text.lstrip().startswith('<div id="messages" hx-get=')
    assert said_in(answer.text) == ["one", "two"]
    assert (await inbox.row(ana))["unread_count"] == 0


async def test_a_viewer_or_an_earlier_page_leaves_it_unread(inbox: InboxScene) -> None:
    ada, viewer = await inbox.member("ada"), await inbox.member("vera", MemberRole.VIEWER)
    ana = await inbox.arrive(1)
    for rest in ("", "/messages"):
        assert (await viewer.get(inbox.path(f"inbox/{ana}{rest}"))).status_code == 200
        assert (await ada.get(inbox.path(f"inbox/{ana}{rest}?before=1"))).status_code == 200
    assert (await inbox.row(ana))["unread_count"] == 1


async def test_messages_go_back_in_pages(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    ada, ana, seen, query = await inbox.member("ada"), await inbox.arrive(1, "0"), [], ""
    for number in range(1, 5):
        await inbox.arrive(1, str(number))
    while True:
        page = (await ada.get(inbox.path(f"inbox/{ana}{query}"))).text
        seen.append(said_in(page))
        assert ('<div id="messages" hx-get=' in page) == (not query)
        assert ("Newest messages" in page) == bool(query)
        choosing = re.search(r'class="at" href="[^"?]+(\?[^"#]+)', page)
        assert choosing is not None
        chosen = await ada.get(inbox.path(f"inbox/{ana}{choosing[1].replace('&amp;', '&')}"))
        assert 'id="selected"' in chosen.text, "on the page of the thread that it is on"
        found = re.search(r'(\?before=\d+)">Earlier messages', page)
        if found is None:
            break
        query = found[1]
    assert seen == [["3", "4"], ["1", "2"], ["0"]]


async def test_buttons_and_the_one_that_was_pressed(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    asked = await inbox.send(ana, QUESTION)
    pressed = ButtonReply("yes", "Yes")
    await inbox.hear(pressed, reply_to_chat_message_id=asked.chat_message_id)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert re.findall(r'<li class="choice">(\w+)</li>', page) == ["Yes", "No"]
    assert "Trattoria Lume" in page
    answer = page.partition(f'<a class="quote" href="#m-{asked.id}">')[2]
    assert '<span class="quiet">pressed</span> <span class="choice">Yes</span>' in answer


async def test_a_row_a_place_and_a_card_are_shown_whole(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    await inbox.hear(
        ListReply("r7", "Tuesday", "from nine"),
        Location(50.5, -7.25, "Harbour", "Quay 1"),
        ContactCard("<b>Bruno</b>", "BEGIN:VCARD\nTEL;TYPE=CELL:+15550100002\nEND:VCARD"),
    )
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert '<span class="quiet">chose</span> <span class="choice">Tuesday</span>' in page
    assert "from nine" in page
    assert "<strong>Harbour</strong><br>Quay 1<br>" in page
    assert '<a href="geo:50.500000,-7.250000">50.50000, -7.25000</a>' in page
    assert "<strong>&lt;b&gt;Bruno&lt;/b&gt;</strong><br>+15550100002" in page


async def test_what_is_not_understood_an_order_and_an_advertisement_are_shown(
    inbox: InboxScene, ada: Person, ana: UUID
) -> None:
    await inbox.hear(
        not_understood("hologram"),
        Order("1", "Two, please", currency="BRL", items=(OrderItem("c", "<b>Cake", 2, "12.50"),)),
        referral=Referral(headline="Spring <offer>"),
    )
    answer = arrival("W9", jid_of(1), referral=Referral(source_type="status", body="Cake <today>"))
    await inbox.report(answer)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert page.count("Answers a status: Cake &lt;today&gt;") == 1
    assert "(hologram). Open it on the phone." in page
    assert "Two, please" in page
    assert "2 × &lt;b&gt;Cake" in page
    assert "BRL 12.50" in page
    assert page.count("From an advertisement: Spring &lt;offer&gt;") == 2


async def test_a_thread_of_which_nothing_was_kept_is_shown(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    await inbox.dashboard.rows("UPDATE accounts SET message_logging_enabled = false RETURNING 1")
    asked = await inbox.send(ana, QUESTION)
    await inbox.hear(
        ButtonReply("yes", "Yes"),
        not_understood("hologram"),
        Order("1", "Two, please"),
        Location(50.5, -7.25, "Harbour"),
        ContactCard("Bruno", "BEGIN:VCARD\nEND:VCARD"),
        reply_to_chat_message_id=asked.chat_message_id,
    )
    page = await ada.get(inbox.path(f"inbox/{ana}"))
    assert page.status_code == 200
    assert said_in(page.text)[:2] == ["Hello", ""]
    assert page.text.count('<li id="m-') == 7
    assert "A message that is not shown here. Open it on the phone." in page.text


async def test_what_a_message_of_another_page_said_is_quoted(
    inbox: InboxScene, ada: Person, ana: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    asked = await inbox.send(ana, Text("Is <b>nine</b> all right?"))
    for text in ("One moment", "Or two"):
        await inbox.arrive(1, text)
    await inbox.arrive(1, "Yes!", reply_to_chat_message_id=asked.chat_message_id)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    quote = re.search(r'<a class="quote" href="([^"]+)#m-([^"]+)">(.*?)</a>', page)
    assert quote is not None
    assert quote[2] == str(asked.id)
    assert quote[3].endswith("Is &lt;b&gt;nine&lt;/b&gt; all right?")
    there = (await ada.get(quote[1].replace("&amp;", "&"))).text
    assert f'<li id="m-{asked.id}"' in there


async def test_web_addresses_are_links_that_show_where_they_lead(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    text = (
        'See https://example.com/menu?a=1&b="x" (or http://example.org/a_(b)). javascript:alert(1)'
    )
    ana = await inbox.arrive(
        1, text + " https://bank.example@evil.example/ https://\u202ex.example"
    )
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    said = page.partition('<p class="said">')[2].partition("</p>")[0]
    assert re.findall(r'href="([^"]+)"', said) == [
        "https://example.com/menu?a=1&amp;b=",
        "http://example.org/a_(b)",
    ]
    assert said.count('rel="noopener noreferrer nofollow"') == 2
    assert html.unescape(re.sub("<[^>]+>", "", said)).startswith(text)


async def test_a_scheduled_message_says_when_it_goes_out(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    gateway = inbox.dashboard.gateway
    await gateway.inbox.reply(inbox.principal, ana, asked(Text("Happy new year")))
    [row] = await inbox.dashboard.rows(
        "UPDATE messages SET status = 'scheduled', scheduled_for = '2999-01-31T12:00:00Z'"
        " WHERE status = 'queued' RETURNING id"
    )
    page, path = (
        (await ada.get(inbox.path(f"inbox/{ana}"))).text,
        inbox.path(f"messages/{row['id']}"),
    )
    assert "Goes out <time" in page
    assert f'2999-01-31 12:00:00 UTC</time>. <a href="{path}">' in page


async def test_a_message_that_waits_leads_to_where_it_can_be_canceled(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    gateway = inbox.dashboard.gateway
    await gateway.inbox.reply(inbox.principal, ana, asked(Text("On my way")))
    thread = inbox.path(f"inbox/{ana}")
    assert "Waiting to be sent. <a" not in (await ada.get(thread)).text, "it is just going out"
    [row] = await inbox.dashboard.rows(
        "UPDATE messages SET created_at = created_at - interval '1 minute'"
        " WHERE status = 'queued' RETURNING id"
    )
    path = inbox.path(f"messages/{row['id']}")
    assert f'Waiting to be sent. <a href="{path}">' in (await ada.get(thread)).text
    assert "Cancel this message" in (await ada.get(path)).text
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    assert "Cancel this message" not in (await viewer.get(path)).text
    assert (await viewer.post(f"{path}/cancel")).status_code == 403
    answer = await ada.post(f"{path}/cancel")
    assert answer.headers["location"] == f"{path}?done=canceled"
    assert await inbox.claim() == []
    page = (await ada.get(path)).text
    assert "Cancel this message" not in page
    assert "<li><span>canceled</span> <time" in page
    assert steps_of((await ada.get(thread)).text, row["id"])[-1] == "canceled"
    sent = await inbox.send(ana, Text("Here"))
    late = await ada.post(inbox.path(f"messages/{sent.id}/cancel"))
    assert late.status_code == 409
    assert 'role="alert"' in late.text


async def test_each_message_tells_what_became_of_it(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    sent = await inbox.send(ana, Text("On my way"))
    await inbox.report(receipt(sent, "read"))
    await inbox.dashboard.gateway.inbox.reply(inbox.principal, ana, asked(Text("Lost")))
    [lost] = await inbox.claim()
    await inbox.report(MessageRefused(lost.id, "not on the <network>"))
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert steps_of(page, sent.id) == ["accepted", "queued", "sent", "delivered", "read"]
    assert steps_of(page, lost.id) == ["accepted", "queued", "failed"]
    assert page.count("not on the &lt;network&gt;") == 2
    assert '<span class="in-state of-read" title="read">' in page
    assert '<span class="in-state of-failed" title="failed">' in page
    assert f'href="{inbox.path(f"messages/{lost.id}")}"' in page


async def test_what_may_be_on_the_phone_is_not_shown_as_not_sent(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    for text, certain in (("Lost", True), ("Perhaps lost", False)):
        await inbox.dashboard.gateway.inbox.reply(inbox.principal, ana, asked(Text(text)))
        [lost] = await inbox.claim()
        await inbox.report(MessageRefused(lost.id, "Silence.", certain=certain))
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert [page.count(f"> {word} sent: Silence.") for word in ("Not", "Perhaps not")] == [1, 1]
    assert "Perhaps not sent: </span>Perhaps lost" in (await ada.get(inbox.path("inbox"))).text


def steps_of(page: str, message_id: UUID) -> list[str]:
    timeline = page.partition(f'id="t-{message_id}"')[2].partition("</details>")[0]
    return re.findall(r"<li><span>([\w ]+)</span> <time", timeline)


async def test_what_was_taken_back_is_not_shown(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    said: list[Content] = [
        Buttons("Which?", (Button("a", "Secret button"),), footer="Secret footer"),
        ListMessage("Which?", "Open", (Section((Row("r", "Secret row"),)),), "Secret footer"),
        Poll("Which?", ("Secret answer", "Another")),
        ContactCard("Bruno", "BEGIN:VCARD\nFN:Secret name\nEND:VCARD"),
        ListReply("r", "Secret choice", "Secret description"),
        ButtonReply("b", "Secret press"),
    ]
    await inbox.hear(*said)
    for number in range(len(said)):
        await inbox.report(changed(number, "deleted", timedelta(seconds=9)))
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert page.count("Deleted for everyone.") == len(said)
    assert "Secret" not in page


async def test_a_group_says_who_wrote(inbox: InboxScene, ada: Person) -> None:
    await inbox.arrive(1, name="Ana")
    await inbox.report(
        arrival("G", jid_of(1), chat_jid=GROUP, is_group=True, group_subject="Harbor Cup")
    )
    page = (await ada.get(inbox.path(f"inbox/{await inbox.id_of(GROUP)}"))).text
    assert '<h2 id="who">Harbor Cup</h2>' in page
    assert '<p class="author">Ana</p>' in page


async def test_what_people_write_is_text_in_the_thread(inbox: InboxScene, ada: Person) -> None:
    ana = await inbox.arrive(1, "<script>alert(1)</script>\n  two", name="<b>Ana</b>")
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert "<script>alert" not in page
    assert "<b>Ana" not in page
    assert said_in(page) == ["&lt;script&gt;alert(1)&lt;/script&gt;\n  two"]
    assert "style=" not in page


# --- answering ---------------------------------------------------------------------------------


async def test_an_answer_is_queued_and_pauses_the_automation(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    assert (
        "Answering pauses the automation here." in (await ada.get(inbox.path(f"inbox/{ana}"))).text
    )
    answer = await ada.post(inbox.path(f"inbox/{ana}/answer"), text=" One\r\nTwo ")
    assert answer.headers["location"] == inbox.path(f"inbox/{ana}?sent=text#text")
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert said_in(page) == ["Hello", "One\nTwo"]
    assert '<span class="in-state of-queued" title="queued">' in page
    assert "The automation is paused here." in page
    [message] = await inbox.claim()
    assert (message.recipient, message.content) == (jid_of(1), Text("One\nTwo"))


async def test_an_answer_with_buttons_makes_their_ids(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    form = {"body": "20:00?", "footer": "Lume", "button_1": "Yes, please", "button_3": "Да!"}
    sent = await ada.post(inbox.path(f"inbox/{ana}/answer"), kind="buttons", **form)
    assert sent.status_code == 303
    [message] = await inbox.claim()
    buttons = (Button("yes-please", "Yes, please"), Button("да", "Да!"))
    assert message.content == Buttons("20:00?", buttons, footer="Lume")
    assert (await inbox.row(ana))["agent_paused"]


async def test_titles_that_differ_in_marks_alone_have_ids_of_their_own(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    titles = {"button_1": "+", "button_2": "-", "button_3": "Button"}
    form = {"kind": "buttons", "body": "?", "footer": ""}
    await ada.post(inbox.path(f"inbox/{ana}/answer"), **form, **titles)
    [message] = await inbox.claim()
    assert isinstance(message.content, Buttons)
    assert [button.id for button in message.content.buttons] == ["button", "button-2", "button-3"]
    assert message.content.footer is None


async def test_rows_that_differ_in_marks_alone_are_all_sent(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    form = {"list_body": "Which?", "list_button": "Rooms", "rows": "Room 3\nRoom\nRoom!"}
    sent = await ada.post(inbox.path(f"inbox/{ana}/answer"), kind="list", **form)
    assert sent.status_code == 303
    [message] = await inbox.claim()
    assert isinstance(message.content, ListMessage)
    [section] = message.content.sections
    assert [row.title for row in section.rows] == ["Room 3", "Room", "Room!"]
    assert len({row.id for row in section.rows}) == 3


SENT = {
    "list": (
        {"list_body": "When?", "list_button": "Days", "rows": "Tuesday | from nine\r\n\r\nFriday"},
        ListMessage(
            "When?",
            "Days",
            (Section((Row("tuesday", "Tuesday", "from nine"), Row("friday", "Friday"))),),
        ),
    ),
    "poll": (
        {"question": "Where?", "options": "Here\nThere", "several": "yes"},
        Poll("Where?", ("Here", "There"), 2),
    ),
    "location": (
        {"latitude": "52,5", "longitude": "-7.0", "place": "Gate", "address": ""},
        Location(52.5, -7.0, "Gate", ""),
    ),
    "link_button": (
        {"link_body": "New!", "link_title": "See", "link_url": "https://example.com/menu"},
        LinkButton("New!", "See", "https://example.com/menu"),
    ),
    "location_request": ({"request_body": "Where to?"}, LocationRequest("Where to?")),
}


CHOICES = {"list": ["Tuesday", "Friday"], "poll": ["Here", "There"]}


@pytest.mark.parametrize("kind", SENT)
async def test_every_kind_has_a_form(inbox: InboxScene, ada: Person, ana: UUID, kind: str) -> None:
    form, content = SENT[kind]
    sent = await ada.post(inbox.path(f"inbox/{ana}/answer"), kind=kind, **form)
    assert sent.status_code == 303
    [message] = await inbox.claim()
    assert message.content == content
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert re.findall(r'<li class="choice">(\w+)<', page) == CHOICES.get(kind, [])
    assert '"quiet">pressed' not in page


async def test_a_sent_list_shows_what_opens_it_and_what_stands_under_its_rows(
    inbox: InboxScene, ada: Person, ana: UUID
) -> None:
    await ada.post(inbox.path(f"inbox/{ana}/answer"), kind="list", **SENT["list"][0])
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert re.search(
        r'<details id="l-[^"]+" class="rows"><summary><svg.+</svg> Days</summary>', page
    )
    assert 'Tuesday<br><span class="quiet">from nine</span></li>' in page


async def test_a_contact_goes_out_as_a_card(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    form = {"kind": "contact", "card_name": "Bo", "card_numbers": "+49 30 1234567\n+4930765432"}
    assert (await ada.post(inbox.path(f"inbox/{ana}/answer"), **form)).status_code == 303
    [message] = await inbox.claim()
    assert isinstance(message.content, ContactCard)
    assert message.content.vcard.count("TEL;") == 2


async def test_a_file_goes_out_as_what_it_is(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    form_id = re.findall(r'name="form_id" value="(\w+)"', page)[0]
    for _ in range(2):  # the same form, sent twice
        sent = await ada.upload(
            inbox.path(f"inbox/{ana}/file"),
            ("a/dot.png", PNG, "image/png"),
            caption="A dot",
            form_id=form_id,
        )
        assert sent.status_code == 303, sent.text
    [message] = await inbox.claim()
    assert isinstance(message.content, Image)
    assert (message.content.caption, message.content.media_type) == ("A dot", "image/png")
    assert "A dot" in (await ada.get(inbox.path(f"inbox/{ana}"))).text


@pytest.mark.parametrize(
    ("name", "data", "guess", "kind", "media_type"),
    [
        ("photo.jpg", PNG, "image/jpeg", Image, "image/png"),
        ("dot.doc", PNG, "application/msword", Image, "image/png"),
        ("a.gif", b"GIF89a" + bytes(60), "image/gif", Image, "image/gif"),
        ("plan.dwg", b"AC1027" + bytes(60), "", Document, "image/vnd.dwg"),
        ("art.psd", b"8BPS\0\1" + bytes(60), "image/psd", Document, "image/psd"),
        ("scan.tif", b"II*\0" + bytes(60), "image/tiff", Document, "image/tiff"),
    ],
)
async def test_a_file_goes_out_as_what_its_bytes_say_and_as_a_picture_if_people_see_one(
    inbox: InboxScene, name: str, data: bytes, guess: str, kind: type[Media], media_type: str
) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    answer = await ada.upload(inbox.path(f"inbox/{ana}/file"), (name, data, guess), caption="")
    assert answer.status_code == 303, answer.text
    [message] = await inbox.claim()
    assert isinstance(message.content, kind)
    assert (message.content.media_type, message.content.file_name) == (media_type, name)


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        (("a.png", b"<html>", "image/png"), "This file can&#39;t be accepted"),
        (("a.png", b"", "image/png"), "File: "),
        (None, "File: Choose a file first."),
    ],
)
async def test_a_file_that_cannot_be_sent(
    inbox: InboxScene, ada: Person, ana: UUID, file: tuple[str, bytes, str] | None, problem: str
) -> None:
    nothing = ("", b"", "application/octet-stream")
    answer = await ada.upload(inbox.path(f"inbox/{ana}/file"), file or nothing, caption="Kept")
    assert answer.status_code in (415, 422)
    assert problem in answer.text
    assert "Kept" in answer.text
    assert await inbox.claim() == []


@pytest.mark.parametrize(
    ("file", "caption"),
    [(("a.png", PNG, "image/png"), "x" * 1025), (("a.wav", WAV, "audio/wav"), "Listen")],
    ids=["too long", "of a sound"],
)
async def test_no_file_is_stored_whose_text_is_refused(
    inbox: InboxScene, ada: Person, ana: UUID, file: tuple[str, bytes, str], caption: str
) -> None:
    answer = await ada.upload(inbox.path(f"inbox/{ana}/file"), file, caption=caption)
    assert answer.status_code == 422
    assert "Text: " in answer.text
    assert await inbox.dashboard.rows("SELECT id FROM media") == []


async def test_a_form_that_is_sent_twice_is_one_message(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    form_id = re.findall(r'name="form_id" value="(\w+)"', page)[0]
    for text in ("Yes", "Yes", "Yes, at noon"):
        answer = await ada.post(inbox.path(f"inbox/{ana}/answer"), text=text, form_id=form_id)
        assert answer.status_code == 303
    assert [message.content.summary for message in await inbox.claim()] == ["Yes", "Yes, at noon"]


WRONG = {
    "text": ("text", {"text": "<b>" + "x" * 4096}, "Text: It may have at most 4096 characters"),
    "nothing": ("text", {"text": " "}, "Text: It is empty."),
    "no button": ("buttons", {"body": "Well?", "footer": "F"}, "Buttons: Fill in at least one."),
    "no text": ("buttons", {"button_2": "Yes"}, "Text: It is empty."),
    "footer": ("buttons", {"body": "B", "footer": "f" * 61, "button_1": "Yes"}, "Footer: It may"),
    "title": (
        "buttons",
        {"body": "B", "button_1": "t" * 21},
        f"Button 1 “{'t' * 21}”, title: It may have at most 20",
    ),
    "same": (
        "buttons",
        {"body": "B", "button_1": "A", "button_3": "A"},
        "Button 1 and button 3 “A”: Two buttons have the same title.",
    ),
    "same row": (
        "list",
        {"list_body": "B", "list_button": "O", "rows": "C\nA\nB\nA | again"},
        "Row 2 and row 4 “A”: Two rows have the same title.",
    ),
    "same option": (
        "poll",
        {"question": "Q?", "options": "A\nA"},
        "Answer 1 and answer 2 “A”: Two answers are the same.",
    ),
    "no row": (
        "list",
        {"list_body": "B", "list_button": "Open"},
        "Rows: Write 1 to 10, one per line.",
    ),
    "row": (
        "list",
        {"list_body": "B", "list_button": "O", "rows": f"A\n\n{'r' * 25}"},
        f"Row 2 “{'r' * 25}”, title: It may have at most 24",
    ),
    "row without a title": (
        "list",
        {"list_body": "B", "list_button": "O", "rows": "A\nB\n | from <b>"},
        "Row 3 “| from &lt;b&gt;”, title: It is empty.",
    ),
    "description": (
        "list",
        {"list_body": "B", "list_button": "O", "rows": f"A | {'d' * 73}"},
        f"Row 1 “A | {'d' * 55}…”, text behind the bar: It may have at most 72",
    ),
    "option": (
        "poll",
        {"question": "Q?", "options": f"Yes\n{'o' * 101}"},
        f"Answer 2 “{'o' * 59}…”: It may have at most 100",
    ),
    "one option": (
        "poll",
        {"question": "Q?", "options": "Yes"},
        "Answers to choose from: Write 2 to 12, one per line.",
    ),
    "off the globe": (
        "location",
        {"latitude": "91", "longitude": "0"},
        "Degrees north: Write a number from -90 to 90, such as 41.9028.",
    ),
    "no number": (
        "location",
        {"latitude": "0", "longitude": "west"},
        "Degrees east: Write a number from -180 to 180, such as 12.4964.",
    ),
    "no page": (
        "link_button",
        {"link_body": "New!", "link_title": "See", "link_url": "http://example.com/menu"},
        "Address of the page: Write an address that begins with https://, of at most 2048",
    ),
    "phone": (
        "contact",
        {"card_name": "Bo", "card_numbers": "12x"},
        "is not a phone number of 5 to 15 digits",
    ),
    "nobody": ("contact", {"card_numbers": "+49301234567"}, "Name: "),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_sent_is_kept_and_explained(inbox: InboxScene, name: str) -> None:
    kind, form, problem = WRONG[name]
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    answer = await ada.post(inbox.path(f"inbox/{ana}/answer"), kind=kind, **form)
    assert answer.status_code == 422
    assert problem in answer.text
    for value in form.values():
        assert value.strip().replace("<b>", "&lt;b&gt;") in answer.text
    opened = re.findall(r'<dialog id="send-(\w+)"[^>]* open>', answer.text)
    assert opened == ([] if kind == "text" else [kind])
    assert await inbox.claim() == []
    assert not (await inbox.row(ana))["agent_paused"]


async def test_a_spent_plan_keeps_what_was_typed(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    await inbox.limit_messages(0)
    answer = await ada.post(inbox.path(f"inbox/{ana}/answer"), text="On my way")
    assert answer.status_code == 429
    assert "reached the limit of its plan" in answer.text
    assert re.search(r"It resets at <time [^>]*>[^<]+ UTC</time>\.", answer.text)
    assert "\nOn my way</textarea>" in answer.text


# --- putting in order --------------------------------------------------------------------------

ACTS = {
    "pin": ("pinned", True),
    "unpin": ("pinned", False),
    "close": ("status", "closed"),
    "reopen": ("status", "open"),
    "pause": ("agent_paused", True),
    "resume": ("agent_paused", False),
}


async def test_one_button_each_pins_closes_and_pauses(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    for act, (column, value) in ACTS.items():
        path = inbox.path(f"inbox/{ana}/{act}")
        assert f'action="{path}"' in (await ada.get(inbox.path(f"inbox/{ana}"))).text
        assert (await ada.post(path)).headers["location"] == inbox.path(f"inbox/{ana}")
        assert (await inbox.row(ana))[column] == value, act


async def test_a_conversation_is_given_to_a_member_and_to_nobody(inbox: InboxScene) -> None:
    ada, bob = await inbox.member("ada"), await inbox.member("bob")
    ana = await inbox.arrive(1)
    path = inbox.path(f"inbox/{ana}/assign")
    await ada.post(path, user_id=str(bob.user.id))
    assert (await inbox.row(ana))["assignee_user_id"] == bob.user.id
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert f'<option value="{bob.user.id}" selected>Bob</option>' in page
    for stranger in (str(NOBODY), "bob"):
        assert (await ada.post(path, user_id=stranger)).status_code == 422
    assert (await inbox.row(ana))["assignee_user_id"] == bob.user.id
    await ada.post(path, user_id="")
    assert (await inbox.row(ana))["assignee_user_id"] is None


async def test_an_assignee_who_has_left_is_shown_as_such(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    bob = await inbox.member("bob")
    await inbox.dashboard.gateway.inbox.assign(inbox.principal, ana, bob.user.id)
    await inbox.dashboard.gateway.members.remove(inbox.principal, bob.user.id)
    for path in ("inbox", f"inbox/{ana}"):
        assert "somebody who has left" in (await ada.get(inbox.path(path))).text


async def test_a_conversation_leads_to_all_messages_of_its_person(inbox: InboxScene) -> None:
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    ana = await inbox.arrive(1, "Of Ana", name="Ana", sender_phone_number="+15550100001")
    ben = await inbox.arrive(2, "Of Ben")
    await inbox.arrive(2, "To all", chat_jid="12345@g.sandbox", is_group=True)
    group = await inbox.id_of("12345@g.sandbox")
    for conversation, whose, said in (
        (ana, "person", ["Of Ana"]),
        (ben, "person", ["To all", "Of Ben"]),
        (group, "group", ["To all"]),
    ):
        panel = (await viewer.get(inbox.path(f"inbox/{conversation}/panel"))).text
        found = re.search(rf'href="([^"]+)">All messages of this {whose}<', panel)
        assert found
        page = (await viewer.get(found[1])).text
        assert re.findall(r'<td class="said"><a href="[^"]+">([^<]*)</a>', page) == said


async def test_the_panel_alone_is_what_the_page_has_beside_the_messages(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    path = inbox.path(f"inbox/{ana}")
    await ada.post(f"{path}/pause")
    part, page = (await ada.get(f"{path}/panel")).text, (await ada.get(path)).text
    for beside in ("thread-actions", "automation-note", "device-note"):
        assert len(re.findall(f'id="{beside}" [^>]*hx-swap-oob="true">', part)) == 1
    beginnings = "<div id=.thread-actions|<span id=.automation-note|<p id=.device-note"
    panel, actions, note, device = re.split(f"(?={beginnings})", part)
    for piece in (panel, actions, note, device):
        assert piece.replace(' hx-swap-oob="true"', "").strip() in page
    assert "Resume the automation" in actions
    assert "The automation is paused here." in note
    assert "hx-swap-oob" not in page
    assert f'/live?conversation={ana}"' in page


async def test_who_only_looks_on_has_no_note_of_answering(inbox: InboxScene) -> None:
    viewer, ana = await inbox.member("vera", MemberRole.VIEWER), await inbox.arrive(1)
    part = (await viewer.get(inbox.path(f"inbox/{ana}/panel"))).text
    assert "automation-note" not in part
    assert "<form" not in part


async def test_labels_are_put_on_and_taken_off(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    label = await inbox.dashboard.gateway.labels.create(inbox.principal, "VIP", "#ff0000")
    path = inbox.path(f"inbox/{ana}")
    assert f'<option value="{label.id}">VIP' in (await ada.get(f"{path}/panel")).text
    await ada.post(f"{path}/labels/add", label_id=str(label.id))
    panel = (await ada.get(f"{path}/panel")).text
    assert 'aria-label="Remove the label VIP"' in panel
    assert f'<option value="{label.id}">' not in panel
    await ada.post(f"{path}/labels/remove", label_id=str(label.id))
    assert "Remove the label" not in (await ada.get(path)).text
    assert (await ada.post(f"{path}/labels/add", label_id="x")).status_code == 422
    assert (await ada.post(f"{path}/labels/add", label_id=str(uuid4()))).status_code == 404
