"""The virtual phone: what was sent arrives there, what is pressed and written there comes back."""

import html
import re

import pytest

from dashboard_phone_scene import ADA, WHO, PhoneScene, connect
from dashboard_scene import DashboardScene, Person, path_of
from each_case import for_each
from heliograph.core.accounts.model import Account
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.devices import phone as phone_pages
from heliograph.networks.content import Button, ButtonReply, Buttons, Text
from heliograph.networks.errors import ApprovalRequiredError
from heliograph.networks.phone_actions import Disconnect
from heliograph.networks.port import Inbound, SimulatedGroup
from heliograph.networks.sandbox.driver import SandboxNetwork
from sandbox_world import session_of

pytest_plugins = ("sandbox_fixtures",)

QUESTION = Buttons(
    "Shall we keep your table?", (Button("yes", "Yes"), Button("no", "No, change it"))
)
INVITE = re.compile(r'readonly value="(https://sandbox\.example/join/\w{20})"')


async def test_a_message_arrives_with_buttons_and_pressing_one_answers(phone: PhoneScene) -> None:
    message, _ = await phone.one.send(ADA, QUESTION)
    assert "Shall we keep your table?" in await phone.page()
    page = await phone.post("press", message=message.chat_message_id, button="no")
    assert "pressed</span> No, change it" in page
    assert page.count('class="chosen"') == 1
    assert "pressed: </span>No, change it</button>" in page
    reply = await phone.one.events.next(Inbound)
    assert reply.content == ButtonReply("no", "No, change it")


async def test_somebody_is_shown_who_is_not_among_the_first_of_many(
    phone: PhoneScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phone_pages, "MAX_PEOPLE", 1)
    form = {"person": "+15550109999", "text": "I am one of many."}
    said = await phone.ada.post(f"{phone.path}/say", **form)
    page = (await phone.ada.get(said.headers["location"])).text
    assert "I am one of many." in page
    assert "+15550109999" in page


async def test_a_message_is_text_whatever_is_in_it(phone: PhoneScene) -> None:
    evil = "<img src=x onerror=alert(1)>"
    await phone.one.send(ADA, Buttons(evil, (Button('"><b>', evil[:20]),), footer=evil))
    page = await phone.post("say", text=evil)
    assert page.count(html.escape(evil)) >= 3
    assert "<img src=x" not in page
    assert '"><b>' not in page


async def test_a_phone_is_switched_off_and_messages_wait(phone: PhoneScene) -> None:
    page = await phone.post("offline")
    assert "Switched off" in page
    assert 'aria-checked="false"' in page
    assert "phone is switched off" in await phone.refused("say", text="Hello")
    await phone.one.send(ADA, "Are you there?")
    assert "Are you there?" not in await phone.page()
    assert "Are you there?" in await phone.post("online")


async def test_what_a_script_asks_for_is_shown_also_when_it_is_refused(phone: PhoneScene) -> None:
    """htmx puts no answer into the page that is an error."""
    phone.ada.browser.headers["HX-Request"] = "true"
    form = {"person": WHO, "message": "none", "button": "yes"}
    answer = await phone.ada.post(f"{phone.path}/press", **form)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text


async def invited(phone: PhoneScene, **form: str) -> tuple[str, SimulatedGroup]:
    """The link of a new group "Picnic" of the first person, and the group."""
    [link] = INVITE.findall(await phone.post("invite", subject="Picnic", **form))
    [group] = await phone.sandbox.simulator(phone.one).groups(WHO)
    return link, group


async def test_an_invite_link_is_made_shown_and_revoked(phone: PhoneScene) -> None:
    link, _ = await invited(phone)
    assert f'readonly value="{link}" disabled' in await phone.post("revoke", link=link)


async def test_a_group_is_read_and_written_in(phone: PhoneScene) -> None:
    link, group = await invited(phone)
    chat = f"&group={group.remote_jid}"
    assert "Front desk is not in this group" in await phone.page(chat)
    await session_of(phone.one).join_group(link)
    await phone.post("say", group=group.remote_jid, text="Who is coming?")
    assert (await phone.one.events.next(Inbound)).is_group
    await phone.one.send(group.remote_jid, QUESTION)
    page = await phone.page(chat)
    assert "Shall we keep your table?" in page
    assert "Who is coming?" in page
    assert '<p class="author">Front desk</p>' in page
    assert page.count('class="author"') == 1, "who writes themselves knows who they are"
    assert "Who is coming?" not in (await phone.page()).partition("<aside")[0]


async def test_who_asks_to_join_is_let_in(phone: PhoneScene) -> None:
    link, _ = await invited(phone, approval="yes")
    assert "Let it in" not in await phone.page()
    with pytest.raises(ApprovalRequiredError):
        await session_of(phone.one).join_group(link)
    assert "Let it in" in await phone.page()
    assert "Front desk is in it" in await phone.post("approve", link=link)


async def test_nobody_does_anything_about_links_of_other_phones(phone: PhoneScene) -> None:
    globex = await phone.scene.organization("Globex")
    mallory = await phone.scene.member("mallory", globex, MemberRole.OWNER)
    elsewhere, _ = await connect(phone.scene, phone.sandbox, globex)
    link, _ = await invited(phone)
    assert "Picnic" not in (await mallory.get(elsewhere)).text
    for act in ("revoke", "approve"):
        answer = await mallory.post(f"{elsewhere}/{act}", person=WHO, link=link)
        assert (answer.status_code, "made no such invite link" in answer.text) == (422, True)
    assert f'readonly value="{link}" disabled' not in await phone.page()


@for_each(
    ("query", "why"),
    [
        (f"with={WHO}&group=12345@g.sandbox", "not in this group"),
        ("with=nonsense", "Nobody is called"),
        ("with=15550109001", "is not on the network"),
        ("with=1", "is not an address"),
        ("with=%3Cb%3E", "Nobody is called"),
    ],
)
async def test_who_or_what_is_not_there_is_refused_beside_those_there_are(
    phone: PhoneScene, query: str, why: str
) -> None:
    answer = await phone.ada.get(f"{phone.path}?{query}")
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text
    assert why in answer.text
    assert "Ada Abara" in answer.text, "the list stays"
    assert 'hx-trigger="sse:look' not in answer.text, "nothing takes the refusal away at once"


@for_each("query", ["with=%00", "chat=%00", "chat=%00&with=Ada%20Abara"])
async def test_an_address_that_can_be_nobodys_breaks_no_page(phone: PhoneScene, query: str) -> None:
    for page in (phone.path, f"{phone.path}/writing"):
        assert (await phone.ada.get(f"{page}?{query}")).status_code < 500


async def agent(scene: DashboardScene, **settings: str) -> tuple[Person, Account, str]:
    acme, ada = await scene.acme(MemberRole.AGENT)
    device = await scene.device(acme, **settings)
    return ada, device, path_of(acme, f"phone/{device.id}")


async def shown(person: Person, path: str) -> str:
    return (await person.get(path)).text


async def test_the_account_is_said_to_be_writing_while_its_message_is_on_its_way(
    scene: DashboardScene,
) -> None:
    ada, device, path = await agent(scene)
    slow = "15550109002@sandbox"
    writing = f"{path}/writing?chat={slow}"
    await scene.send(device, Text("Hello"), to=slow)
    assert "writing" not in await shown(ada, writing), "it is not connected yet"
    async with scene.at_work():
        await scene.until(lambda: shown(ada, writing), lambda part: "Front desk is writing" in part)
        assert "writing" not in await shown(ada, f"{path}/writing?chat={WHO}")
        await scene.until(lambda: shown(ada, writing), lambda part: "writing" not in part)
        assert "Hello" in await shown(ada, f"{path}?with={slow}")


async def test_the_code_that_a_device_shows_is_scanned(scene: DashboardScene) -> None:
    ada, device, path = await agent(scene, pair_automatically="false")
    async with scene.at_work():
        await scene.until(lambda: shown(ada, path), lambda page: "Scan the code" in page)
        await ada.post(f"{path}/scan")
        await scene.connected(device)
        assert "Ada Abara" in await shown(ada, path)


async def test_a_logged_out_device_has_no_people(phone: PhoneScene) -> None:
    await phone.sandbox.simulator(phone.one).act(Disconnect(log_out=True))
    assert "pair it again" in await phone.page()


async def test_real_people_are_not_driven(
    phone: PhoneScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "simulator", lambda *_: None)
    assert (await phone.ada.get(phone.path)).status_code == 409
    said = await phone.ada.post(f"{phone.path}/say", person=WHO, text="Hello")
    assert said.status_code == 409
    home = phone.path.partition("/phone")[0]
    assert phone.path not in (await phone.ada.get(home)).text
