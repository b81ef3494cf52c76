"""The commands that make organizations, keys and accounts, on a real database."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from citus import fetch
from core_scene import changes_of
from databases import CONNECT_TIMEOUT, PATIENTLY, run
from each_case import for_each
from heliograph.core.keys.service import KeyService
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.plans import NO_LIMITS
from heliograph.errors import (
    ConfigurationError,
    HeliographError,
    InvalidInputError,
    NotFoundError,
)
from heliograph.faces.cli import app, waiting
from heliograph.faces.cli.output import describe
from heliograph.networks.whatsapp import library
from heliograph.platform.crypto import (
    SecretBox,
    generate_secret_key,
    parse_api_key,
    parse_secret_keys,
)
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

XMPP = ("--network", "xmpp", "--name", "Desk", "--session-name", "desk", "--set", "jid=a@b.example")
NOBODY_TO_ASK = r"There is no terminal to ask on; add --yes to remove it\."


class Terminal:
    """Runs commands in this process, with the environment of an installation."""

    def __init__(self, database_url: str, environment: dict[str, str]) -> None:
        self.database_url = database_url
        self.environment = environment

    def run(self, *arguments: str, typed: str | None = None) -> str:
        """Standard output. Raises what the command raises."""
        result = CliRunner().invoke(app, arguments, input=typed, env=self.environment)
        if isinstance(result.exception, HeliographError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def key(self, *more: str) -> Any:
        """A new one, which may do everything."""
        return self.json("keys", "create", "--name", "backend", "--scope", "*", *more)

    def execute(self, statement: str) -> None:
        run(fetch(self.database_url, statement))

    def fails(self, *arguments: str) -> str:
        """What a command with bad arguments says."""
        result = CliRunner().invoke(app, arguments, env=self.environment)
        assert result.exit_code == 2
        return result.stderr

    def secrets(self) -> list[dict[str, str]]:
        """What is stored of the accounts' secrets, decrypted."""
        box = SecretBox(parse_secret_keys([self.environment["HELIOGRAPH_SECRET_KEYS"]]))
        rows = run(fetch(self.database_url, "SELECT * FROM accounts ORDER BY created_at"))
        return [
            json.loads(
                box.decrypt(row["secrets"], "accounts.secrets", row["organization_id"], row["id"])
            )
            for row in rows
        ]

    def open_with(self, api_key: str) -> Principal:
        async def work() -> Principal:
            database = await Database.open(self.database_url, connect_timeout=CONNECT_TIMEOUT)
            try:
                notifications = Notifications(self.database_url)
                keys = KeyService(database, notifications, changes_of(database, notifications))
                return await keys.authenticate(f"Bearer {api_key}")
            finally:
                await database.close()

        return run(work())


@pytest.fixture
def empty(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """Of an installation that has nothing yet."""
    environment = {
        "HELIOGRAPH_DATABASE_URL": database_url,
        "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
        "HELIOGRAPH_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "COLUMNS": "200",
        **PATIENTLY,
    }
    return Terminal(database_url, environment)


@pytest.fixture
def acme(empty: Terminal) -> str:
    return str(empty.json("organizations", "create", "--name", "Acme")["id"])


@pytest.fixture
def terminal(empty: Terminal, acme: str) -> Terminal:
    """Of an installation with one organization, Acme."""
    return empty


def connect(terminal: Terminal, session_name: str, name: str = "Desk", *more: str) -> str:
    phone = ("--network", "sandbox", "--name", name, "--session-name", session_name)
    return str(terminal.json("accounts", "create", *phone, *more)["id"])


REFUSED = [
    (
        "keys create --name x --scope messages:delete",
        "--scope: There is no scope 'messages:delete'",
    ),
    ("keys create --name x", "--scope: Say what the key may do"),
    ("keys revoke nobody", "no API key with this id"),
    ("keys list --organization Nobody", "There is no organization 'Nobody'"),
    (
        "accounts create --network pigeons --name x --session-name x",
        "There is no network 'pigeons'",
    ),
    (" ".join(("accounts", "create", *XMPP[:-2])), "--set jid=: 'jid' is required."),
    (" ".join(("accounts", "create", *XMPP)), "--set password=: 'password' is required."),
    (" ".join(("accounts", "create", *XMPP, "--set", "colour=red")), "no setting 'colour'"),
    *[
        (f"accounts {command} nobody", "There is no account 'nobody': see")
        for command in ("show", "change", "pair", "reconnect", "log-out", "remove")
    ],
    ("plans set team --accounts many", "'many' is neither a number nor 'none'"),
    ("organizations create --name Globex --plan gold", "There is no plan 'gold'; there are"),
    ("organizations create --name Globex --owner-email nobody", "is not an e-mail address"),
]


@pytest.fixture
def unchanged(terminal: Terminal) -> Iterator[None]:
    """Look that what there is stays as it is."""

    def list_all() -> list[Any]:
        kinds = ("keys", "accounts", "plans", "organizations")
        return [terminal.json(kind, "list") for kind in kinds]

    before = list_all()
    yield
    assert list_all() == before


@pytest.mark.usefixtures("unchanged")
@for_each("command, sentence", REFUSED)
def test_a_mistake_is_explained_by_the_option_to_change_and_changes_nothing(
    terminal: Terminal, command: str, sentence: str
) -> None:
    with pytest.raises((InvalidInputError, NotFoundError)) as refused:
        terminal.run(*command.split())
    assert sentence in describe(refused.value)


@for_each(
    "command, sentence",
    [
        ("keys create --name x --scope * --expires-in x", "is not a duration"),
        (" ".join(("accounts", "create", *XMPP, "--set", "colour")), "KEY=VALUE"),
    ],
)
def test_what_a_command_cannot_read_is_explained(
    terminal: Terminal, command: str, sentence: str
) -> None:
    assert sentence in terminal.fails(*command.split())


def test_a_command_brings_no_secret_key_that_the_gateway_does_not_have(terminal: Terminal) -> None:
    old = terminal.environment["HELIOGRAPH_SECRET_KEYS"]
    terminal.environment["HELIOGRAPH_SECRET_KEYS"] = f"{generate_secret_key()},{old}"
    with pytest.raises(ConfigurationError, match="does not have the newest secret key"):
        terminal.run("accounts", "list")
    terminal.environment["HELIOGRAPH_SECRET_KEYS"] = old
    terminal.run("accounts", "list")


def test_a_key_that_was_made_opens(terminal: Terminal, acme: str) -> None:
    made = terminal.json(
        "keys", "create", "--name", "backend", "--scope", "messages:write", "--expires-in", "30d"
    )
    principal = terminal.open_with(made["api_key"])
    assert str(principal.organization_id) == acme
    assert principal.scopes == {"messages:read", "messages:write"}
    expires_at = datetime.fromisoformat(made["expires_at"])
    assert abs(expires_at - datetime.now(UTC) - timedelta(days=30)) < timedelta(minutes=1)


def test_a_key_is_shown_once_and_never_expires(terminal: Terminal, acme: str) -> None:
    shown = terminal.run(
        "keys", "create", "--name", "backend", "--scope", "*", "--organization", acme
    )
    key = next(word for word in shown.split() if word.startswith("hg_"))
    assert "not shown again" in shown
    assert re.search(r"expires +never", shown)
    assert parse_api_key(key).secret not in terminal.run("keys", "list")
    assert re.search("everything.+never", terminal.run("keys", "list"))


def test_rotation_keeps_the_old_secret_for_the_grace(terminal: Terminal) -> None:
    old = terminal.key()
    new = terminal.json("keys", "rotate", old["key_id"], "--grace", "1h")
    assert new["api_key"] != old["api_key"]
    terminal.open_with(old["api_key"])
    terminal.open_with(new["api_key"])
    last = terminal.json("keys", "rotate", old["key_id"], "--grace", "0")
    terminal.open_with(last["api_key"])
    with pytest.raises(HeliographError):
        terminal.open_with(new["api_key"])


def test_a_revoked_key_opens_nothing(terminal: Terminal) -> None:
    made = terminal.key()
    assert "is revoked" in terminal.run("keys", "revoke", made["key_id"])
    with pytest.raises(HeliographError, match="revoked"):
        terminal.open_with(made["api_key"])
    assert terminal.json("keys", "list")[0]["revoked_at"] is not None


@pytest.mark.parametrize("shown", ["id", "key_id"])
@pytest.mark.parametrize("length", [None, 14])
def test_a_key_is_revoked_by_each_id_that_create_has_shown(
    terminal: Terminal, shown: str, length: int | None
) -> None:
    made = terminal.key()
    assert "is revoked" in terminal.run("keys", "revoke", made[shown][:length])
    assert terminal.json("keys", "list")[0]["revoked_at"] is not None


def test_a_beginning_that_several_keys_have_revokes_none(terminal: Terminal) -> None:
    made = [terminal.key(), terminal.key()]
    common = made[0]["id"][:6]
    assert made[1]["id"].startswith(common), "ids of one moment"
    with pytest.raises(InvalidInputError, match="Several keys begin like that"):
        terminal.run("keys", "revoke", common)
    with pytest.raises(NotFoundError, match="at least 6 characters"):
        terminal.run("keys", "revoke", made[0]["key_id"][:5])
    assert [key["revoked_at"] for key in terminal.json("keys", "list")] == [None, None]


def test_what_is_not_found_is_said_with_the_organization_that_was_looked_in(
    terminal: Terminal,
) -> None:
    terminal.run("organizations", "create", "--name", "Globex")
    key = terminal.key("-o", "Globex")["key_id"]
    for command in (("keys", "revoke", key), ("webhooks", "redeliver", str(uuid4()))):
        with pytest.raises(NotFoundError, match=r"organization 'Acme'; -o chooses another\.$"):
            terminal.run(*command, "-o", "Acme")
    terminal.run("keys", "revoke", key, "-o", "Globex")


def test_with_several_organizations_one_must_be_named(terminal: Terminal) -> None:
    terminal.run("organizations", "create", "--name", "Globex", "--plan", "unlimited")
    with pytest.raises(InvalidInputError, match=r"There are 2 organizations; say which one"):
        terminal.run("keys", "create", "--name", "backend", "--scope", "*")
    made = terminal.key("--organization", "Globex")
    assert terminal.open_with(made["api_key"]).plan == NO_LIMITS
    assert {organization["name"] for organization in terminal.json("organizations", "list")} == {
        "Acme",
        "Globex",
    }
    assert "Globex" in terminal.run("organizations", "list")


def test_an_organization_is_renamed_and_removed(terminal: Terminal, acme: str) -> None:
    terminal.run("organizations", "create", "--name", "Globex")
    with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
        terminal.run("organizations", "create", "--name", "acme")
    shown = terminal.run("organizations", "create", "--name", "Lume\u200f \u202eCo")
    assert "-o 'Lume Co'" in shown
    terminal.run("organizations", "remove", "Lume Co", typed="Lume Co\n")
    assert terminal.json("organizations", "rename", "Acme", "Initech")["name"] == "Initech"
    with pytest.raises(InvalidInputError, match="Nothing was removed"):
        terminal.run("organizations", "remove", "Initech", typed="Acme\n")
    shown = terminal.run("organizations", "remove", acme, typed="Initech\n")
    assert "This removes 'Initech'" in shown
    assert "The next clean-up deletes its remaining data." in shown
    with pytest.raises(InvalidInputError, match=NOBODY_TO_ASK):
        terminal.run("organizations", "remove", "Globex")
    terminal.run("organizations", "remove", "Globex", "--yes")
    assert terminal.json("organizations", "list") == []


def test_an_account_is_connected_and_shown(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "WAIT_TIMEOUT", 0.3)  # no gateway runs that would pair it
    account = ("--network", "sandbox", "--name", "Front desk")
    made = terminal.json("accounts", "create", *account, "--session-name", "main")
    assert (made["status"], made["is_primary"], made["send_rate"]) == ("pairing", True, None)
    second = terminal.json("accounts", "create", *account, "--session-name", "second")
    assert second["is_primary"] is False
    assert "Front desk" in terminal.run("accounts", "list")
    assert "pairing" in terminal.run("accounts", "show", "main")
    assert "nothing to pair yet" in terminal.run("accounts", "pair", "main")
    with pytest.raises(InvalidInputError, match="already has a session called 'main'"):
        terminal.run("accounts", "create", *account, "--session-name", "main")


def test_an_accounts_settings_are_changed_by_what_the_form_accepts(terminal: Terminal) -> None:
    connect(terminal, "desk")
    before = terminal.json("accounts", "show", "desk")["settings"]

    def change(*settings: str) -> Any:
        options = [word for each in settings for word in ("--set", each)]
        terminal.run("accounts", "change", "desk", *options)
        return terminal.json("accounts", "show", "desk")["settings"]

    delays = {"delivered_delay": "0", "read_delay": "2.5"}
    assert change("delivered_delay=0", "read_delay=2.5") == before | delays
    assert "read_delay" not in change("read_delay=")
    for wrong in ("contacts=-3", "read_delay=NaN", "colour=red"):
        with pytest.raises(InvalidInputError):
            change(wrong)
    new = ("--network", "sandbox", "--name", "New", "--session-name", "new")
    with pytest.raises(InvalidInputError, match="from 0 to 8999"):
        terminal.run("accounts", "create", *new, "--set", "contacts=-3")


def test_every_command_takes_every_name_of_an_account(terminal: Terminal) -> None:
    account, _ = connect(terminal, "desk", "Front desk"), connect(terminal, "other")
    terminal.execute(
        "UPDATE accounts SET phone_number = '+15550200007', remote_jid = '15550200007@s.example'"
        " WHERE session_name = 'desk'"
    )
    number = ("+15550200007", "15550200007", "+1 555 020-0007", "15550200007@s.example")
    bare = account.replace("-", "")
    ids = (account, account.upper(), bare, f"{{{account}}}")
    for name in (*ids, "desk", "Front desk", "Acme/desk", "ACME/desk", *number):
        assert terminal.json("accounts", "show", name)["id"] == account
    for name in ("Front desk", "+15550200007"):
        named = ("--account", name)
        key = terminal.key(*named)
        assert key["account_ids"] == [account]
        webhook = terminal.json("webhooks", "create", "--url", "https://example.com", *named)
        changed = terminal.json("webhooks", "update", webhook["id"], *named)
        assert changed["filter"]["chat_account_ids"] == [account]
    with pytest.raises(NotFoundError, match="There is no account 'nobody'"):
        terminal.run("webhooks", "create", "--url", "https://example.com", "--account", "nobody")


def test_a_session_name_is_meant_before_a_name_that_is_the_same(terminal: Terminal) -> None:
    account = connect(terminal, "desk", "Reception")
    connect(terminal, "reception", "desk")
    assert terminal.json("accounts", "show", "desk")["id"] == account
    connect(terminal, "third", "Reception")
    with pytest.raises(InvalidInputError, match=r"'Acme/desk' \(.*'Acme/third' \("):
        terminal.run("accounts", "show", "Reception")


def test_an_accounts_name_may_say_the_organization(terminal: Terminal) -> None:
    globex = terminal.json("organizations", "create", "--name", "Globex")["id"]
    account = connect(terminal, "desk", "Desk", "-o", "Globex")
    assert terminal.key("--account", "Globex/desk")["organization_id"] == globex
    with pytest.raises(NotFoundError, match="organization 'Acme'; -o chooses another"):
        terminal.key("--account", "Globex/desk", "-o", "Acme")
    assert terminal.json("accounts", "show", "Globex/desk")["id"] == account
    assert terminal.json("accounts", "show", "globex/desk")["id"] == account
    assert terminal.key("--account", "gLOBEX/desk")["account_ids"] == [account]
    assert "is removed" in terminal.run("accounts", "remove", "Globex/desk", typed="Desk\n")


def test_an_account_is_not_connected_where_its_network_lacks_something(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "PACKAGE", "not_installed")
    phone = ("--network", "whatsapp", "--name", "Desk", "--session-name", "desk")
    with pytest.raises(ConfigurationError, match=r"needs an extra: .*heliograph\[whatsapp\]"):
        terminal.run("accounts", "create", *phone)
    assert terminal.json("accounts", "list") == []


def test_a_command_to_copy_repeats_the_organization_as_it_was_typed(empty: Terminal) -> None:
    said = empty.run("organizations", "create", "--name", "Acme & Sons")
    assert said.endswith("organizations invite EMAIL -o 'Acme & Sons'\n")
    phone = ("--network", "sandbox", "--name", "Front desk", "--session-name")
    said = empty.run("accounts", "create", *phone, "main", "-o", "Acme & Sons")
    assert said.endswith("accounts pair main -o 'Acme & Sons'\n")
    assert empty.run("accounts", "create", *phone, "second").endswith("accounts pair second\n")


def test_an_account_that_is_restricted_is_said_to_be_until_then(terminal: Terminal) -> None:
    connect(terminal, "main", "Front desk")
    terminal.execute(
        "UPDATE accounts SET status = 'connected', restriction_kind = 'new_conversations',"
        " restriction_until = '2999-01-31T12:00:00Z', restriction_reason = 'Too many people.'"
    )
    said = "restricted until 2999-01-31 12:00:00 UTC: Too many people."
    for command in ("list", "show main"):
        assert said in terminal.run("accounts", *command.split())
    assert re.search(r"^waiting +0$", terminal.run("accounts", "show", "main"), re.MULTILINE)
    assert terminal.json("accounts", "show", "main")["queued_messages"] == 0
    terminal.execute("UPDATE accounts SET restriction_until = '2001-01-31T12:00:00Z'")
    assert "restricted" not in terminal.run("accounts", "list")


def test_an_account_that_is_logged_out_is_said_to_be_with_what_helps(terminal: Terminal) -> None:
    connect(terminal, "main", "Front desk")
    terminal.execute(
        "UPDATE accounts SET status = 'logged_out',"
        " status_reason = 'The account was logged out: pair it again.'"
    )
    said = terminal.run("accounts", "pair", "main")
    assert said.startswith("The account 'Front desk' is logged out. To pair it again, run `")
    assert said.endswith("accounts reconnect main`.\n")
    assert "logged out" in terminal.run("accounts", "list")
    terminal.execute("UPDATE accounts SET status_reason = 'The phone was stolen.'")
    assert "is logged out: The phone was stolen. To" in terminal.run("accounts", "pair", "main")
    assert terminal.run("accounts", "pair", "Acme/main").endswith(
        "accounts reconnect Acme/main`.\n"
    )


def test_an_account_is_removed_by_whoever_types_its_name(terminal: Terminal) -> None:
    connect(terminal, "main", "Front desk")
    with pytest.raises(InvalidInputError, match="Nothing was removed"):
        terminal.run("accounts", "remove", "main", typed="Back desk\n")
    with pytest.raises(InvalidInputError) as unasked:
        terminal.run("accounts", "remove", "main")
    assert re.fullmatch(NOBODY_TO_ASK, describe(unasked.value))
    assert "Front desk" in terminal.run("accounts", "list")
    said = terminal.run("accounts", "remove", "main", typed="Front desk\n")
    assert "'Front desk' is removed" in said
    assert terminal.json("accounts", "list") == []


def test_only_who_has_a_code_to_show_is_told_to_pair(terminal: Terminal) -> None:
    phone = ("--network", "sandbox", "--name", "Front desk", "--session-name", "main")
    assert "accounts pair main" in terminal.run("accounts", "create", *phone)
    said = terminal.run("accounts", "create", *XMPP, "--set", "password=-", typed="hunter2\n")
    assert "accounts show desk" in said
    assert "accounts pair" not in said


def test_an_account_that_can_not_connect_says_why(terminal: Terminal) -> None:
    terminal.run("accounts", "create", *XMPP, "--set", "password=-", typed="hunter2\n")
    terminal.execute("UPDATE accounts SET status = 'connecting', status_reason = 'No such server.'")
    for command in (("list",), ("show", "desk"), ("pair", "desk")):
        said = " ".join(terminal.run("accounts", *command).split())
        assert "connecting: No such server." in said
    assert "has no code to pair" in said


def test_accounts_are_listed_with_since_when_they_are_down_and_what_waits(
    terminal: Terminal,
) -> None:
    terminal.run("accounts", "create", *XMPP, "--set", "password=-", typed="hunter2\n")
    terminal.execute(
        "UPDATE accounts SET status = 'disconnected', disconnected_since = '2026-01-02 03:04:05Z'"
    )
    assert "disconnected 2026-01-02 03:04:05 UTC 0" in " ".join(
        terminal.run("accounts", "list").split()
    )
    [record] = terminal.json("accounts", "list")
    assert record["disconnected_since"] == "2026-01-02T03:04:05Z"
    assert record["queued_messages"] == 0


def test_a_secret_on_the_command_line_is_refused_and_not_repeated(terminal: Terminal) -> None:
    said = " ".join(
        terminal.fails("accounts", "create", *XMPP, "--set", "password=hunter2").split()
    )
    assert "password=@FILE" in said
    assert "password=-" in said
    assert "hunter2" not in said
    assert terminal.json("accounts", "list") == []


def test_a_secret_comes_from_a_file_or_from_standard_input(
    terminal: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("hunter2\n")
    terminal.run("accounts", "create", *XMPP, "--set", f"password=@{file}")
    second = ["desk2" if each == "desk" else each for each in XMPP]
    terminal.run("accounts", "create", *second, "--set", "password=-", typed="hunter2\n")
    assert terminal.secrets() == [{"password": "hunter2"}] * 2


def test_the_description_is_printed(empty: Terminal) -> None:
    document = json.loads(empty.run("openapi"))
    assert document["info"]["version"] == "1.0.0"
    assert len(document["paths"]) > 10


def test_a_plan_is_made_given_and_taken_away(terminal: Terminal, acme: str) -> None:
    made = terminal.json("plans", "set", "team", "--accounts", "5", "--messages-per-day", "10")
    assert (made["accounts"], made["messages_per_day"], made["webhooks"]) == (5, 10, None)
    changed = terminal.json("plans", "set", "team", "--accounts", "none")
    assert (changed["accounts"], changed["messages_per_day"]) == (None, 10)
    assert "messages per day" in terminal.run("plans", "list")
    assert {"free", "pro", "unlimited", "team"} == {
        each["name"] for each in terminal.json("plans", "list")
    }

    assert terminal.json("organizations", "change", "Acme", "--plan", "team")["plan"] == "team"
    minted = terminal.key()
    assert terminal.open_with(minted["api_key"]).plan.messages_per_day == 10
    with pytest.raises(InvalidInputError, match="give it another one first"):
        terminal.run("plans", "delete", "team")
    terminal.run("organizations", "change", acme, "--plan", "free")
    assert "is deleted" in terminal.run("plans", "delete", "team")


def test_a_clean_up_says_what_went(terminal: Terminal) -> None:
    gone = terminal.json("clean-up")
    kinds = (
        *("messages", "words", "files", "uploads", "deliveries", "events", "jobs"),
        "inbound_keys",
    )
    assert gone == dict.fromkeys(kinds, 0)
    assert "inbound keys" in terminal.run("clean-up")


def test_the_audit_has_as_many_entries_as_one_asks_for(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("heliograph.faces.cli.audit"), "MAX_PAGE", 2)
    for number in range(5):
        terminal.run("keys", "create", "--name", f"Key {number}", "--scope", "*")

    def names(limit: int) -> list[str]:
        entries = terminal.json("audit", "--limit", str(limit))
        return [entry["details"]["name"] for entry in entries]

    newest = [f"Key {number}" for number in (4, 3, 2, 1, 0)]
    assert [names(limit) for limit in (1, 2, 3, 4, 5)] == [newest[:n] for n in (1, 2, 3, 4, 5)]
    assert names(5000) == [*newest, "Acme"], "and its own creation"


def test_an_organization_is_made_with_an_owner_to_be(empty: Terminal) -> None:
    made = empty.json(
        "organizations", "create", "--name", "Globex", "--owner-email", "Ada@Example.com"
    )
    assert made["invitation"].startswith(
        f"http://127.0.0.1:8000/dashboard/invitations/{made['id']}"
    )
    assert re.fullmatch(r"(\w{4}-){3}\w{4}", made["invitation_code"])
    shown = empty.run("organizations", "create", "--name", "Hooli", "--owner-email", "a@b.org")
    assert "/dashboard/invitations/" in shown
    assert "invitation_code" in shown


def test_somebody_is_invited_by_a_command(terminal: Terminal, acme: str) -> None:
    link = terminal.run("organizations", "invite", "bob@example.com", "--role", "agent")
    assert link.startswith(f"http://127.0.0.1:8000/dashboard/invitations/{acme}/")
    actions = [entry["action"] for entry in terminal.json("audit")]
    assert actions[:2] == ["invitation_code_made", "member_invited"]
