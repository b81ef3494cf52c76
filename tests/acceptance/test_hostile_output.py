"""What strangers wrote is shown by every command, and obeyed by no terminal.

Everything in the database that people or networks name is made hostile; then each command runs on a
terminal of its own. A command that is new has to be added here, or to those that show nothing.
"""

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from acceptance.running_program import Program, running, wait_for
from heliograph.faces.cli import app
from repository import IMPORT_PATH

pytestmark = pytest.mark.extra_fault

MARK = "0wned"
EVIL = (
    f"\x1b]0;{MARK}\x07\x1b[8m\x1b[2J\x9b3m\u202eb\u2066\r\x08[red]x[/red]"
    "[link=http://e.example]y[/link]\x1b]8;;http://e\x1b\\\u200f\u2028"
)
"""Short enough for a name. It renames the window, hides, clears, turns around, and links."""
NAME = f"{MARK}[red]x[/red][link=http://e.example]y[/link]"
"""What a name may be: what a terminal obeys and what turns the direction of writing are refused by
now."""
NOBODY = f"{EVIL}?"
"""The name of nothing: what has it would be logged out, or the command would ask before it
removes it."""
OURS = re.compile(r"\x1b\[[\d;]*m|\x1b\[\?25[lh]|\x1b\[\d*[AK]|\r")
"""What Rich sends: colours; and how it draws a bar that grows. `\\r` is the terminal's own."""
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
HIDDEN = re.compile(r"\x1b\[(?:\d+;)*8m|\x1b\]8;")

SHOWS_NOTHING_OF_TENANTS = {
    "serve",
    "migrate",
    "database distribute",
    "database shrink",
    "database upgrade",
    "database status",
    "backup",
    "restore",
    "openapi",
    "doctor",
    "plans list",
    "clean-up",
    "demo code",
    "demo fill",
}


@dataclass(frozen=True)
class World:
    """A gateway full of hostile names, the ids of what they belong to, and a terminal."""

    program: Program
    terminal: "subprocess.Popen[str]"
    ids: dict[str, str]

    def show(self, *arguments: str) -> str:
        """What a terminal gets from the command."""
        assert self.terminal.stdin is not None
        assert self.terminal.stdout is not None
        self.terminal.stdin.write(json.dumps(arguments) + "\n")
        self.terminal.stdin.flush()
        return str(json.loads(self.terminal.stdout.readline()))


@contextlib.contextmanager
def open_terminal(program: Program) -> "Iterator[subprocess.Popen[str]]":
    environment = program.environment | {
        "TERM": "xterm-256color",
        "COLUMNS": "150",
        "PYTHONPATH": IMPORT_PATH,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "acceptance.terminals"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as terminal:
        try:
            yield terminal
        finally:
            terminal.kill()


POISON = (
    "UPDATE organizations SET name = $1",
    "UPDATE accounts SET name = $1, status_reason = $1",
    "UPDATE api_keys SET name = $1",
    "UPDATE webhooks SET url = $1, description = $1, disabled_reason = $1, enabled = false",
    "UPDATE deliveries SET webhook_url = $1, error_message = $1, response_code = NULL",
    "UPDATE delivery_attempts SET response_body = $1, error_message = $1, address = $1",
    "UPDATE audit_entries SET actor = $1, subject = $1, details = jsonb_build_object('name', $1)",
    "UPDATE sandbox.phones SET name = $1, chat_name = $1",
    "UPDATE sandbox.groups SET subject = $1",
)


@pytest.fixture(scope="module")
def world(reachable_dir: Path) -> Iterator[World]:
    with running(reachable_dir / "hostile") as program:
        program.receipts_at_once()
        webhook = program.cli("webhooks", "create", "--url", "http://127.0.0.1:9/")
        webhook_id = webhook.split()[1]
        program.wait_for_status(program.send(text=EVIL), "read")
        wait_for(lambda: program.rows("SELECT 1 FROM delivery_attempts"))
        program.cli("sandbox", "say", program.phone, EVIL)
        link = program.cli("sandbox", "invite", EVIL, "--owner", program.phone, "--approval")
        program.ask(
            "POST",
            "/api/v1/groups/join",
            json={"session_name": program.demo["session_name"], "invite_link": link},
        )
        key_id = program.rows("SELECT key_id FROM api_keys")[0]["key_id"]
        delivery = program.rows(
            "SELECT delivery_id FROM delivery_attempts ORDER BY delivery_id LIMIT 1"
        )[0]["delivery_id"]
        for statement in POISON:
            program.rows(statement.replace("$1", "$1::text"), EVIL)
        ids = {
            "organization": program.demo["organization_id"],
            "key": key_id,
            "session": program.demo["session_name"],
            "webhook": webhook_id,
            "delivery": str(delivery),
            "phone": program.phone,
            "link": link,
        }
        with open_terminal(program) as terminal:
            yield World(program, terminal, ids)


def _calls(ids: dict[str, str]) -> dict[str, list[str]]:
    """Arguments for each command, in an order in which none takes from another what it needs."""
    organization = ["-o", ids["organization"]]
    return {
        "organizations list": [],
        "organizations create": ["--name", NAME],
        "organizations invite": [f"{MARK}\x1b[8m@example.org", *organization],
        "organizations change": [ids["organization"], "--plan", "unlimited"],
        "organizations rename": [ids["organization"], f"{NAME}2"],
        "organizations remove": [NAME, "--yes"],
        "plans set": [EVIL, "--accounts", "3"],
        "plans delete": [EVIL],
        "audit": organization,
        "keys create": ["--name", EVIL, "--scope", EVIL, *organization],
        "keys list": organization,
        "keys rotate": [EVIL, *organization],
        "keys revoke": [ids["key"], *organization],
        "accounts create": [
            *("--network", "sandbox", "--name", NAME, "--session-name", "evil", *organization)
        ],
        "accounts list": organization,
        "accounts show": [ids["session"], *organization],
        "accounts change": [ids["session"], "--send-rate", "none", *organization],
        "accounts pair": [ids["session"], *organization],
        "accounts reconnect": [EVIL, *organization],
        "accounts log-out": [NOBODY, *organization],
        "accounts remove": [NOBODY, *organization],
        "webhooks create": ["--url", f"http://{EVIL}/", *organization],
        "webhooks list": organization,
        "webhooks update": [ids["webhook"], "--event", EVIL, *organization],
        "webhooks ping": [ids["webhook"], *organization],
        "webhooks rotate": [EVIL, *organization],
        "webhooks disable": [ids["webhook"], *organization],
        "webhooks deliveries": organization,
        "webhooks attempts": [ids["delivery"], *organization],
        "webhooks redeliver": [EVIL, *organization],
        "webhooks enable": [EVIL, *organization],
        "webhooks delete": [EVIL, *organization],
        "sandbox people": [],
        "sandbox receive": [ids["phone"]],
        "sandbox press": [ids["phone"], EVIL],
        "sandbox say": [ids["phone"], EVIL],
        "sandbox choose": [ids["phone"], EVIL],
        "sandbox reply": [ids["phone"], EVIL],
        "sandbox vote": [ids["phone"], EVIL],
        "sandbox file": [ids["phone"], EVIL],
        "sandbox react": [ids["phone"], EVIL],
        "sandbox edit": [ids["phone"], EVIL],
        "sandbox delete": [ids["phone"], "--message", EVIL],
        "sandbox save": [EVIL, "/dev/null"],
        "sandbox restrict": ["--account", EVIL],
        "sandbox location": [ids["phone"], "1", "2", "--name", EVIL],
        "sandbox card": [ids["phone"], EVIL],
        "sandbox online": [EVIL],
        "sandbox offline": [EVIL],
        "sandbox picture": [EVIL],
        "sandbox invite": [EVIL, "--owner", EVIL],
        "sandbox approve": [ids["link"]],
        "sandbox revoke": [EVIL],
        "sandbox scan": [EVIL],
        "sandbox silence": ["--account", EVIL],
        "sandbox disconnect": ["--account", EVIL],
    }


SHOWS_NAMES = {
    *("organizations list", "organizations create", "organizations change", "audit"),
    *("organizations rename", "organizations remove"),
    *("keys list", "keys revoke"),
    *("accounts create", "accounts list", "accounts show", "accounts change"),
    *("webhooks list", "webhooks update", "webhooks deliveries", "webhooks attempts"),
    *("sandbox people", "sandbox receive", "sandbox press", "sandbox say", "sandbox picture"),
}
"""Of the others it is enough that nothing is obeyed."""


def list_commands(group: object = None, path: str = "") -> Iterator[str]:
    found = typer.main.get_command(app) if group is None else group
    if not isinstance(found, TyperGroup):
        yield path
        return
    for name, command in found.commands.items():
        if not command.hidden:
            yield from list_commands(command, f"{path} {name}".strip())


def check(command: str, shown: str) -> None:
    assert not HIDDEN.search(shown), f"{command}: {shown!r}"
    assert not OBEYED.search(OURS.sub("", shown)), f"{command}: {shown!r}"


NAMES = ("organization", "key", "session", "webhook", "delivery", "phone", "link")
COMMANDS = list(_calls(dict.fromkeys(NAMES, "")))


def test_no_command_is_forgotten() -> None:
    assert set(list_commands()) == {*COMMANDS, "listen", *SHOWS_NOTHING_OF_TENANTS}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_strangers_words_as_text(world: World, command: str) -> None:
    shown = world.show(*command.split(), *_calls(world.ids)[command])
    check(command, shown)
    assert MARK in shown or command not in SHOWS_NAMES, repr(shown)


def test_json_is_shown_with_escapes_and_loses_nothing(world: World) -> None:
    shown = world.show("accounts", "list", "--json", "-o", world.ids["organization"])
    check("accounts list --json", shown)
    assert r"\u001b]0;" in shown
    assert r"\u009b3m" in shown
    assert r"\u2028" in shown
