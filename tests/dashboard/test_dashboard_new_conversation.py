"""A new conversation: whom to write to, through which device, and what comes first."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from core_scene import sent_to
from dashboard_inbox_scene import InboxScene, open_inbox
from heliograph.core.ingest.model import MessageRefused, MessageTaken
from heliograph.core.members.model import MemberRole
from heliograph.core.messages.model import ClaimedMessage
from heliograph.networks.content import Button, Buttons, Image, Text
from inbox_scene import NOBODY
from media_scene import PNG

NUMBER = "+15550100009"
FORM = "inbox/new"


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as scene:
        yield scene


def chosen(scene: InboxScene, to: str = NUMBER, device: UUID | None = None) -> str:
    """The query of the page once the device and the person are chosen."""
    return f"?device={device or scene.account.id}&to={to.replace('+', '%2B')}"


async def sent_first(scene: InboxScene, location: str) -> ClaimedMessage:
    """The first message, to whose page the browser was led."""
    [message] = await scene.claim()
    assert location.partition("?")[0] == scene.path(f"{FORM}/sent/{message.id}")
    return message


# --- whom --------------------------------------------------------------------------------------


async def test_first_a_device_and_a_person_are_chosen(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    page = (await ada.get(scene.path(FORM))).text
    assert f'<option value="{scene.account.id}">Front desk' in page
    assert "<textarea" not in page
    page = (await ada.get(scene.path(FORM) + chosen(scene, " +1 (555) 010-0009 "))).text
    assert "New conversation with +1 (555) 010-0009" in page
    assert '<textarea id="text"' in page
    for kind in ("file", "buttons", "list", "poll", "location", "contact"):
        assert f'<dialog id="send-{kind}"' in page


async def test_whoever_has_a_conversation_is_led_to_it(scene: InboxScene) -> None:
    ada, ana = await scene.member("ada"), await scene.arrive(1)
    other = await scene.dashboard.device(scene.acme, "Back office")
    await scene.dashboard.gateway.inbox.close(scene.principal, ana)
    number = "+15550100001"
    answer = await ada.get(scene.path(FORM) + chosen(scene, number))
    assert answer.status_code == 303
    assert answer.headers["location"] == scene.path(f"inbox/{ana}#text")
    elsewhere = await ada.get(scene.path(FORM) + chosen(scene, number, other.id))
    assert elsewhere.status_code == 200, "not with this device"


async def test_a_name_finds_people_to_choose_from(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    await scene.arrive(1, name="Ana <b>", sender_phone_number="+15550100001")
    await scene.arrive(2, name="Hannah")
    await scene.arrive(3, name="Ben")
    page = (await ada.get(scene.path(FORM) + chosen(scene, "an"))).text
    people = page.partition('<ul class="people">')[2].partition("</ul>")[0]
    found = dict(re.findall(r'<a href="([^"]+)">([^<]+)</a>', people))
    assert sorted(found.values()) == ["Ana &lt;b&gt;", "Hannah"]
    for address in found:
        answer = await ada.get(address.replace("&amp;", "&"))
        assert answer.status_code == 303, "they have written already"
    assert '<textarea id="text"' not in page


@pytest.mark.parametrize("number", ["0176 1234567", "(030) 123-4567"])
async def test_a_number_without_country_code_is_asked_for_it(
    scene: InboxScene, number: str
) -> None:
    ada = await scene.member("ada")
    answer = await ada.get(scene.path(FORM) + chosen(scene, number))
    assert "Begin the number with + and the country code" in answer.text
    assert f'value="{number}"' in answer.text
    assert "<textarea" not in answer.text


async def test_nobody_of_this_name_is_said_to_be_unknown(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    page = (await ada.get(scene.path(FORM) + chosen(scene, "<b>Zoe"))).text
    assert "“&lt;b&gt;Zoe” is not a number, and no contact has this name." in page
    assert "<b>Zoe" not in page


async def test_without_a_device_that_can_send_it_says_what_to_do(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    await scene.dashboard.rows("UPDATE accounts SET status = 'logged_out'")
    page = (await ada.get(scene.path(FORM))).text
    assert "No device can send" in page
    assert str(scene.account.id) not in page.partition('<div class="new">')[2]


@pytest.mark.parametrize(
    ("device", "status"), [("x", 422), (str(NOBODY), 404)], ids=["no id", "nobody's"]
)
async def test_a_device_that_is_none_is_refused(
    scene: InboxScene, device: str, status: int
) -> None:
    ada = await scene.member("ada")
    query = f"?device={device}&to=%2B15550100009"
    assert (await ada.get(scene.path(FORM) + query)).status_code == status
    assert (await ada.post(scene.path(f"{FORM}/answer") + query, text="Hi")).status_code == status
    assert await scene.dashboard.rows("SELECT id FROM messages") == []


# --- what --------------------------------------------------------------------------------------


async def test_the_first_message_goes_out_once_and_leads_to_the_conversation(
    scene: InboxScene,
) -> None:
    ada = await scene.member("ada")
    page = (await ada.get(scene.path(FORM) + chosen(scene))).text
    [action] = re.findall(r'<form id="form-text" method="post" action="([^"]+)"', page)
    form_id = re.findall(r'name="form_id" value="(\w+)"', page)[0]
    for _ in range(2):
        answer = await ada.post(action.replace("&amp;", "&"), text="One\r\nTwo", form_id=form_id)
        assert answer.status_code == 303
    location = answer.headers["location"]
    message = await sent_first(scene, location)
    assert location.endswith("?sent=text")
    assert (message.content, message.recipient) == (Text("One\nTwo"), "15550100009@sandbox")
    waits = await ada.get(location)
    assert waits.status_code == 200
    assert "The conversation opens once the network has accepted the message." in waits.text
    assert f'hx-get="{scene.path(f"{FORM}/sent/{message.id}")}?sent=text"' in waits.text
    await scene.report(MessageTaken(message.id, sent_to(message.recipient)))
    there = scene.path(f"inbox/{await scene.id_of(message.recipient)}?sent=text#text")
    assert (await ada.get(location)).headers["location"] == there
    part = await ada.browser.get(location, headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["HX-Redirect"]) == (200, there)


async def test_whoever_cannot_be_reached_has_no_conversation(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), text="Hi")
    message = await sent_first(scene, answer.headers["location"])
    await scene.report(MessageRefused(message.id, "No <b>such</b> number."))
    page = await ada.get(answer.headers["location"])
    assert page.status_code == 200
    assert "No &lt;b&gt;such&lt;/b&gt; number." in page.text
    assert "The message reached nobody" in page.text
    assert '<p class="said-whole">Hi</p>' in page.text
    again = chosen(scene).replace("&", "&amp;")
    assert f'href="{scene.path(FORM)}{again}">write to another number</a>' in page.text
    assert f'href="{scene.path(f"messages/{message.id}")}"' in page.text


async def test_a_first_message_that_may_be_on_the_phone_is_said_to_be(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), text="Hi")
    message = await sent_first(scene, answer.headers["location"])
    await scene.report(MessageRefused(message.id, "Silence.", certain=False))
    page = (await ada.get(answer.headers["location"])).text
    assert "The message may be on the phone: sent again, it may arrive twice." in page
    assert "The message reached nobody" not in page


async def test_it_may_begin_with_buttons(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    form = {"kind": "buttons", "body": "Open?", "button_1": "Yes"}
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), **form)
    message = await sent_first(scene, answer.headers["location"])
    assert message.content == Buttons("Open?", (Button("yes", "Yes"),))


async def test_it_may_begin_with_a_file(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    answer = await ada.upload(
        scene.path(f"{FORM}/file") + chosen(scene), ("dot.png", PNG, "image/png"), caption="A dot"
    )
    message = await sent_first(scene, answer.headers["location"])
    assert isinstance(message.content, Image)
    assert message.content.caption == "A dot"


WRONG = {
    "nothing": ({"text": " "}, "Text: It is empty."),
    "long": ({"text": "<b>" + "x" * 4096}, "Text: It may have 4096 characters"),
    "no button": ({"kind": "buttons", "body": "Well?"}, "Buttons: Fill in at least one."),
    "kind": ({"kind": "odd"}, "Choose what to send."),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_sent_is_kept_and_explained(scene: InboxScene, name: str) -> None:
    form, problem = WRONG[name]
    ada = await scene.member("ada")
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), **form)
    assert answer.status_code == 422
    assert problem in answer.text
    for field, value in form.items():
        if field != "kind":
            assert value.strip().replace("<b>", "&lt;b&gt;") in answer.text
    assert f"New conversation with {NUMBER}" in answer.text
    assert await scene.claim() == []


@pytest.mark.parametrize("path", ["answer", "file"])
async def test_without_a_person_or_a_device_nothing_is_sent(scene: InboxScene, path: str) -> None:
    ada = await scene.member("ada")
    for query in ("", "?to=%2B15550100009", f"?device={scene.account.id}"):
        where = scene.path(f"{FORM}/{path}") + query
        if path == "file":
            answer = await ada.upload(where, ("dot.png", PNG, "image/png"), caption="Kept")
        else:
            answer = await ada.post(where, text="Kept")
        assert answer.status_code == 422
        assert "Choose a device and whom to write to." in answer.text
    for table in ("messages", "media"):
        assert await scene.dashboard.rows(f"SELECT id FROM {table}") == []  # noqa: S608 - our own names


async def test_to_what_is_no_number_nothing_is_sent_and_no_file_stored(scene: InboxScene) -> None:
    ada, query = await scene.member("ada"), chosen(scene, "Zoe")
    dot = ("dot.png", PNG, "image/png")
    answers = [
        await ada.post(scene.path(f"{FORM}/answer") + query, text="Hi"),
        await ada.upload(scene.path(f"{FORM}/file") + query, dot, caption=""),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert re.search(r'role="alert">.+<p>To: .+ Nothing was sent\.</p>', answer.text)
    for table in ("messages", "media"):
        assert await scene.dashboard.rows(f"SELECT id FROM {table}") == []  # noqa: S608 - our own names


async def test_a_spent_plan_keeps_what_was_typed(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    await scene.limit_messages(0)
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), text="On my way")
    assert answer.status_code == 429
    assert "reached the limit of its plan" in answer.text
    assert "\nOn my way</textarea>" in answer.text


# --- who may -----------------------------------------------------------------------------------


async def test_a_viewer_begins_none(scene: InboxScene) -> None:
    viewer = await scene.member("vera", MemberRole.VIEWER)
    assert scene.path(FORM) not in (await viewer.get(scene.path("inbox"))).text
    assert (await viewer.get(scene.path(FORM))).status_code == 403
    for path in ("answer", "file"):
        answer = await viewer.post(scene.path(f"{FORM}/{path}") + chosen(scene), text="Hi")
        assert answer.status_code == 403
    assert await scene.claim() == []


async def test_another_organizations_device_and_message_are_refused(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    answer = await ada.post(scene.path(f"{FORM}/answer") + chosen(scene), text="Secret")
    message = await sent_first(scene, answer.headers["location"])
    globex = await scene.dashboard.organization("Globex")
    mallory = await scene.dashboard.member("mallory", globex, MemberRole.OWNER)
    here = f"/dashboard/{globex.id}/{FORM}"
    answers = [
        await mallory.get(here + chosen(scene)),
        await mallory.post(f"{here}/answer{chosen(scene)}", text="Hi"),
        await mallory.get(f"{here}/sent/{message.id}"),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert not any("Secret" in answer.text or "Front desk" in answer.text for answer in answers)
    assert (await mallory.get(f"{here}/sent/{uuid4()}")).status_code == 404
    assert await scene.claim() == []
