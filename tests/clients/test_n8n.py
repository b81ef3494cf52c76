"""The n8n nodes, built as they are published, in n8n's engine against a running gateway."""

import asyncio
import base64
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from PIL import Image

from acceptance.running_program import wait_for
from demo_phone import act, ask, say
from heliograph.errors import GatewayError
from heliograph.networks.content import Image as ImageContent
from heliograph.networks.phone_actions import Send
from heliograph.networks.port import SimulatedMessage, Simulator
from live_gateway import LiveGateway
from n8n_engine import (
    N8nEngine,
    N8nError,
    file_item,
    n8n_engine,
    new_execution_id,
    run_script,
)
from tcp_proxy import tcp_proxy

pytest_plugins = ("live_fixtures",)
pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(300),  # the packages may have to be installed first
]


@pytest.fixture(scope="module")
def n8n(
    package: Path, gateway: LiveGateway, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[N8nEngine]:
    home = tmp_path_factory.mktemp("n8n")
    with n8n_engine(package, gateway.base_url, gateway.demo.api_key, home) as engine:
        yield engine


# --- the other side ------------------------------------------------------------------------------


def read_phone(gateway: LiveGateway) -> Sequence[SimulatedMessage]:
    """What the demo's contact sees on the phone, oldest first."""
    return ask(gateway, lambda phones: phones.receive(gateway.demo.contact_phone, limit=1000))


def arrived(gateway: LiveGateway, text: str) -> list[SimulatedMessage]:
    return [message for message in read_phone(gateway) if message.content.summary == text]


def ask_api(gateway: LiveGateway, path: str, **query: Any) -> Any:
    url = f"{gateway.base_url}/api/v1{path}"
    return httpx.get(url, headers=gateway.headers, params=query, timeout=60).json()


def sending(gateway: LiveGateway, message_type: str = "text", **fields: Any) -> dict[str, Any]:
    """The parameters of a node that sends to the demo's contact."""
    return {
        "resource": "message",
        "operation": "send",
        "recipientType": "phone_number",
        "recipient": gateway.demo.contact_phone,
        "messageType": message_type,
        **fields,
    }


# --- the package ---------------------------------------------------------------------------------


def test_n8n_s_own_linter_has_nothing_to_say(package: Path) -> None:
    run_script(package, "lint")


def test_every_event_of_the_gateway_can_start_a_workflow(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    document = httpx.get(f"{gateway.base_url}/openapi.json", timeout=60).json()
    [trigger] = [
        node for node in n8n.ask("describe")["nodes"] if node["name"] == "heliographTrigger"
    ]
    [events] = [field for field in trigger["properties"] if field["name"] == "events"]
    offered = {option["value"] for option in events["options"]}
    assert offered == set(document["components"]["schemas"]["EventPattern"]["enum"])


def test_the_test_of_a_credential_knows_every_reason_to_refuse_a_key(n8n: N8nEngine) -> None:
    [credential] = n8n.ask("describe")["credentials"]
    known = {rule["properties"]["value"] for rule in credential["test"]["rules"]}
    refusals = {error.code for error in GatewayError.every() if error.status == 401}
    assert known == refusals - {"invalid_metrics_token"}  # of /metrics, which takes no key


# --- sending -------------------------------------------------------------------------------------


def test_a_text_of_each_item_arrives(n8n: N8nEngine, gateway: LiveGateway) -> None:
    parameters = sending(gateway, body="={{ $json.text }}")
    [output] = n8n.execute(parameters, {"json": {"text": "One"}}, {"json": {"text": "Two"}})
    assert [item["pairedItem"] for item in output] == [{"item": 0}, {"item": 1}]
    assert {item["json"]["status"] for item in output} == {"queued"}
    wait_for(lambda: len(arrived(gateway, "One")) == len(arrived(gateway, "Two")) == 1)


CONTENTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "buttons",
        {
            "body": "Is 20:00 right?",
            "buttons": {"button": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}]},
            "contentOptions": {"footer": "Trattoria"},
        },
        {
            "body": "Is 20:00 right?",
            "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
            "footer": "Trattoria",
        },
    ),
    (
        "list",
        {
            "body": "Which table?",
            "listButton": "Choose",
            "rows": {
                "row": [
                    {"section": "Inside", "id": "1", "title": "At the window", "description": ""},
                    {"section": "Outside", "id": "2", "title": "Terrace", "description": "Sunny"},
                    {"section": "Inside", "id": "3", "title": "At the bar", "description": ""},
                ]
            },
        },
        {
            "body": "Which table?",
            "button": "Choose",
            "sections": [
                {
                    "title": "Inside",
                    "rows": [
                        {"id": "1", "title": "At the window", "description": None},
                        {"id": "3", "title": "At the bar", "description": None},
                    ],
                },
                {
                    "title": "Outside",
                    "rows": [{"id": "2", "title": "Terrace", "description": "Sunny"}],
                },
            ],
        },
    ),
    (
        "location",
        {"latitude": 38.71, "longitude": 0, "contentOptions": {"name": "The harbour"}},
        {"latitude": 38.71, "longitude": 0.0, "name": "The harbour"},
    ),
    (
        "contact",
        {"contactName": "Ana", "contactPhones": ["+15550100009"]},
        {"name": "Ana"},
    ),
    ("location_request", {"body": "Where are you?"}, {"body": "Where are you?"}),
    (
        "link_button",
        {
            "body": "Your order is on its way.",
            "linkTitle": "Track it",
            "linkUrl": "https://shop.example.com/orders/42",
            "contentOptions": {"footer": "Trattoria"},
        },
        {
            "body": "Your order is on its way.",
            "title": "Track it",
            "url": "https://shop.example.com/orders/42",
            "footer": "Trattoria",
        },
    ),
    (
        "poll",
        {"question": "When?", "pollOptions": ["Today", "Tomorrow"], "maxChoices": 2},
        {"question": "When?", "options": ["Today", "Tomorrow"], "max_choices": 2},
    ),
]


@pytest.mark.parametrize(("kind", "fields", "expected"), CONTENTS, ids=[c[0] for c in CONTENTS])
def test_each_kind_of_content_is_what_was_filled_in(
    n8n: N8nEngine,
    gateway: LiveGateway,
    kind: str,
    fields: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    [sent] = n8n.run(sending(gateway, kind, **fields))
    content = ask_api(gateway, f"/messages/{sent['message_id']}")["typed_content"]
    assert content["type"] == kind
    assert {name: content[name] for name in expected} == expected


def test_what_is_set_besides_the_content_is_sent(n8n: N8nEngine, gateway: LiveGateway) -> None:
    at = datetime.now(ZoneInfo("Europe/Berlin")).replace(microsecond=0) + timedelta(days=30)
    ends = (at + timedelta(days=1)).astimezone(UTC)
    options = {
        "scheduledFor": f"{at:%Y-%m-%dT%H:%M:%S}",  # of the workflow's zone, which is that one
        "expiresAt": f"{ends:%Y-%m-%dT%H:%M:%SZ}",
        "chatAccountId": gateway.demo.chat_account_id,
        "metadata": {"entry": [{"name": "booking", "value": "B-1042"}]},
    }
    [sent] = n8n.run(sending(gateway, body="Later", options=options))
    record = ask_api(gateway, f"/messages/{sent['message_id']}")
    assert datetime.fromisoformat(record["scheduled_for"]) == at
    assert datetime.fromisoformat(record["expires_at"]) == ends
    assert record["metadata"] == {"booking": "B-1042"}
    assert record["status"] == "scheduled"


def test_a_file_of_the_item_arrives(n8n: N8nEngine, gateway: LiveGateway) -> None:
    picture = make_picture()
    fields = {"fileSource": "binary", "binaryPropertyName": "data", "caption": "The harbour, sent"}
    parameters = sending(gateway, "image", **fields)
    n8n.run(parameters, file_item(picture, "image/png", "harbour.png"))
    [message] = wait_for(lambda: arrived(gateway, "The harbour, sent"))

    async def open_file(phones: Simulator) -> tuple[str, bytes]:
        file = await phones.open_file(message.chat_message_id)
        return file.file_name, b"".join([chunk async for chunk in file.chunks()])

    assert ask(gateway, open_file) == ("harbour.png", picture)


def make_picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (8, 8), "orange").save(file, "PNG")
    return file.getvalue()


# --- repeats -------------------------------------------------------------------------------------


async def test_a_retry_after_a_lost_answer_sends_nothing_twice(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    async with tcp_proxy(gateway.port) as proxy:
        proxy.hold_answers()
        running = asyncio.create_task(
            asyncio.to_thread(
                n8n.run,
                sending(gateway, body="Only once"),
                settings={"retryOnFail": True, "maxTries": 3, "waitBetweenTries": 0},
                access={"baseUrl": f"http://127.0.0.1:{proxy.port}/"},
            )
        )
        await asyncio.to_thread(wait_for, lambda: arrived(gateway, "Only once"))
        proxy.let_answers_through()
        proxy.cut()
        [sent] = await running
    assert len(arrived(gateway, "Only once")) == 1
    assert ask_api(gateway, f"/messages/{sent['message_id']}")["status"] != "failed"


def test_another_execution_sends_again_unless_the_message_is_named(
    n8n: N8nEngine, gateway: LiveGateway
) -> None:
    plain = sending(gateway, body="Again")
    assert n8n.run(plain)[0]["message_id"] != n8n.run(plain)[0]["message_id"]
    again = new_execution_id()
    [first] = n8n.run(plain, execution_id=again)
    assert n8n.run(plain, execution_id=again) == [first]
    with pytest.raises(N8nError, match="Idempotency-Key"):
        n8n.run(sending(gateway, body="Again, but not the same"), execution_id=again)
    named = sending(
        gateway,
        "document",
        fileSource="binary",
        binaryPropertyName="data",
        options={"idempotencyKey": "order-4711"},
    )
    menu = file_item(b"a menu", "text/plain", "menu.txt")
    assert n8n.run(named, menu) == n8n.run(named, menu)


# --- errors --------------------------------------------------------------------------------------


def test_an_error_is_the_gateway_s_sentence(n8n: N8nEngine) -> None:
    parameters = {"resource": "message", "operation": "get", "messageId": "={{ $json.id }}"}
    missing = "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40"
    with pytest.raises(N8nError) as caught:
        n8n.execute(parameters, {"json": {"id": missing}})
    shown = caught.value.shown
    assert shown["name"] == "NodeApiError"
    assert shown["httpCode"] == "404"
    assert shown["message"] == f"There is no message with the id {missing}."
    assert "message_not_found" in shown["description"]
    assert shown["itemIndex"] == 0


def test_an_invalid_value_is_named(n8n: N8nEngine, gateway: LiveGateway) -> None:
    with pytest.raises(
        N8nError, match=r"content\.buttons\S*: List should have at least 1 item"
    ) as caught:
        n8n.execute(sending(gateway, "buttons", body="Which?", buttons={}))
    assert caught.value.shown["httpCode"] == "422"


def test_a_key_that_is_none_is_refused_in_words(n8n: N8nEngine, gateway: LiveGateway) -> None:
    parameters = {"resource": "device", "operation": "getAll", "returnAll": True}
    with pytest.raises(N8nError) as caught:
        n8n.execute(parameters, access={"apiKey": "hg_none"})
    assert caught.value.shown["httpCode"] == "401"
    assert "invalid_api_key" in caught.value.shown["description"]


def test_a_workflow_can_go_on_after_an_error(n8n: N8nEngine, gateway: LiveGateway) -> None:
    parameters = {"resource": "message", "operation": "get", "messageId": "={{ $json.id }}"}
    [sent] = n8n.run(sending(gateway, body="Known"))
    items = ({"json": {"id": "nonsense"}}, {"json": {"id": sent["message_id"]}})

    [output] = n8n.execute(parameters, *items, settings={"onError": "continueRegularOutput"})
    assert [item["pairedItem"] for item in output] == [{"item": 0}, {"item": 1}]
    assert output[0]["json"]["error"].startswith("message_id: Input should be a valid UUID")
    assert output[1]["json"]["content"] == "Known"

    found, failed = n8n.execute(parameters, *items, settings={"onError": "continueErrorOutput"})
    assert [item["json"]["content"] for item in found] == ["Known"]
    assert [item["json"] for item in failed] == [output[0]["json"]]


# --- reading -------------------------------------------------------------------------------------


def test_lists_come_whole_or_up_to_a_limit(n8n: N8nEngine, gateway: LiveGateway) -> None:
    wanted = 105  # more than a page
    items = [{"json": {"number": number}} for number in range(wanted)]
    sent = n8n.run(sending(gateway, body="=Number {{ $json.number }}"), *items)
    listing = {
        "resource": "message",
        "operation": "getAll",
        "filters": {"direction": "outbound", "chatAccountId": gateway.demo.chat_account_id},
    }
    found = n8n.run({**listing, "returnAll": True})
    newest = [message["id"] for message in found[:wanted]]
    assert newest == [answer["message_id"] for answer in reversed(sent)]
    assert len({message["id"] for message in found}) == len(found)
    limited = n8n.run({**listing, "returnAll": False, "limit": 102})
    assert [message["id"] for message in limited] == newest[:102]


def test_conversations_and_devices_are_listed(n8n: N8nEngine, gateway: LiveGateway) -> None:
    say(gateway, "Are you there?")
    listing = {"operation": "getAll", "returnAll": True}
    wait_for(lambda: n8n.run({**listing, "resource": "conversation", "filters": {"unread": True}}))
    [conversation] = n8n.run({**listing, "resource": "conversation"})
    assert conversation["phone_number"] == gateway.demo.contact_phone
    one = {"resource": "conversation", "operation": "get", "conversationId": conversation["id"]}
    assert n8n.run(one)[0]["id"] == conversation["id"]
    [device] = n8n.run({**listing, "resource": "device", "filters": {"status": "connected"}})
    assert device["id"] == gateway.demo.chat_account_id


@pytest.mark.parametrize("node", ["heliograph", "heliographTrigger"])
def test_a_device_is_chosen_from_a_list(n8n: N8nEngine, gateway: LiveGateway, node: str) -> None:
    [option] = n8n.ask("loadOptions", type=node, method="getDevices")
    assert option["value"] == gateway.demo.chat_account_id


# --- files ---------------------------------------------------------------------------------------


def download(n8n: N8nEngine, source: str, record_id: str) -> Any:
    """The item with the file of a message, or of what was uploaded."""
    where = {"downloadFrom": source, f"{source}Id": record_id, "outputProperty": "file"}
    [[item]] = n8n.execute({"resource": "media", "operation": "download", **where})
    return item


def test_an_uploaded_file_is_downloaded_as_it_was(n8n: N8nEngine) -> None:
    upload = {"resource": "media", "operation": "upload", "binaryPropertyName": "data"}
    [record] = n8n.run(upload, file_item(b"a menu", "text/plain", "menu.txt"))
    item = download(n8n, "media", record["id"])
    assert item["json"]["sha256"] == record["sha256"]
    assert item["binary"]["file"]["fileName"] == "menu.txt"
    assert item["binary"]["file"]["mimeType"] == "text/plain"
    assert base64.b64decode(item["binary"]["file"]["data"]) == b"a menu"


def test_the_file_of_a_received_message_is_downloaded(n8n: N8nEngine, gateway: LiveGateway) -> None:
    picture = make_picture()
    content = ImageContent(media_type="image/png", caption="The harbour, received")
    act(gateway, Send(gateway.demo.contact_phone, content, file=picture))
    listing = {"resource": "message", "operation": "getAll", "returnAll": True}
    filters = {"direction": "inbound", "messageType": "image"}
    [message] = wait_for(lambda: n8n.run({**listing, "filters": filters}))
    item = download(n8n, "message", message["id"])
    assert item["json"]["id"] == message["id"]
    assert item["binary"]["file"]["mimeType"] == "image/png"
    assert base64.b64decode(item["binary"]["file"]["data"]) == picture


def test_a_message_without_a_file_says_so(n8n: N8nEngine, gateway: LiveGateway) -> None:
    [sent] = n8n.run(sending(gateway, body="Plain"))
    with pytest.raises(N8nError, match="This message has no file"):
        download(n8n, "message", sent["message_id"])
