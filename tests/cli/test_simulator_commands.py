"""The commands that drive virtual phones, beside a gateway that runs in another process."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import typer
from msgspec.structs import replace
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from each_case import for_each
from heliograph.app import bootstrap
from heliograph.app.bootstrap import open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import SimulatorService
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.errors import InvalidInputError, NotFoundError, NotSupportedByNetworkError
from heliograph.faces.cli.simulator import register
from heliograph.networks import port
from heliograph.networks.content import (
    Audio,
    ButtonReply,
    ContactCard,
    Document,
    Image,
    ListMessage,
    ListReply,
    Location,
    Poll,
    PollVote,
    Row,
    Section,
    Text,
)
from heliograph.networks.errors import ApprovalRequiredError
from heliograph.networks.port import (
    AccountStatus,
    Capabilities,
    Changed,
    Groups,
    GroupSeen,
    Inbound,
    Network,
)
from heliograph.networks.registry import NetworkRegistry
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.networks.testing import QUESTION, Connected, MemoryFile
from heliograph.networks.testing.contents import PNG
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import DataSettings, Settings
from sandbox_world import AT_ONCE, Sandbox

pytest_plugins = ("sandbox_fixtures",)

ADA = "15550100001"


class OneNetwork(NetworkRegistry):
    """A registry of one network that has been made already."""

    def __init__(self, network: Network) -> None:
        super().__init__({})
        self._loaded[network.name] = network


class RealPeople(SandboxNetwork):
    """A network whose other side nobody can drive."""

    capabilities = Capabilities(content=frozenset({"text"}))

    def simulator(self, account_id: UUID) -> None:  # type: ignore[override]  # the port allows None
        return None


@dataclass
class Terminal:
    """Runs `heliograph sandbox …` as a program beside the gateway would: with its own pool."""

    settings: Settings

    async def run(self, *arguments: str) -> Result:
        app = typer.Typer()
        register(app, [SandboxNetwork()], self.open_services)
        return await asyncio.to_thread(CliRunner().invoke, app, ["sandbox", *arguments])

    async def ok(self, *arguments: str) -> str:
        result = await self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    @asynccontextmanager
    async def open_services(self) -> AsyncIterator[Services]:
        async with open_gateway(self.settings) as services:
            yield services


@dataclass
class Desk:
    """An account of the gateway, and its session on the sandbox."""

    settings: Settings
    account: Account
    sandbox: Sandbox

    async def begin(self, **settings: str) -> Connected:
        account = port.Account(self.account.id, self.account.name, AT_ONCE | settings, {})
        return await self.sandbox.begin(account)

    async def connected(self) -> Connected:
        at = await self.begin()
        state = await at.events.status(AccountStatus.CONNECTED)
        at.account = replace(at.account, remote_jid=state.remote_jid, secrets=state.secrets or {})
        await self.write(status="connected", remote_jid=state.remote_jid)
        return at

    async def write(self, **columns: object) -> None:
        """Write the account's row, as nodes do from what the session reports."""
        for name, value in columns.items():
            await self.sandbox.here.database.pool.execute(
                f"UPDATE accounts SET {name} = $1 "  # noqa: S608 - a name from this file
                "WHERE shard = $2 AND organization_id = $3 AND id = $4",
                value,
                *self.account.tenant,
                self.account.id,
            )


@pytest.fixture
async def desk(sandbox: Sandbox, tmp_path: Path) -> Desk:
    settings = Settings(data=DataSettings(dir=tmp_path)).with_database(
        sandbox.url, [SecretStr(generate_secret_key())]
    )
    async with open_gateway(settings) as services:
        organization = await services.organizations.create("Acme", plan="unlimited")
        account = await services.accounts.create(
            operator(organization.tenant), "sandbox", "Front desk", "front-desk", {}
        )
    return Desk(settings, account, sandbox)


@pytest.fixture
async def one(desk: Desk) -> Connected:
    return await desk.connected()


@pytest.fixture
def terminal(desk: Desk, one: Connected) -> Terminal:
    return Terminal(desk.settings)


async def test_a_phone_sends_a_place_a_card_and_a_row_that_it_chose(
    terminal: Terminal, one: Connected
) -> None:
    names = ("--name", "Harbour", "--address", "Quay 1")
    screen = await terminal.ok("location", ADA, "-33.9", "-18.425", *names)
    assert "Harbour, Quay 1" in screen
    assert (await one.events.next(Inbound)).content == Location(-33.9, -18.425, "Harbour", "Quay 1")

    await terminal.ok("card", ADA, "Berg; Bruno", "--number", "+15550100002")
    card = (await one.events.next(Inbound)).content
    assert isinstance(card, ContactCard)
    assert card.name == "Berg; Bruno"
    assert "\r\nFN:Berg\\; Bruno\r\n" in card.vcard
    assert "\r\nTEL;TYPE=CELL;waid=15550100002:+15550100002\r\n" in card.vcard

    await terminal.ok("choose", ADA, "r7", "--title", "Tuesday", "--description", "from nine")
    chosen = (await one.events.next(Inbound)).content
    assert chosen == ListReply("r7", "Tuesday", "from nine")


async def test_a_place_that_is_not_on_the_globe_is_refused(terminal: Terminal) -> None:
    result = await terminal.run("location", ADA, "90.5", "0")
    assert result.exit_code == 2


async def test_a_card_is_sent_as_it_is_in_a_file(
    terminal: Terminal, one: Connected, tmp_path: Path
) -> None:
    vcard = "BEGIN:VCARD\nVERSION:4.0\nFN:Zoë\nEND:VCARD\n"
    (tmp_path / "zoe.vcf").write_text(vcard, encoding="utf-8")
    await terminal.ok("card", ADA, "Zoë", "--vcard", str(tmp_path / "zoe.vcf"))
    assert (await one.events.next(Inbound)).content == ContactCard("Zoë", vcard)


async def test_a_message_is_received_and_its_button_pressed(
    terminal: Terminal, one: Connected
) -> None:
    message, _ = await one.send(ADA, QUESTION)

    screen = await terminal.ok("receive", ADA)
    pressed = json.loads(await terminal.ok("press", ADA, "Yes, gladly", "--json"))

    for text in ("Shall we meet?", "Yes, gladly", "No, sorry", "Answer by noon", "Front desk"):
        assert text in screen
    assert pressed["content"] == {"type": "button_reply", "id": "yes", "title": "Yes, gladly"}
    inbound = await one.events.next(Inbound)
    assert inbound.content == ButtonReply("yes", "Yes, gladly")
    assert inbound.reply_to_chat_message_id == message.chat_message_id


async def test_the_chat_is_printed_as_json_too(terminal: Terminal, one: Connected) -> None:
    await one.send(ADA, "plain words")

    (bubble,) = json.loads(await terminal.ok("receive", ADA, "--json"))

    assert bubble["content"] == {"type": "text", "body": "plain words"}
    assert bubble["status"] == "read"
    assert not bubble["mine"]


async def shown(terminal: Terminal) -> list[dict[str, Any]]:
    """What Ada's phone shows."""
    bubbles: list[dict[str, Any]] = json.loads(await terminal.ok("receive", ADA, "--json"))
    return bubbles


async def test_a_file_is_sent_and_one_that_came_is_saved(
    terminal: Terminal, one: Connected, tmp_path: Path
) -> None:
    picture, sound, copy = (tmp_path / name for name in ("dot.png", "voice.ogg", "copy.png"))
    picture.write_bytes(PNG)
    sound.write_bytes(b"OggS")
    assert "image/png" in await terminal.ok("file", ADA, str(picture), "--caption", "A dot")
    inbound = await one.events.next(Inbound)
    assert inbound.content == Image("image/png", "A dot", size=len(PNG))
    assert inbound.file == PNG
    await terminal.ok("file", ADA, str(sound), "--as", "voice", "--type", "audio/ogg")
    assert (await one.events.next(Inbound)).content == Audio("audio/ogg", size=4, voice=True)

    document = Document("application/pdf", file_name="a.pdf")
    message, _ = await one.send(ADA, document, file=MemoryFile(PNG))
    await terminal.ok("save", message.chat_message_id, str(copy))
    assert copy.read_bytes() == PNG
    missing = await terminal.run("save", "SBX0", str(copy))
    assert (missing.exit_code, "has no file" in missing.output) == (1, True)


async def test_lists_polls_and_answers_are_seen_and_given(
    terminal: Terminal, one: Connected
) -> None:
    days = (Section((Row("tue", "Tuesday", "from nine"), Row("wed", "Wednesday"))),)
    await one.send(ADA, ListMessage("When?", "Choose a day", days))
    assert "Tuesday" in await terminal.ok("receive", ADA)
    await terminal.ok("choose", ADA, "tuesday")
    chosen = await one.events.next(Inbound)
    assert chosen.content == ListReply("tue", "Tuesday", "from nine")

    await one.send(ADA, Poll("Lunch?", ("Soup", "Bread", "Cake"), 2))
    assert "at most 2" in (await terminal.run("vote", ADA, "Soup", "Bread", "Cake")).output
    await terminal.ok("vote", ADA, "soup", "Cake")
    assert (await one.events.next(Inbound)).content == PollVote(("Soup", "Cake"))
    assert "☑ Soup  1" in await terminal.ok("receive", ADA)
    await terminal.ok("vote", ADA)
    assert (await one.events.next(Inbound)).content == PollVote(())

    await terminal.ok("reply", ADA, "At noon")
    answer = await one.events.next(Inbound, content=Text("At noon"))
    newest = [each for each in await shown(terminal) if not each["mine"]][-1]
    assert answer.reply_to_chat_message_id == newest["chat_message_id"]
    assert "> Front desk: Lunch?" in await terminal.ok("receive", ADA)


async def test_messages_are_reacted_to_edited_and_deleted(
    terminal: Terminal, one: Connected
) -> None:
    await one.send(ADA, "We have won!")
    assert "Reacted" in await terminal.ok("react", ADA, "🎉")
    assert (await one.events.next(Changed)).emoji == "🎉"
    assert "🎉 1" in await terminal.ok("receive", ADA)
    await terminal.ok("react", ADA)
    assert (await one.events.next(Changed, kind="reaction")).emoji == ""

    await terminal.ok("say", ADA, "At six")
    await terminal.ok("edit", ADA, "At seven")
    assert (await one.events.next(Changed, kind="edited")).content == Text("At seven")
    await terminal.ok("delete", ADA)
    await one.events.next(Changed, kind="deleted")
    screen = await terminal.ok("receive", ADA)
    assert "This message was deleted" in screen
    assert "At seven" not in screen
    refused = await terminal.run("edit", ADA, "At eight")
    assert (refused.exit_code, "no message of its own" in refused.output) == (1, True)


async def test_a_person_says_something(terminal: Terminal, one: Connected) -> None:
    assert "[not markup] hello" in await terminal.ok("say", "Ada", "[not markup] hello")

    await one.events.next(Inbound, content=Text("[not markup] hello"))


async def test_people_are_listed_with_what_is_special_about_them(terminal: Terminal) -> None:
    listed = await terminal.ok("people")

    assert "Ada Abara" in listed
    assert "+15550109001" in listed
    assert len(json.loads(await terminal.ok("people", "--json"))) == 12 + 16


async def test_a_phone_is_switched_off_and_on(terminal: Terminal, one: Connected) -> None:
    await terminal.ok("offline", ADA)
    refused = await terminal.run("say", ADA, "hm")
    assert refused.exit_code == 1
    assert "switched off" in refused.output
    message, _ = await one.send(ADA, "later, then")

    await terminal.ok("online", ADA)

    await one.events.receipt(message.chat_message_id, "read")


async def test_a_connection_is_cut_or_logged_out(terminal: Terminal, one: Connected) -> None:
    await terminal.ok("disconnect", "--for", "0.1")
    await one.events.status(AccountStatus.DISCONNECTED)
    await one.events.status(AccountStatus.CONNECTED)

    await terminal.ok("disconnect", "--log-out")
    await one.events.status(AccountStatus.LOGGED_OUT)


async def test_a_connection_falls_silent(terminal: Terminal, one: Connected) -> None:
    await terminal.ok("silence")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(one.session.ping(), 0.5)

    await terminal.ok("disconnect")

    await one.events.status(AccountStatus.CONNECTED)
    await one.session.ping()


async def test_groups_are_made_closed_and_opened(terminal: Terminal, one: Connected) -> None:
    assert isinstance(one.session, Groups)
    link = (await terminal.ok("invite", "Board", "--owner", ADA, "--approval")).strip()
    with pytest.raises(ApprovalRequiredError):
        await one.session.join_group(link)

    assert "Board" in await terminal.ok("approve", link)
    await terminal.ok("revoke", link)

    seen = await one.events.next(GroupSeen)
    await terminal.ok("say", ADA, "welcome", "--group", seen.remote_jid)
    await one.events.next(Inbound, chat_jid=seen.remote_jid)


async def test_delays_and_pictures_are_set(terminal: Terminal, one: Connected) -> None:
    await terminal.ok("delays", "--delivered", "0.05", "--read", "0")
    message, sent = await one.send(ADA, "soon")
    delivered = await one.events.receipt(message.chat_message_id, "delivered")

    assert (delivered.at - sent.sent_at).total_seconds() == pytest.approx(0.05)
    assert "new picture" in await terminal.ok("picture", ADA)


async def test_the_code_that_the_account_shows_is_scanned(desk: Desk) -> None:
    at = await desk.begin(pair_automatically="false", phone_number="15550200007")
    shown = await at.events.status(AccountStatus.PAIRING)
    assert shown.pairing is not None
    await desk.write(pairing=json.dumps({"kind": "code", "payload": shown.pairing.payload}))

    await Terminal(desk.settings).ok("scan")

    await at.events.status(AccountStatus.CONNECTED)


async def test_a_command_waits_for_an_account_that_the_gateway_is_about_to_connect(
    desk: Desk,
) -> None:
    listing = asyncio.create_task(Terminal(desk.settings).ok("people"))
    await asyncio.sleep(0.5)
    assert not listing.done()
    await desk.connected()
    assert "Ada Abara" in await listing


async def test_an_account_that_is_connected_need_not_be_scanned(terminal: Terminal) -> None:
    assert "Paired and connected." in await terminal.ok("scan", "--account", "Front desk")

    result = await terminal.run("scan", "another code", "--account", "Front desk")

    assert (result.exit_code, "this code" in result.output) == (1, True)


@for_each("command", ["disconnect", "restrict"])
@for_each("length", ["inf", "1e300", "2592001"])
async def test_nothing_lasts_longer_than_a_month(
    terminal: Terminal, command: str, length: str
) -> None:
    result = await terminal.run(command, "--for", length)

    assert (result.exit_code, "at most 2592000" in result.output) == (2, True)


async def test_an_organizations_account_is_not_mistaken_for_one_that_is_called_like_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = desk.account.tenant.organization_id
    monkeypatch.setattr(bootstrap, "find_demo_organization", lambda _: demo)
    async with open_gateway(desk.settings) as services:
        other = await services.organizations.create("Globex", plan="unlimited")
        for tenant, session_name in (
            (desk.account.tenant, "Globex/desk"),
            (other.tenant, "desk"),
        ):
            await services.accounts.create(operator(tenant), "sandbox", "A", session_name, {})

        with pytest.raises(InvalidInputError, match="Several accounts match"):
            await services.accounts.find_for_cli("Globex/desk")


async def test_the_organization_of_an_account_can_be_named(desk: Desk) -> None:
    async with open_gateway(desk.settings) as services:
        other = await services.organizations.create("Globex", plan="unlimited")
        made = await services.accounts.create(
            operator(other.tenant), "sandbox", "A", "front-desk", {}
        )
        find = services.accounts.find_for_cli
        assert (await find("front-desk", other)).id == made.id
        assert (await find(None, other)).id == made.id
        with pytest.raises(NotFoundError, match="There is no account 'desk' in 'Globex'"):
            await find("desk", other)


async def test_a_command_looks_in_the_organization_that_is_named(terminal: Terminal) -> None:
    assert (await terminal.run("people", "-o", "Acme")).exit_code == 0
    nobodys = await terminal.run("people", "-o", "Nobody")
    assert isinstance(nobodys.exception, NotFoundError)


async def test_an_account_of_another_network_is_refused(terminal: Terminal, desk: Desk) -> None:
    await desk.write(network="pigeons")

    result = await terminal.run("people")

    assert result.exit_code == 1
    assert "is on pigeons, not on sandbox" in result.output


async def test_networks_without_a_simulator_have_no_commands(desk: Desk) -> None:
    app = typer.Typer()
    register(app, [RealPeople()], lambda: pytest.fail("not opened"))

    assert app.registered_groups == []
    with pytest.raises(NotSupportedByNetworkError):
        SimulatorService(OneNetwork(RealPeople())).of(desk.account)
