"""The commands that drive virtual phones, beside a gateway that runs in another process."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from databases import PATIENT
from each_case import for_each
from heliograph.app import bootstrap
from heliograph.app.bootstrap import open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.tenants.model import operator
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.cli import waiting
from heliograph.faces.cli.simulator import register
from heliograph.networks import phone_actions as actions
from heliograph.networks import port
from heliograph.networks.action_fields import list_actions, name_of
from heliograph.networks.content import (
    ButtonReply,
    Document,
    ListMessage,
    Poll,
    Row,
    Section,
    Text,
)
from heliograph.networks.port import AccountStatus, Capabilities, Inbound
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.networks.sandbox.simulator import SandboxSimulator
from heliograph.networks.testing import QUESTION, Connected, MemoryFile
from heliograph.networks.testing.contents import PNG
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import DataSettings, Settings
from sandbox_world import Sandbox

pytest_plugins = ("sandbox_fixtures",)

ADA = "15550100001"
FILE = actions.GivenFile("dot.png", PNG)


class RealPeople(SandboxNetwork):
    """A network whose other side nobody can drive."""

    capabilities = Capabilities(content=frozenset({"text"}))


@dataclass
class Terminal:
    """Runs `heliograph sandbox …` as a program beside the gateway would: with its own pool."""

    settings: Settings

    async def run(self, *arguments: str) -> Result:
        app = typer.Typer()
        register(app, [SandboxNetwork()], lambda: open_gateway(self.settings))
        return await asyncio.to_thread(CliRunner().invoke, app, ["sandbox", *arguments])

    async def ok(self, *arguments: str) -> str:
        result = await self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout


@dataclass
class Desk:
    """An account of the gateway, and its session on the sandbox."""

    settings: Settings
    account: Account
    sandbox: Sandbox


@pytest.fixture
async def desk(sandbox: Sandbox, tmp_path: Path) -> Desk:
    settings = Settings(data=DataSettings(dir=tmp_path), database=PATIENT).with_database(
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
    return await desk.sandbox.connected_for(desk.account)


@pytest.fixture
def terminal(desk: Desk, one: Connected) -> Terminal:
    return Terminal(desk.settings)


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


async def test_the_file_of_a_message_is_saved(
    terminal: Terminal, one: Connected, tmp_path: Path
) -> None:
    document = Document("application/pdf", file_name="a.pdf")
    message, _ = await one.send(ADA, document, file=MemoryFile(PNG))
    assert f"a.pdf (application/pdf, {len(PNG)} bytes)" in await terminal.ok("receive", ADA)
    await terminal.ok("save", message.chat_message_id, str(tmp_path / "copy.pdf"))
    assert (tmp_path / "copy.pdf").read_bytes() == PNG


async def test_what_became_of_messages_is_printed(
    terminal: Terminal, one: Connected, desk: Desk
) -> None:
    phone = desk.sandbox.simulator(one)
    days = (Section((Row("tue", "Tuesday", "from nine"), Row("wed", "Wednesday"))),)
    await one.send(ADA, ListMessage("When?", "Choose a day", days))
    await one.send(ADA, Poll("Lunch?", ("Soup", "Bread", "Cake"), 2))
    await phone.act(actions.Vote(ADA, ("Soup",)))
    await phone.act(actions.Reply(ADA, "At noon"))
    await phone.act(actions.React(ADA, "🎉"))
    screen = await terminal.ok("receive", ADA)
    for part in ("Tuesday", "☑ Soup  1", "> Front desk: Lunch?", "At noon", "🎉 1"):
        assert part in screen
    await phone.act(actions.Delete(ADA))
    screen = await terminal.ok("receive", ADA)
    assert "This message was deleted" in screen
    assert "At noon" not in screen


async def test_a_person_says_something(terminal: Terminal, one: Connected) -> None:
    assert "[not markup] hello" in await terminal.ok("say", "Ada", "[not markup] hello")

    await one.events.next(Inbound, content=Text("[not markup] hello"))


async def test_people_are_listed_with_what_is_special_about_them(terminal: Terminal) -> None:
    listed = await terminal.ok("people")

    assert "Ada Abara" in listed
    assert "+15550109001" in listed
    assert len(json.loads(await terminal.ok("people", "--json"))) == 12 + 16


async def test_the_code_that_the_account_shows_is_scanned(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"pair_automatically": "false", "phone_number": "15550200007"}
    at = await desk.sandbox.begin(port.Account(desk.account.id, "Front desk", form, {}))
    shown = await at.events.status(AccountStatus.PAIRING)
    assert shown.pairing is not None
    code = {"kind": "code", "payload": shown.pairing.payload}
    await desk.sandbox.write(desk.account, pairing=json.dumps(code))

    monkeypatch.setattr(waiting, "WAIT_TIMEOUT", 0.0)  # nobody writes that it is connected
    assert await Terminal(desk.settings).ok("scan") == "Paired.\n"

    await at.events.status(AccountStatus.CONNECTED)


async def test_a_command_waits_for_an_account_that_the_gateway_is_about_to_connect(
    desk: Desk,
) -> None:
    listing = asyncio.create_task(Terminal(desk.settings).ok("people"))
    await asyncio.sleep(0.5)
    assert not listing.done()
    await desk.sandbox.connected_for(desk.account)
    assert "Ada Abara" in await listing


async def test_an_account_that_is_connected_need_not_be_scanned(terminal: Terminal) -> None:
    assert "Paired and connected." in await terminal.ok("scan", "--account", "Front desk")

    result = await terminal.run("scan", "another code", "--account", "Front desk")

    assert (result.exit_code, "this code" in result.output) == (1, True)


COMMANDS: Sequence[tuple[str, actions.Action]] = (
    ("say Ada hm --group 1@g.sandbox", actions.Say("Ada", "hm", group="1@g.sandbox")),
    ("reply Ada hm --message SBX0", actions.Reply("Ada", "hm", message="SBX0")),
    ("press Ada yes", actions.Press("Ada", "yes")),
    ("choose Ada r7 --title Tue --description Nine", actions.Choose("Ada", "r7", "Tue", "Nine")),
    ("vote Ada Soup Cake", actions.Vote("Ada", ("Soup", "Cake"))),
    ("vote Ada", actions.Vote("Ada")),
    ("file Ada FILE --caption A", actions.SendFile("Ada", FILE, "A")),
    ("file Ada FILE --as voice --type a/b", actions.SendFile("Ada", FILE, "", "voice", "a/b")),
    ("location Ada -33.9 -18 --name A", actions.SendLocation("Ada", -33.9, -18.0, "A")),
    ("card Ada Zoë --number +15550100002", actions.SendCard("Ada", "Zoë", "+15550100002")),
    ("card Ada Zoë --vcard FILE", actions.SendCard("Ada", "Zoë", vcard=FILE)),
    ("react Ada 🎉", actions.React("Ada", "🎉")),
    ("react Ada", actions.React("Ada")),
    ("edit Ada hm", actions.Edit("Ada", "hm")),
    ("delete Ada", actions.Delete("Ada")),
    ("online Ada", actions.Online("Ada")),
    ("offline Ada", actions.Offline("Ada")),
    ("picture Ada", actions.Picture("Ada")),
    ("invite Board --owner Ada --approval", actions.Invite("Board", "Ada", approval=True)),
    ("revoke LINK", actions.Revoke("LINK")),
    ("approve LINK", actions.Approve("LINK")),
    ("disconnect --for 0.1", actions.Disconnect(seconds=0.1)),
    ("disconnect --log-out", actions.Disconnect(log_out=True)),
    ("silence", actions.Silence()),
    ("restrict", actions.Restrict()),
)


def test_every_action_has_its_command_looked_at() -> None:
    looked_at = {name_of(type(action)) for _, action in COMMANDS}
    assert looked_at | {"scan"} == list_actions(actions.PhoneAction, actions.NetworkAction).keys()


@for_each(("words", "action"), COMMANDS)
async def test_a_command_is_its_action(
    terminal: Terminal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    action: actions.Action,
) -> None:
    async def act(_: SandboxSimulator, given: actions.Action) -> str:
        return f"Done: {given!r}."

    monkeypatch.setattr(SandboxSimulator, "act", act)
    (tmp_path / FILE.name).write_bytes(FILE.data)
    typed = [str(tmp_path / FILE.name) if word == "FILE" else word for word in words.split()]
    assert await terminal.ok(*typed) == f"Done: {action!r}.\n"
    assert json.loads(await terminal.ok(*typed, "--json")) == {"done": f"Done: {action!r}."}


@for_each(
    ("words", "code", "sentence"),
    [
        ("edit Ada hm", 1, "no message of its own"),
        ("save SBX0 copy.png", 1, "has no file"),
        ("location Ada 90.5 0", 2, "at most 90"),
        *((f"disconnect --for {far}", 2, "at most 2592000") for far in ("inf", "1e300", "2592001")),
        ("restrict --for inf", 2, "at most 2592000"),
    ],
)
async def test_what_is_refused_ends_with_a_sentence(
    terminal: Terminal, words: str, code: int, sentence: str
) -> None:
    result = await terminal.run(*words.split())
    assert (result.exit_code, sentence in result.output) == (code, True)


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
    await desk.sandbox.write(desk.account, network="pigeons")

    result = await terminal.run("people")

    assert result.exit_code == 1
    assert "is on pigeons, not on sandbox" in result.output


def test_networks_without_a_simulator_have_no_commands() -> None:
    app = typer.Typer()
    register(app, [RealPeople()], lambda: pytest.fail("not opened"))

    assert app.registered_groups == []
