"""docs/events.md and docs/webhooks.md say what the code does, in both directions."""

import json
import re
import subprocess
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from msgspec.structs import replace

from api_description import api_description
from debian_programs import need_program
from each_case import for_each
from heliograph.core.accounts.model import Account, Restriction
from heliograph.core.accounts.serializers import add_device_event, add_restriction_event
from heliograph.core.contacts.events import add_contact_event, add_synced_event
from heliograph.core.contacts.model import Contact, ContactAddress, ContactEntry
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.events import add_conversation_event
from heliograph.core.inbox.model import Conversation, ConversationStatus
from heliograph.core.jobs.model import Job, JobKind, JobStatus
from heliograph.core.messages.events import add_change_event, add_status_event
from heliograph.core.messages.model import (
    AppliedChange,
    ChatType,
    Direction,
    Message,
    MessageStatus,
    Names,
)
from heliograph.core.tenants.model import Author, Tenant
from heliograph.core.webhooks.headers import RESERVED_HEADERS, RESERVED_PREFIXES
from heliograph.core.webhooks.model import DeliveryStatus
from heliograph.core.webhooks.posting.disabling import DISABLE_AFTER, KEPT_WHILE_DISABLED
from heliograph.core.webhooks.posting.retries import DELAYS, MAX_ATTEMPTS
from heliograph.networks.content import Button, ButtonReply, Buttons
from heliograph.networks.port import AccountStatus
from heliograph.platform.crypto.webhook_signing import generate_webhook_secret, sign_webhook
from heliograph.platform.database.clock import Clock
from repository import DOCS, ROOT

EVENTS = (DOCS / "events.md").read_text()
WEBHOOKS = (DOCS / "webhooks.md").read_text()
DESCRIPTION = api_description()
NOW = datetime(2026, 3, 2, tzinfo=UTC)
ID = UUID(int=7)
TENANT = Tenant(0, ID)


def documented() -> dict[str, dict[str, Any]]:
    """The example of each type that has a heading."""
    found = re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", EVENTS, re.MULTILINE | re.DOTALL)
    examples = {}
    for event_type, section in found:
        [block] = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
        examples[event_type] = json.loads(block)
    return examples


EXAMPLES = documented()


CONVERSATION = Conversation(
    tenant=TENANT,
    id=ID,
    account_id=ID,
    remote_jid="1@x",
    status=ConversationStatus.OPEN,
    unread_count=0,
    is_group=False,
    created_at=NOW,
    updated_at=NOW,
)
CONTACT = ContactEntry(
    Contact(TENANT, ID, "+15550100001", "Ada", None, None, NOW, NOW),
    attributes={},
    addresses=(ContactAddress("sandbox", "1@x"),),
)
SYNC = Job(
    tenant=TENANT,
    id=ID,
    account_id=ID,
    kind=JobKind.SYNC_CONTACTS,
    status=JobStatus.RUNNING,
    safe_to_repeat=True,
    request={},
    result=None,
    error=None,
    claim_epoch=1,
    created_at=NOW,
    deadline=NOW,
    started_at=NOW,
    finished_at=None,
)


def message(status: MessageStatus) -> Message:
    inbound = status is MessageStatus.RECEIVED
    said = (
        ButtonReply("yes", "Yes, please")
        if inbound
        else Buttons("Shall we?", (Button("yes", "Yes, please"),))
    )
    return Message(
        tenant=TENANT,
        id=ID,
        seq=1,
        account_id=ID,
        direction=Direction.INBOUND if inbound else Direction.OUTBOUND,
        status=status,
        message_type="button_reply" if inbound else "buttons",
        chat_type=ChatType.INDIVIDUAL,
        recipient="",
        phone_number="+15550100001",
        content=said,
        chat_message_id="X",
        created_at=NOW,
        updated_at=NOW,
        reply_to_message_id=ID if inbound else None,
    )


def account(status: AccountStatus) -> Account:
    flags = {"is_primary": True, "message_logging_enabled": True, "auto_warmer_enabled": False}
    counts = dict.fromkeys(
        ("total_messages_sent", "total_messages_received", "contacts_synced_count"), 0
    )
    rest = dict.fromkeys(set(Account.__struct_fields__) - {*flags, *counts})
    given: dict[str, Any] = {**rest, **flags, **counts, "settings": {}}
    given |= {"name": "Desk", "session_name": "desk", "network": "sandbox"}
    given |= {"tenant": TENANT, "id": ID, "status": status, "created_at": NOW, "updated_at": NOW}
    return Account(**given)


def changed(kind: Any) -> AppliedChange:
    return AppliedChange(kind, "1@x", NOW, emoji="👍" if kind == "reaction" else "")


def real_payload(event_type: str) -> dict[str, Any]:
    """A payload of this type as the gateway makes it."""
    category, _, state = event_type.partition(".")
    maker = EventBuilder(Clock())
    if state in ("edited", "deleted", "reaction"):
        meant = message(MessageStatus.READ if state == "reaction" else MessageStatus.RECEIVED)
        add_change_event(maker, meant, changed(state), Names("Ada"))
    elif category == "conversation":
        closed = replace(CONVERSATION, status=ConversationStatus.CLOSED)
        add_conversation_event(maker, CONVERSATION, closed, Author("user", str(ID), "Bo"))
    elif category == "contact":
        with_attributes = replace(CONTACT, attributes={"customer_number": 4711})
        add_contact_event(maker, CONTACT, with_attributes, Author("api_key", "x", "backend"))
    elif category == "contacts":
        add_synced_event(maker, SYNC, JobStatus.COMPLETED, {"contacts": 12}, None, NOW)
    elif category == "message":
        add_status_event(
            maker,
            message(MessageStatus(state)),
            MessageStatus(state),
            Names("Ada"),
        )
    elif state in ("restricted", "unrestricted"):
        restriction = Restriction("new_conversations", NOW, "No new chats for now.")
        now = replace(
            account(AccountStatus.CONNECTED),
            restriction=restriction if state == "restricted" else None,
        )
        add_restriction_event(maker, now, "No new chats for now.")
    else:
        add_device_event(maker, account(AccountStatus(state)))
    [event] = maker.events
    payload: dict[str, Any] = json.loads(event.payload)
    return payload


def test_every_event_type_is_documented_and_nothing_else() -> None:
    assert list(EXAMPLES) == [event_type.value for event_type in EventType]
    linked = re.findall(r"^\| \[`([^`]+)`\]", EVENTS, re.MULTILINE)
    assert linked == list(EXAMPLES)


@for_each("event_type", list(EXAMPLES))
def test_an_example_is_of_its_type(event_type: str) -> None:
    example = EXAMPLES[event_type]
    assert list(example) == ["type", "timestamp", "data"]
    assert example["type"] == event_type
    assert datetime.fromisoformat(example["timestamp"]).tzinfo is UTC


@for_each("event_type", [name for name in EXAMPLES if name != EventType.WEBHOOK_PING])
def test_an_example_has_the_fields_of_a_real_payload(event_type: str) -> None:
    example, real = EXAMPLES[event_type]["data"], real_payload(event_type)["data"]
    assert sorted(example) == sorted(real)
    assert example.get("status") == real.get("status")


@for_each("event_type", list(EXAMPLES))
def test_examples_and_real_payloads_fit_the_schema_of_their_type(event_type: str) -> None:
    content = DESCRIPTION["webhooks"][event_type]["post"]["requestBody"]["content"]
    schema = content["application/json"]["schema"] | {"components": DESCRIPTION["components"]}
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    validator.validate(EXAMPLES[event_type])
    if event_type != EventType.WEBHOOK_PING:
        validator.validate(real_payload(event_type))
        known = validator.schema["components"]["schemas"]
        data = known[schema["$ref"].rpartition("/")[2]]["properties"]["data"]["$ref"]
        fields = known[data.rpartition("/")[2]]["properties"]
        assert EXAMPLES[event_type]["data"].keys() <= fields.keys()


def test_a_ping_is_empty() -> None:
    assert EXAMPLES["webhook.ping"]["data"] == {}


def test_the_names_that_a_custom_header_cannot_have_are_documented() -> None:
    [said] = re.findall(r"are refused, whatever their case: (.*?)\.", WEBHOOKS, re.DOTALL)
    assert re.findall(r"`([^`]+)`", said) == [*RESERVED_HEADERS, *RESERVED_PREFIXES]


def test_the_table_of_attempts_is_the_schedule() -> None:
    units = {"second": 1, "minute": 60, "hour": 3600}
    rows = re.findall(
        r"^\| (\d+) \| (\d+) (second|minute|hour)s \| (.+) \|$", WEBHOOKS, re.MULTILINE
    )
    assert [int(number) for number, *_ in rows] == list(range(2, MAX_ATTEMPTS + 1))
    assert [int(n) * units[unit] for _, n, unit, _ in rows] == list(DELAYS)
    assert [since for *_, since in rows] == [about(seconds) for seconds in accumulate(DELAYS)]


def about(seconds: float) -> str:
    hours, minutes = divmod(int(seconds) // 60, 60)
    if not hours:
        return f"{minutes} min" if minutes else f"{seconds:g} s"
    return f"{hours} h {minutes} min"


ATTEMPTS = {10: "ten"}[MAX_ATTEMPTS]
RETRIED = {3: "three days"}[round(sum(DELAYS) / 86_400)]
FAILING, KEPT = f"{DISABLE_AFTER.days} days", f"{KEPT_WHILE_DISABLED.days} days"
SAID = {
    "docs/webhooks.md": (
        f"up to {ATTEMPTS} attempts",
        f"{ATTEMPTS} attempts have failed",
        f"every delivery has failed for {FAILING}",
        f"Pending deliveries are kept for {KEPT}",
        f"disabled for more than {KEPT}",
    ),
    "docs/commands.md": (f"pending deliveries are kept for {KEPT}",),
    "docs/getting-started.md": (f"for about {RETRIED}",),
    "docs/glossary.md": (
        f"a schedule of {ATTEMPTS} attempts",
        f"whose {ATTEMPTS} attempts have failed",
        f"fails for {FAILING}",
    ),
    "docs/switching.md": (f"retried for {RETRIED}", f"{ATTEMPTS} attempts in {RETRIED}"),
    "src/heliograph/faces/cli/webhooks.py": (f"Pending deliveries are kept for {KEPT}",),
    "src/heliograph/faces/dashboard/templates/developers/webhook.html": (
        f"tried again for {FAILING}",
        f"kept for {KEPT}",
    ),
}
"""What is said elsewhere of how often and how long a delivery is tried."""


@for_each("page", list(SAID))
def test_what_is_said_of_retries_is_so(page: str) -> None:
    text = " ".join((ROOT / page).read_text().split())
    assert [words for words in SAID[page] if words not in text] == []


def test_every_delivery_status_is_documented() -> None:
    _, _, table = WEBHOOKS.partition("| status | meaning |")
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert listed == [deliverystatu.value for deliverystatu in DeliveryStatus]


def snippet(language: str) -> str:
    [code] = re.findall(rf"```{language}\n(.*?)```", WEBHOOKS, re.DOTALL)
    return str(code)


def requests() -> list[tuple[str, dict[str, str], str, bool]]:
    """Secret, headers, body, and whether it is to be trusted."""
    secret, other = generate_webhook_secret(), generate_webhook_secret()
    body, now = '{"type":"webhook.ping","data":"✓"}', int(time.time())

    def sign(*secrets: str, at: int = now) -> dict[str, str]:
        return sign_webhook(secrets, "01995b10", at, body.encode())

    return [
        (secret, sign(secret), body, True),
        (secret, sign(other, secret), body, True),
        (secret, sign(other), body, False),
        (secret, sign(secret), body + " ", False),
        (secret, sign(secret, at=now - 400), body, False),
        (secret, sign(secret, at=now + 400), body, False),
        (secret, sign(secret) | {"webhook-id": "another"}, body, False),
        (secret, sign(secret) | {"webhook-timestamp": "1" * 5_000}, body, False),
        (secret, sign(secret) | {"webhook-timestamp": ""}, body, False),
        *((secret, without(name, sign(secret)), body, False) for name in sign(secret)),
        (secret, {}, body, False),
    ]


def without(name: str, headers: dict[str, str]) -> dict[str, str]:
    return {other: value for other, value in headers.items() if other != name}


def test_the_python_snippet_verifies() -> None:
    names: dict[str, Any] = {}
    exec(snippet("python"), names)  # noqa: S102 - our own documentation
    for secret, headers, body, trusted in requests():
        assert names["verify"](secret, headers, body.encode()) is trusted


def test_the_javascript_snippet_verifies() -> None:
    need_program("node", "nodejs")
    cases = [case[:3] for case in requests()]
    program = (
        f"{snippet('javascript')}\nconst cases = {json.dumps(cases)};\n"
        "console.log(JSON.stringify(cases.map(([s, h, b]) => verify(s, h, Buffer.from(b)))));"
    )
    done = subprocess.run(["node", "-e", program], capture_output=True, check=True, timeout=100)
    assert json.loads(done.stdout) == [trusted for *_, trusted in requests()]


GO_MAIN = """
func main() {
	var cases [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, each := range cases {
		var secret, body string
		var headers map[string]string
		json.Unmarshal(each[0], &secret)
		json.Unmarshal(each[1], &headers)
		json.Unmarshal(each[2], &body)
		header := http.Header{}
		for name, value := range headers {
			header.Set(name, value)
		}
		answers = append(answers, Verify(secret, header, []byte(body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
"""


@pytest.mark.timeout(600)  # where Go must be installed first
def test_the_go_snippet_verifies(tmp_path: Path) -> None:
    need_program("go", "golang-go")
    imports = snippet("go").replace("import (", 'import (\n\t"encoding/json"\n\t"os"')
    program = tmp_path / "main.go"
    program.write_text(imports + GO_MAIN)
    cases = json.dumps([case[:3] for case in requests()])
    done = subprocess.run(
        ["go", "run", str(program)],
        input=cases.encode(),
        capture_output=True,
        check=True,
        timeout=500,
    )
    assert json.loads(done.stdout) == [trusted for *_, trusted in requests()]


def test_the_loop_over_events_keeps_its_place() -> None:
    """Whatever shell reads it, and whatever the gateway answers in between."""
    need_program("curl", "curl")
    need_program("jq", "jq")
    event = {"type": "message.received", "data": {"content": "one\ntwo \\n \\ \x1b"}}
    page = {"events": [event], "next_cursor": "there"}
    asked: list[str] = []

    class Gateway(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path.rpartition("after=")[2])
            answer = json.dumps(page if len(asked) == 1 else {"detail": "Later.", "code": "busy"})
            self.send_response(200 if len(asked) == 1 else 503)
            self.end_headers()
            self.wfile.write(answer.encode())
            if len(asked) == 4:
                loop.terminate()

    [code] = [
        code for code in re.findall(r"```sh\n(.*?)```", WEBHOOKS, re.DOTALL) if "while" in code
    ]
    with HTTPServer(("127.0.0.1", 0), Gateway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = code.replace("127.0.0.1:8000", f"127.0.0.1:{server.server_port}")
        loop = subprocess.Popen(
            ["sh", "-c", code.replace("sleep 5", "sleep 0")], stdout=subprocess.PIPE
        )
        printed, _ = loop.communicate(timeout=100)
        server.shutdown()
    assert [json.loads(line) for line in printed.splitlines()] == [event]
    assert asked[:4] == ["oldest", "there", "there", "there"]
