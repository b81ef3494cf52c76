"""The virtual phone: what was sent arrives there, what is pressed and written there comes back."""

import html
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard_scene import DashboardScene, Person, open_scene, path_of
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


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def agent(scene: DashboardScene) -> tuple[Organization, Person, Account]:
    acme = await scene.organization("Acme")
    return acme, await scene.member("ada", acme, MemberRole.AGENT), await scene.device(acme)


async def chat(scene: DashboardScene, person: Person, path: str, until: str) -> str:
    """The phone's page once this is on it; `path` is the phone's."""

    async def page() -> str:
        return (await person.get(f"{path}?with={WHO}")).text

    return await scene.until(page, lambda shown: until in shown)


async def shown(person: Person, path: str) -> str:
    return (await person.get(path)).text


async def inbound(scene: DashboardScene) -> list[str]:
    rows = await scene.rows("SELECT content FROM messages WHERE direction = 'inbound' ORDER BY seq")
    return [row["content"] for row in rows]


async def test_a_message_arrives_with_buttons_and_pressing_one_answers(
    scene: DashboardScene,
) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        await scene.send(device, QUESTION)
        page = await chat(scene, ada, path, "Shall we keep your table?")
        message = MESSAGE.search(page)
        assert message
        answer = await ada.post(f"{path}/press", person=WHO, message=message[1], button="no")
        assert answer.status_code == 303
        page = (await ada.get(answer.headers["location"])).text
        assert "pressed</span> No, change it" in page
        assert page.count('class="chosen"') == 1
        assert "pressed: </span>No, change it</button>" in page
        [reply] = await scene.until(lambda: inbound(scene), bool)
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


async def test_a_person_writes(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        await ada.post(f"{path}/say", person=WHO, text="See you on Sunday")
        assert "See you on Sunday" in (await ada.get(path)).text, "the first person's phone"
        [written] = await scene.until(lambda: inbound(scene), bool)
    assert "See you on Sunday" in written


async def test_a_message_is_text_whatever_is_in_it(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    evil = "<img src=x onerror=alert(1)>"
    async with scene.at_work():
        await scene.connected(device)
        await scene.send(device, Buttons(evil, (Button('"><b>', evil[:20]),), footer=evil))
        page = await chat(scene, ada, path, html.escape(evil))
        await ada.post(f"{path}/say", person=WHO, text=evil)
        page += (await ada.get(path)).text
    assert "<img src=x" not in page
    assert '"><b>' not in page


async def test_a_phone_is_switched_off_and_messages_wait(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        await ada.post(f"{path}/offline", person=WHO)
        page = (await ada.get(path)).text
        assert "Switched off" in page
        assert 'aria-checked="false"' in page
        refused = await ada.post(f"{path}/say", person=WHO, text="Hello")
        assert refused.status_code == 422
        assert "phone is switched off" in refused.text
        await scene.send(device, Text("Are you there?"))
        await ada.post(f"{path}/online", person=WHO)
        await chat(scene, ada, path, "Are you there?")


async def test_what_a_script_asks_for_is_shown_also_when_it_is_refused(
    scene: DashboardScene,
) -> None:
    """htmx puts no answer into the page that is an error."""
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        ada.browser.headers["HX-Request"] = "true"
        answer = await ada.post(f"{path}/press", person=WHO, message="none", button="yes")
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text


async def invited(scene: DashboardScene, person: Person, path: str, **form: str) -> str:
    """The link of a new group "Picnic" of the first person."""
    await person.post(f"{path}/invite", person=WHO, subject="Picnic", **form)
    [link] = INVITE.findall((await person.get(path)).text)
    return str(link)


async def join(scene: DashboardScene, device: Account, link: str) -> None:
    principal = operator(device.tenant)
    with suppress(ApprovalRequiredError):
        await scene.gateway.groups.join(principal, device.session_name, link, None)


async def test_an_invite_link_is_made_shown_and_revoked(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        link = await invited(scene, ada, path)
        await ada.post(f"{path}/revoke", person=WHO, link=link)
        page = (await ada.get(path)).text
        assert f'readonly value="{link}" disabled' in page
        with pytest.raises(InviteRevokedError):
            await join(scene, device, link)


async def test_a_group_is_read_and_written_in(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        link = await invited(scene, ada, path)
        [group] = await scene.gateway.simulator.of(device).groups(WHO)
        chat = f"{path}?with={WHO}&group={group.remote_jid}"
        assert "Front desk is not in this group" in (await ada.get(chat)).text
        await join(scene, device, link)
        await ada.post(f"{path}/say", person=WHO, group=group.remote_jid, text="Who is coming?")
        await scene.until(lambda: inbound(scene), bool)
        await scene.send(device, QUESTION, to=group.remote_jid)
        page = await scene.until(
            lambda: shown(ada, chat), lambda page: "Shall we keep your table?" in page
        )
        assert "Who is coming?" in page
        assert '<p class="author">Front desk</p>' in page
        assert page.count('class="author"') == 1, "who writes themselves knows who they are"
        assert "Who is coming?" not in (await ada.get(path)).text.partition("<aside")[0]
        [row] = await scene.rows("SELECT chat_type FROM messages WHERE direction = 'inbound'")
    assert row["chat_type"] == "group"


async def test_a_button_is_pressed_in_a_group(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        await join(scene, device, await invited(scene, ada, path))
        [group] = await scene.gateway.simulator.of(device).groups(WHO)
        await scene.send(device, QUESTION, to=group.remote_jid)
        chat = f"{path}?with={WHO}&group={group.remote_jid}"
        page = await scene.until(lambda: shown(ada, chat), MESSAGE.search)
        [message] = MESSAGE.findall(page)
        form = {"person": WHO, "group": group.remote_jid, "message": message, "button": "yes"}
        answer = await ada.post(f"{path}/press", **form)
        assert "pressed</span> Yes" in (await ada.get(answer.headers["location"])).text


async def test_who_asks_to_join_is_let_in(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        link = await invited(scene, ada, path, approval="yes")
        assert "Let it in" not in (await ada.get(path)).text
        await join(scene, device, link)
        assert "Let it in" in (await ada.get(path)).text
        await ada.post(f"{path}/approve", person=WHO, link=link)
        assert "Front desk is in it" in (await ada.get(path)).text


@pytest.mark.parametrize("act", ["revoke", "approve"])
async def test_nobody_does_anything_about_links_of_other_phones(
    scene: DashboardScene, act: str
) -> None:
    acme, ada, device = await agent(scene)
    globex = await scene.organization("Globex")
    mallory = await scene.member("mallory", globex, MemberRole.OWNER)
    theirs = await scene.device(globex, "Other desk")
    path, elsewhere = path_of(acme, f"phone/{device.id}"), path_of(globex, f"phone/{theirs.id}")
    async with scene.at_work():
        await scene.connected(device)
        await scene.connected(theirs)
        link = await invited(scene, ada, path)
        assert "Picnic" not in (await mallory.get(elsewhere)).text
        answer = await mallory.post(f"{elsewhere}/{act}", person=WHO, link=link)
        assert (answer.status_code, "made no such invite link" in answer.text) == (422, True)
        [group] = await scene.gateway.simulator.of(device).groups(WHO)
    assert not group.invites[0].revoked


async def test_a_group_that_the_phone_is_not_in_is_not_shown(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    async with scene.at_work():
        await scene.connected(device)
        path = path_of(acme, f"phone/{device.id}?with={WHO}&group=12345@g.sandbox")
        assert "not in this group" in (await ada.get(path)).text


async def test_a_number_that_is_none_is_refused_beside_those_there_are(
    scene: DashboardScene,
) -> None:
    acme, ada, device = await agent(scene)
    async with scene.at_work():
        await scene.connected(device)
        page = await shown(ada, path_of(acme, f"phone/{device.id}?with=nonsense"))
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


async def test_the_code_that_a_device_shows_is_scanned(scene: DashboardScene) -> None:
    acme, ada, _ = await agent(scene)
    device = await scene.device(acme, "Second", pair_automatically="false")
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await chat(scene, ada, path, "Scan the code")
        await ada.post(f"{path}/scan")
        await scene.connected(device)
        assert "Ada Abara" in (await ada.get(path)).text


async def test_somebody_who_is_not_there_is_said_to_be_not(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    async with scene.at_work():
        await scene.connected(device)
        path = path_of(acme, f"phone/{device.id}")
        for who in ("15550109001", "Nobody At All", "1", "<b>"):
            answer = await ada.browser.get(path, params={"with": who})
            assert answer.status_code == 200
            assert 'role="alert"' in answer.text


async def test_a_logged_out_device_has_no_people(scene: DashboardScene) -> None:
    acme, ada, device = await agent(scene)
    async with scene.at_work():
        await scene.connected(device)
        await scene.gateway.simulator.of(device).act(Disconnect(log_out=True))
        await scene.until_status(device, AccountStatus.LOGGED_OUT)
        answer = await ada.get(path_of(acme, f"phone/{device.id}"))
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


async def test_a_phone_of_another_organization_is_refused(scene: DashboardScene) -> None:
    acme, _, device = await agent(scene)
    globex = await scene.organization("Globex")
    mallory = await scene.member("mallory", globex, MemberRole.OWNER)
    path = path_of(globex, f"phone/{device.id}")
    assert (await mallory.get(path)).status_code == 403
    assert (await mallory.post(f"{path}/say", person=WHO, text="Hi")).status_code == 403
    assert (await mallory.get(path_of(acme, f"phone/{device.id}"))).status_code == 404


@pytest.mark.parametrize("query", ["with=%00", "chat=%00", "chat=%00&with=Ada%20Abara"])
async def test_an_address_that_can_be_nobodys_breaks_no_page(
    scene: DashboardScene, query: str
) -> None:
    acme, ada, device = await agent(scene)
    path = path_of(acme, f"phone/{device.id}")
    async with scene.at_work():
        await scene.connected(device)
        for page in (path, f"{path}/writing"):
            assert (await ada.get(f"{page}?{query}")).status_code < 500
