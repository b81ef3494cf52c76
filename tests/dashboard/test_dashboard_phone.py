"""The virtual phone: what was sent arrives there, what is pressed and written there comes back."""

import html
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace

import httpx
import pytest

from dashboard_scene import DashboardScene, Person, path_of
from heliograph.core.accounts.model import Account
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.errors import ApprovalRequiredError, InviteRevokedError
from heliograph.faces.dashboard.devices import phone
from heliograph.networks.content import Button, Buttons, Text
from heliograph.networks.phone_actions import Disconnect
from heliograph.networks.port import AccountStatus
from heliograph.networks.sandbox.driver import SandboxNetwork

WHO = "15550100001@sandbox"
QUESTION = Buttons(
    "Shall we keep your table?", (Button("yes", "Yes"), Button("no", "No, change it"))
)

INVITE = re.compile(r'readonly value="(https://sandbox\.example/join/\w{20})"')
MESSAGE = re.compile(r'name="message" value="(\w+)"')


@dataclass
class Desk:
    """A device that is connected, and Ada, an agent; `path` is that of the device's phones."""

    scene: DashboardScene
    acme: Organization
    ada: Person
    device: Account
    path: str

    async def page(self, query: str = "") -> str:
        return (await self.ada.get(f"{self.path}{query}")).text

    async def post(self, act: str, **form: str) -> httpx.Response:
        return await self.ada.post(f"{self.path}/{act}", **form)


@pytest.fixture
async def desk(scene: DashboardScene) -> AsyncIterator[Desk]:
    acme, ada, device = await agent(scene)
    async with scene.at_work():
        await scene.connected(device)
        yield Desk(scene, acme, ada, device, path_of(acme, f"phone/{device.id}"))


async def agent(scene: DashboardScene) -> tuple[Organization, Person, Account]:
    acme = await scene.organization("Acme")
    return acme, await scene.member("ada", acme, MemberRole.AGENT), await scene.device(acme)


async def chat(desk: Desk, until: str) -> str:
    """The page of the first person's phone once this is on it."""
    return await desk.scene.until(lambda: desk.page(f"?with={WHO}"), lambda page: until in page)


async def shown(person: Person, path: str) -> str:
    return (await person.get(path)).text


async def inbound(scene: DashboardScene) -> list[str]:
    rows = await scene.rows("SELECT content FROM messages WHERE direction = 'inbound' ORDER BY seq")
    return [row["content"] for row in rows]


async def test_a_message_arrives_with_buttons_and_pressing_one_answers(desk: Desk) -> None:
    await desk.scene.send(desk.device, QUESTION)
    page = await chat(desk, "Shall we keep your table?")
    message = MESSAGE.search(page)
    assert message
    answer = await desk.post("press", person=WHO, message=message[1], button="no")
    assert answer.status_code == 303
    page = (await desk.ada.get(answer.headers["location"])).text
    assert "pressed</span> No, change it" in page
    assert page.count('class="chosen"') == 1
    assert "pressed: </span>No, change it</button>" in page
    [reply] = await desk.scene.until(lambda: inbound(desk.scene), bool)
    assert '"button_reply"' in reply
    assert '"no"' in reply


async def test_somebody_is_shown_who_is_not_among_the_first_of_many(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phone, "MAX_PEOPLE", 1)
    acme, ada, account = await agent(scene)
    async with scene.at_work():
        account = await scene.connected(account)
        path = path_of(acme, f"phone/{account.id}")
        form = {"person": "+15550109999", "text": "I am one of many."}
        await ada.post(f"{path}/say", **form)
        page = await shown(ada, f"{path}?with=%2B15550109999")
    assert "I am one of many." in page
    assert "+15550109999" in page


async def test_a_person_writes(desk: Desk) -> None:
    await desk.post("say", person=WHO, text="See you on Sunday")
    assert "See you on Sunday" in await desk.page(), "the first person's phone"
    [written] = await desk.scene.until(lambda: inbound(desk.scene), bool)
    assert "See you on Sunday" in written


async def test_a_message_is_text_whatever_is_in_it(desk: Desk) -> None:
    evil = "<img src=x onerror=alert(1)>"
    await desk.scene.send(desk.device, Buttons(evil, (Button('"><b>', evil[:20]),), footer=evil))
    page = await chat(desk, html.escape(evil))
    await desk.post("say", person=WHO, text=evil)
    page += await desk.page()
    assert "<img src=x" not in page
    assert '"><b>' not in page


async def test_a_phone_is_switched_off_and_messages_wait(desk: Desk) -> None:
    await desk.post("offline", person=WHO)
    page = await desk.page()
    assert "Switched off" in page
    assert 'aria-checked="false"' in page
    refused = await desk.post("say", person=WHO, text="Hello")
    assert refused.status_code == 422
    assert "phone is switched off" in refused.text
    await desk.scene.send(desk.device, Text("Are you there?"))
    await desk.post("online", person=WHO)
    await chat(desk, "Are you there?")


async def test_what_a_script_asks_for_is_shown_also_when_it_is_refused(desk: Desk) -> None:
    """htmx puts no answer into the page that is an error."""
    desk.ada.browser.headers["HX-Request"] = "true"
    answer = await desk.post("press", person=WHO, message="none", button="yes")
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text


async def invited(desk: Desk, **form: str) -> str:
    """The link of a new group "Picnic" of the first person."""
    await desk.post("invite", person=WHO, subject="Picnic", **form)
    [link] = INVITE.findall(await desk.page())
    return str(link)


async def join(desk: Desk, link: str) -> None:
    principal = operator(desk.device.tenant)
    with suppress(ApprovalRequiredError):
        await desk.scene.gateway.groups.join(principal, desk.device.session_name, link, None)


async def test_an_invite_link_is_made_shown_and_revoked(desk: Desk) -> None:
    link = await invited(desk)
    await desk.post("revoke", person=WHO, link=link)
    page = await desk.page()
    assert f'readonly value="{link}" disabled' in page
    with pytest.raises(InviteRevokedError):
        await join(desk, link)


async def test_a_group_is_read_and_written_in(desk: Desk) -> None:
    link = await invited(desk)
    [group] = await desk.scene.gateway.simulator.of(desk.device).groups(WHO)
    chat = f"?with={WHO}&group={group.remote_jid}"
    assert "Front desk is not in this group" in await desk.page(chat)
    await join(desk, link)
    await desk.post("say", person=WHO, group=group.remote_jid, text="Who is coming?")
    await desk.scene.until(lambda: inbound(desk.scene), bool)
    await desk.scene.send(desk.device, QUESTION, to=group.remote_jid)
    page = await desk.scene.until(
        lambda: desk.page(chat), lambda page: "Shall we keep your table?" in page
    )
    assert "Who is coming?" in page
    assert '<p class="author">Front desk</p>' in page
    assert page.count('class="author"') == 1, "who writes themselves knows who they are"
    assert "Who is coming?" not in (await desk.page()).partition("<aside")[0]
    [row] = await desk.scene.rows("SELECT chat_type FROM messages WHERE direction = 'inbound'")
    assert row["chat_type"] == "group"


async def test_a_button_is_pressed_in_a_group(desk: Desk) -> None:
    await join(desk, await invited(desk))
    [group] = await desk.scene.gateway.simulator.of(desk.device).groups(WHO)
    await desk.scene.send(desk.device, QUESTION, to=group.remote_jid)
    chat = f"?with={WHO}&group={group.remote_jid}"
    page = await desk.scene.until(lambda: desk.page(chat), MESSAGE.search)
    [message] = MESSAGE.findall(page)
    form = {"person": WHO, "group": group.remote_jid, "message": message, "button": "yes"}
    answer = await desk.post("press", **form)
    assert "pressed</span> Yes" in (await desk.ada.get(answer.headers["location"])).text


async def test_who_asks_to_join_is_let_in(desk: Desk) -> None:
    link = await invited(desk, approval="yes")
    assert "Let it in" not in await desk.page()
    await join(desk, link)
    assert "Let it in" in await desk.page()
    await desk.post("approve", person=WHO, link=link)
    assert "Front desk is in it" in await desk.page()


@pytest.mark.parametrize("act", ["revoke", "approve"])
async def test_nobody_does_anything_about_links_of_other_phones(desk: Desk, act: str) -> None:
    scene = desk.scene
    globex = await scene.organization("Globex")
    mallory = await scene.member("mallory", globex, MemberRole.OWNER)
    theirs = await scene.connected(await scene.device(globex, "Other desk"))
    elsewhere = path_of(globex, f"phone/{theirs.id}")
    link = await invited(desk)
    assert "Picnic" not in (await mallory.get(elsewhere)).text
    answer = await mallory.post(f"{elsewhere}/{act}", person=WHO, link=link)
    assert (answer.status_code, "made no such invite link" in answer.text) == (422, True)
    [group] = await scene.gateway.simulator.of(desk.device).groups(WHO)
    assert not group.invites[0].revoked


async def test_a_group_that_the_phone_is_not_in_is_not_shown(desk: Desk) -> None:
    assert "not in this group" in await desk.page(f"?with={WHO}&group=12345@g.sandbox")


async def test_a_number_that_is_none_is_refused_beside_those_there_are(desk: Desk) -> None:
    page = await desk.page("?with=nonsense")
    assert "Nobody is called" in page
    assert "Ada Abara" in page, "the list stays"
    assert 'hx-trigger="sse:look' not in page, "nothing takes the refusal away at once"


async def test_the_account_is_said_to_be_writing_while_its_message_is_on_its_way(
    scene: DashboardScene,
) -> None:
    acme, ada, device = await agent(scene)
    slow = "15550109002@sandbox"
    path = path_of(acme, f"phone/{device.id}/writing?chat={slow}")
    await scene.send(device, Text("Hello"), to=slow)
    assert "writing" not in (await ada.get(path)).text, "it is not connected yet"
    async with scene.at_work():
        await scene.until(lambda: shown(ada, path), lambda part: "Front desk is writing" in part)
        other = path_of(acme, f"phone/{device.id}/writing?chat={WHO}")
        assert "writing" not in (await ada.get(other)).text
        await scene.until(lambda: shown(ada, path), lambda part: "writing" not in part)
        chat = path_of(acme, f"phone/{device.id}?with={slow}")
        assert "Hello" in (await ada.get(chat)).text


async def test_the_code_that_a_device_shows_is_scanned(desk: Desk) -> None:
    device = await desk.scene.device(desk.acme, "Second", pair_automatically="false")
    second = replace(desk, device=device, path=path_of(desk.acme, f"phone/{device.id}"))
    await chat(second, "Scan the code")
    await second.post("scan")
    await desk.scene.connected(device)
    assert "Ada Abara" in await second.page()


async def test_somebody_who_is_not_there_is_said_to_be_not(desk: Desk) -> None:
    for who in ("15550109001", "Nobody At All", "1", "<b>"):
        answer = await desk.ada.browser.get(desk.path, params={"with": who})
        assert answer.status_code == 200
        assert 'role="alert"' in answer.text


async def test_a_logged_out_device_has_no_people(desk: Desk) -> None:
    await desk.scene.gateway.simulator.of(desk.device).act(Disconnect(log_out=True))
    await desk.scene.until_status(desk.device, AccountStatus.LOGGED_OUT)
    answer = await desk.ada.get(desk.path)
    assert answer.status_code == 200
    assert "pair it again" in answer.text


async def test_real_people_are_not_driven(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SandboxNetwork, "simulator", lambda *_: None)
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    assert (await ada.get(path)).status_code == 409
    assert (await ada.post(f"{path}/say", person=WHO, text="Hello")).status_code == 409
    assert path not in (await ada.get(path_of(acme))).text


@pytest.mark.parametrize("query", ["with=%00", "chat=%00", "chat=%00&with=Ada%20Abara"])
async def test_an_address_that_can_be_nobodys_breaks_no_page(desk: Desk, query: str) -> None:
    for page in (desk.path, f"{desk.path}/writing"):
        assert (await desk.ada.get(f"{page}?{query}")).status_code < 500
