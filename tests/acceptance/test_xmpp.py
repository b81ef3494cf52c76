"""The main job on a real network: the printed curl with an XMPP account, a program of somebody
else's at the other end, and what is chosen there as a signed webhook."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acceptance.hook_receiver import Hook, Subscribed, receiving_hooks, subscribe
from acceptance.running_program import BUTTONS, Program, running, wait_for
from debian_programs import need_program
from prosody_server import ProsodyServer, running_prosody
from xmpp_server import DOMAIN, PASSWORD

GROUPS_PATH = "/api/v1/conversations/groups"
STEPS = ["message.sent", "message.delivered", "message.read"]


@dataclass
class Phone:
    """go-sendxmpp: a program written in another language, with another library."""

    server: ProsodyServer
    jid: str
    output: Path
    process: "subprocess.Popen[bytes] | None" = None

    def listen(self) -> None:
        with self.output.open("ab") as stream:
            self.process = subprocess.Popen([*self._call(), "-l"], stdout=stream, stderr=stream)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)

    def say(self, to: str, text: str) -> None:
        subprocess.run(
            [*self._call(), to], input=text.encode(), check=True, timeout=20, capture_output=True
        )

    @property
    def shown(self) -> str:
        return self.output.read_text()

    def _call(self) -> list[str]:
        server = f"127.0.0.1:{self.server.port}"
        return ["go-sendxmpp", "-n", "-j", server, "-u", self.jid, "-p", PASSWORD]


@pytest.fixture(scope="module")
def server() -> Iterator[ProsodyServer]:
    with running_prosody() as started:
        yield started


@pytest.fixture(scope="module")
def gateway(data_dir: Path, server: ProsodyServer) -> Iterator[Program]:
    with running(data_dir, nodes="1") as program:
        yield program


@pytest.fixture(scope="module")
def account(
    gateway: Program, server: ProsodyServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """An account connected as an operator does it, once it is connected."""
    password = tmp_path_factory.mktemp("secrets") / "password"
    password.write_text(PASSWORD + "\n")
    values = {
        "jid": server.add_person("desk"),
        "password": f"@{password}",
        "host": "127.0.0.1",
        "port": str(server.port),
        "ca": server.ca,
    }
    form = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    names = ("--network", "xmpp", "--name", "Front desk", "--session-name", "desk")
    gateway.cli("accounts", "create", *names, *form)

    def connected() -> dict[str, Any] | None:
        found = json.loads(gateway.cli("accounts", "show", "desk", "--json"))
        return found if found["status"] == "connected" else None

    return wait_for(connected, 30)


@pytest.fixture(scope="module")
def phone(server: ProsodyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phone]:
    need_program("go-sendxmpp", "go-sendxmpp")
    output = tmp_path_factory.mktemp("phone") / "shown"
    phone = Phone(server, server.add_person("anna"), output)
    phone.listen()
    try:
        yield phone
    finally:
        phone.stop()


@pytest.fixture(scope="module")
def hooks(gateway: Program) -> Iterator[Subscribed]:
    with receiving_hooks() as receiver:
        yield subscribe(gateway, receiver)


@dataclass(frozen=True)
class Story:
    message_id: str
    sent: Hook
    reply: Hook


def send(gateway: Program, account: dict[str, Any], to: str, text: str) -> str:
    """The printed curl, with this account's id and a JID."""
    body = {
        "phone_number": to,
        "body": text,
        "buttons": [{"id": "yes", "title": "Yes, please"}, {"id": "later", "title": "Another day"}],
        "footer": "Heliograph demo",
        "chat_account_id": account["id"],
    }
    call = ["curl", "-sS", gateway.demo["base_url"] + BUTTONS]
    call += ["-H", f"Authorization: Bearer {gateway.demo['api_key']}"]
    call += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    return str(json.loads(done.stdout)["message_id"])


@pytest.fixture(scope="module")
def story(gateway: Program, account: dict[str, Any], phone: Phone, hooks: Subscribed) -> Story:
    message_id = send(gateway, account, phone.jid, "Shall we deliver tomorrow?")
    sent = hooks.receiver.wait_for(message_id, "message.sent")[0]
    wait_for(lambda: "Heliograph demo" in phone.shown, 20)
    phone.say(account["remote_jid"], "1.")
    reply = wait_for(
        lambda: next((hook for hook in hooks.receiver.hooks if hook.data.get("button")), None), 20
    )
    return Story(message_id, sent, reply)


def test_a_program_without_buttons_shows_the_choices(story: Story, phone: Phone) -> None:
    wanted = (
        "Shall we deliver tomorrow?\n\n1. Yes, please\n2. Another day\n\n"
        "Reply with a number, 1 or 2.\n\nHeliograph demo"
    )
    assert wanted in phone.shown


def test_the_choice_comes_back_signed_with_the_message_it_answers(
    story: Story, hooks: Subscribed, account: dict[str, Any], phone: Phone
) -> None:
    story.reply.verify(hooks.secret)
    assert story.reply.type == "message.received"
    assert story.reply.data["button"] == {"id": "yes", "title": "Yes, please"}
    assert story.reply.data["reply_to_message_id"] == story.message_id
    assert story.reply.data["phone_number"] == phone.jid
    assert story.reply.data["chat_account_id"] == account["id"]


def test_a_choice_that_is_made_after_a_restart_is_known_too(
    gateway: Program,
    account: dict[str, Any],
    phone: Phone,
    hooks: Subscribed,
    server: ProsodyServer,
    story: Story,
) -> None:
    """Neither the gateway's memory nor its connection is needed: what comes meanwhile waits."""
    message_id = send(gateway, account, phone.jid, "And the day after?")
    hooks.receiver.wait_for(message_id, "message.sent")
    for node in gateway.nodes():
        subprocess.run(["kill", "-9", str(node)], check=True)
    phone.say(account["remote_jid"], "“2”!")

    def answered() -> Hook | None:
        replies = [hook for hook in hooks.receiver.hooks if hook.data.get("button")]
        return next((reply for reply in replies if reply.data["button"]["id"] == "later"), None)

    reply = wait_for(answered, 60)
    assert reply.data["reply_to_message_id"] == message_id


def test_the_roster_is_synchronized_and_counted(
    gateway: Program, account: dict[str, Any], server: ProsodyServer
) -> None:
    for name in ("ann", "bob", "cid"):
        server.add_contact(account["remote_jid"], f"{name}@{DOMAIN}", name.title())
    started = gateway.ask("POST", "/api/v1/contacts/sync", json={"chat_account_id": account["id"]})
    assert started.status_code == 200

    def synced() -> dict[str, Any] | None:
        devices = gateway.get("/api/v1/devices")["devices"]
        device: dict[str, Any] = next(each for each in devices if each["id"] == account["id"])
        return device if device["last_contact_sync_status"] == "completed" else None

    assert wait_for(synced, 60)["contacts_synced_count"] == 3
    names = gateway.rows("SELECT name FROM contacts WHERE name IS NOT NULL ORDER BY name")
    assert [row["name"] for row in names] == ["Ann", "Bob", "Cid"]


def test_a_group_is_made_with_everybody_or_not_at_all(
    gateway: Program, account: dict[str, Any], server: ProsodyServer
) -> None:
    people = [server.add_person(name) for name in ("ben", "cleo", "dan")]
    body = {"chat_account_id": account["id"], "subject": "Chess club", "participants": people}

    wrong = gateway.ask(
        "POST", GROUPS_PATH, json={**body, "participants": [*people, "a\ue000@example.org"]}
    )
    made = gateway.ask("POST", GROUPS_PATH, json=body)

    assert wrong.status_code == 422
    assert wrong.json()["detail"][0]["loc"] == ["body", "participants", 3]
    assert made.status_code == 201
    group = gateway.get(f"/api/v1/groups/{made.json()['conversation_id']}")
    roles = {each["jid"]: each["role"] for each in group["participants"]}
    assert roles == {account["remote_jid"]: "owner", **dict.fromkeys(people, "member")}
    assert gateway.get("/api/v1/conversations?is_group=true")["conversations"] != []
    [only] = gateway.rows("SELECT subject FROM chat_groups")
    assert only["subject"] == "Chess club"


def test_a_password_is_shown_nowhere(gateway: Program, account: dict[str, Any]) -> None:
    assert PASSWORD not in gateway.printed
    assert PASSWORD not in json.dumps(account)
    stored = gateway.rows("SELECT to_jsonb(accounts)::text AS row FROM accounts")
    assert PASSWORD not in str(stored)
