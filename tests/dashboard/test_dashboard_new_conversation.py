"""A new conversation: whom to write to, through which device, and what comes first."""

import re
from uuid import UUID

import pytest

from core_scene import sent_to
from dashboard_inbox_scene import InboxScene
from dashboard_scene import Person
from heliograph.core.ingest.model import MessageRefused, MessageTaken
from heliograph.core.messages.model import ClaimedMessage
from heliograph.networks.content import Button, Buttons, Image, Text
from inbox_scene import NOBODY
from media_scene import PNG

NUMBER = "+15550100009"
FORM = "inbox/new"


def chosen(inbox: InboxScene, to: str = NUMBER, device: UUID | None = None) -> str:
    """The query of the page once the device and the person are chosen."""
    return f"?device={device or inbox.account.id}&to={to.replace('+', '%2B')}"


async def sent_first(inbox: InboxScene, location: str) -> ClaimedMessage:
    """The first message, to whose page the browser was led."""
    [message] = await inbox.claim()
    assert location.partition("?")[0] == inbox.path(f"{FORM}/sent/{message.id}")
    return message


# --- whom --------------------------------------------------------------------------------------


async def test_first_a_device_and_a_person_are_chosen(inbox: InboxScene, ada: Person) -> None:
    page = (await ada.get(inbox.path(FORM))).text
    assert f'<option value="{inbox.account.id}">Front desk' in page
    assert "<textarea" not in page
    page = (await ada.get(inbox.path(FORM) + chosen(inbox, " +1 (555) 010-0009 "))).text
    assert "New conversation with +1 (555) 010-0009" in page
    assert '<textarea id="text"' in page
    for kind in ("file", "buttons", "list", "poll", "location", "contact"):
        assert f'<dialog id="send-{kind}"' in page


async def test_whoever_has_a_conversation_is_led_to_it(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    other = await inbox.dashboard.device(inbox.acme, "Back office")
    await inbox.dashboard.gateway.inbox.close(inbox.principal, ana)
    number = "+15550100001"
    answer = await ada.get(inbox.path(FORM) + chosen(inbox, number))
    assert answer.status_code == 303
    assert answer.headers["location"] == inbox.path(f"inbox/{ana}#text")
    elsewhere = await ada.get(inbox.path(FORM) + chosen(inbox, number, other.id))
    assert elsewhere.status_code == 200, "not with this device"


async def test_a_name_finds_people_to_choose_from(inbox: InboxScene, ada: Person) -> None:
    await inbox.arrive(1, name="Ana <b>", sender_phone_number="+15550100001")
    await inbox.arrive(2, name="Hannah")
    await inbox.arrive(3, name="Ben")
    page = (await ada.get(inbox.path(FORM) + chosen(inbox, "an"))).text
    people = page.partition('<ul class="people">')[2].partition("</ul>")[0]
    found = dict(re.findall(r'<a href="([^"]+)">([^<]+)</a>', people))
    assert sorted(found.values()) == ["Ana &lt;b&gt;", "Hannah"]
    for address in found:
        answer = await ada.get(address.replace("&amp;", "&"))
        assert answer.status_code == 303, "they have written already"
    assert '<textarea id="text"' not in page


@pytest.mark.parametrize("number", ["0176 1234567", "(030) 123-4567"])
async def test_a_number_without_country_code_is_asked_for_it(
    inbox: InboxScene, ada: Person, number: str
) -> None:
    answer = await ada.get(inbox.path(FORM) + chosen(inbox, number))
    assert "Begin the number with + and the country code" in answer.text
    assert f'value="{number}"' in answer.text
    assert "<textarea" not in answer.text


async def test_nobody_of_this_name_is_said_to_be_unknown(inbox: InboxScene, ada: Person) -> None:
    page = (await ada.get(inbox.path(FORM) + chosen(inbox, "<b>Zoe"))).text
    assert "“&lt;b&gt;Zoe” is not a number, and no contact has this name." in page
    assert "<b>Zoe" not in page


async def test_without_a_device_that_can_send_it_says_what_to_do(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    await inbox.dashboard.rows("UPDATE accounts SET status = 'logged_out'")
    page = (await ada.get(inbox.path(FORM))).text
    assert "No device can send" in page
    assert str(inbox.account.id) not in page.partition('<div class="new">')[2]


@pytest.mark.parametrize(
    ("device", "status"), [("x", 422), (str(NOBODY), 404)], ids=["no id", "nobody's"]
)
async def test_a_device_that_is_none_is_refused(
    inbox: InboxScene, ada: Person, device: str, status: int
) -> None:
    query = f"?device={device}&to=%2B15550100009"
    assert (await ada.get(inbox.path(FORM) + query)).status_code == status
    assert (await ada.post(inbox.path(f"{FORM}/answer") + query, text="Hi")).status_code == status
    assert await inbox.dashboard.rows("SELECT id FROM messages") == []


# --- what --------------------------------------------------------------------------------------


async def test_the_first_message_goes_out_once_and_leads_to_the_conversation(
    inbox: InboxScene, ada: Person
) -> None:
    page = (await ada.get(inbox.path(FORM) + chosen(inbox))).text
    [action] = re.findall(r'<form id="form-text" method="post" action="([^"]+)"', page)
    form_id = re.findall(r'name="form_id" value="(\w+)"', page)[0]
    for _ in range(2):
        answer = await ada.post(action.replace("&amp;", "&"), text="One\r\nTwo", form_id=form_id)
        assert answer.status_code == 303
    location = answer.headers["location"]
    message = await sent_first(inbox, location)
    assert location.endswith("?sent=text")
    assert (message.content, message.recipient) == (Text("One\nTwo"), "15550100009@sandbox")
    waits = await ada.get(location)
    assert waits.status_code == 200
    assert "The conversation opens once the network has accepted the message." in waits.text
    assert f'hx-get="{inbox.path(f"{FORM}/sent/{message.id}")}?sent=text"' in waits.text
    await inbox.report(MessageTaken(message.id, sent_to(message.recipient)))
    there = inbox.path(f"inbox/{await inbox.id_of(message.recipient)}?sent=text#text")
    assert (await ada.get(location)).headers["location"] == there
    part = await ada.browser.get(location, headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["HX-Redirect"]) == (200, there)


async def test_whoever_cannot_be_reached_has_no_conversation(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    answer = await ada.post(inbox.path(f"{FORM}/answer") + chosen(inbox), text="Hi")
    message = await sent_first(inbox, answer.headers["location"])
    await inbox.report(MessageRefused(message.id, "No <b>such</b> number."))
    page = await ada.get(answer.headers["location"])
    assert page.status_code == 200
    assert "No &lt;b&gt;such&lt;/b&gt; number." in page.text
    assert "The message reached nobody" in page.text
    assert '<p class="said-whole">Hi</p>' in page.text
    again = chosen(inbox).replace("&", "&amp;")
    assert f'href="{inbox.path(FORM)}{again}">write to another number</a>' in page.text
    assert f'href="{inbox.path(f"messages/{message.id}")}"' in page.text


async def test_a_first_message_that_may_be_on_the_phone_is_said_to_be(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    answer = await ada.post(inbox.path(f"{FORM}/answer") + chosen(inbox), text="Hi")
    message = await sent_first(inbox, answer.headers["location"])
    await inbox.report(MessageRefused(message.id, "Silence.", certain=False))
    page = (await ada.get(answer.headers["location"])).text
    assert "The message may be on the phone: sent again, it may arrive twice." in page
    assert "The message reached nobody" not in page


async def test_it_may_begin_with_buttons(inbox: InboxScene, ada: Person) -> None:
    form = {"kind": "buttons", "body": "Open?", "button_1": "Yes"}
    answer = await ada.post(inbox.path(f"{FORM}/answer") + chosen(inbox), **form)
    message = await sent_first(inbox, answer.headers["location"])
    assert message.content == Buttons("Open?", (Button("yes", "Yes"),))


async def test_it_may_begin_with_a_file(inbox: InboxScene, ada: Person) -> None:
    answer = await ada.upload(
        inbox.path(f"{FORM}/file") + chosen(inbox), ("dot.png", PNG, "image/png"), caption="A dot"
    )
    message = await sent_first(inbox, answer.headers["location"])
    assert isinstance(message.content, Image)
    assert message.content.caption == "A dot"


async def test_what_cannot_be_sent_is_kept_and_explained(inbox: InboxScene, ada: Person) -> None:
    path = inbox.path(f"{FORM}/answer") + chosen(inbox)
    answer = await ada.post(path, text="<b>" + "x" * 4096)
    assert answer.status_code == 422
    assert "Text: It may have at most 4096 characters" in answer.text
    assert "&lt;b&gt;xxx" in answer.text
    assert f"New conversation with {NUMBER}" in answer.text
    assert "Choose what to send." in (await ada.post(path, kind="odd")).text
    assert await inbox.claim() == []


@pytest.mark.parametrize("path", ["answer", "file"])
async def test_without_a_person_or_a_device_nothing_is_sent(inbox: InboxScene, path: str) -> None:
    ada = await inbox.member("ada")
    for query in ("", "?to=%2B15550100009", f"?device={inbox.account.id}"):
        where = inbox.path(f"{FORM}/{path}") + query
        if path == "file":
            answer = await ada.upload(where, ("dot.png", PNG, "image/png"), caption="Kept")
        else:
            answer = await ada.post(where, text="Kept")
        assert answer.status_code == 422
        assert "Choose a device and whom to write to." in answer.text
    for table in ("messages", "media"):
        assert await inbox.dashboard.rows(f"SELECT id FROM {table}") == []  # noqa: S608 - our own names


async def test_to_what_is_no_number_nothing_is_sent_and_no_file_stored(inbox: InboxScene) -> None:
    ada, query = await inbox.member("ada"), chosen(inbox, "Zoe")
    dot = ("dot.png", PNG, "image/png")
    answers = [
        await ada.post(inbox.path(f"{FORM}/answer") + query, text="Hi"),
        await ada.upload(inbox.path(f"{FORM}/file") + query, dot, caption=""),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert re.search(r'role="alert">.+<p>To: .+ Nothing was sent\.</p>', answer.text)
    for table in ("messages", "media"):
        assert await inbox.dashboard.rows(f"SELECT id FROM {table}") == []  # noqa: S608 - our own names


async def test_a_spent_plan_keeps_what_was_typed(inbox: InboxScene, ada: Person) -> None:
    await inbox.limit_messages(0)
    answer = await ada.post(inbox.path(f"{FORM}/answer") + chosen(inbox), text="On my way")
    assert answer.status_code == 429
    assert "reached the limit of its plan" in answer.text
    assert "\nOn my way</textarea>" in answer.text
