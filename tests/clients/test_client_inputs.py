"""What people get wrong with the clients' keys, ids, secrets and objects, and what they may do."""

import asyncio
import inspect
import json
import time
from typing import Any

import pytest

from each_case import for_each
from heliograph.platform.crypto.webhook_signing import generate_webhook_secret, sign_webhook
from heliograph_client import AsyncHeliograph, Heliograph, verify_webhook
from live_gateway import LiveGateway
from typescript_client import Project

pytest_plugins = ("live_fixtures", "typescript_fixtures")
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

SAFE = "https://gateway.example"
KEYS: dict[Any, str] = {
    None: "must be a string",
    7: "must be a string",
    "": "is empty",
    " \n": "is empty",
    "hg_secret one": "has a character that no key has",
    "hg_secret\none": "has a character that no key has",
    "hg_secrét": "has a character that no key has",
}


@for_each("key", KEYS)
def test_a_key_that_can_be_none_is_told_at_once_and_not_shown(key: Any) -> None:
    for client in (Heliograph, AsyncHeliograph):
        with pytest.raises(ValueError, match=f"api_key {KEYS[key]}") as refused:
            client(SAFE, key)
        assert "hg_secr" not in str(refused.value)


async def test_typescript_tells_of_such_a_key_too(project: Project) -> None:
    code = """
    for (const key of given) {
      await attempt(() => new Heliograph({ baseUrl, apiKey: key }));
      if (key === null) continue;
      await attempt(() => new Heliograph({ baseUrl, apiKey: () => key }).listDevices());
    }
    await attempt(() => new Heliograph({ baseUrl: undefined, apiKey }));
    """
    *printed, unset = await project.run(code, list(KEYS))
    expected = [text for key, text in KEYS.items() for _ in range(1 if key is None else 2)]
    for (kind, told), text in zip(printed, expected, strict=True):
        assert (kind, text in told, "hg_secr" in told) == ("TypeError", True, False), told
    assert unset[0] == "TypeError"
    assert "baseUrl must be an address" in unset[1]


async def test_a_key_with_the_line_break_of_its_file_is_taken(
    gateway: LiveGateway, project: Project
) -> None:
    key = gateway.demo.api_key + "\n"
    with Heliograph(gateway.base_url, key) as client:
        assert (await asyncio.to_thread(client.list_devices)).devices
    code = """
    const made = new Heliograph({ baseUrl: new URL(baseUrl), apiKey: async () => apiKey });
    for (const client of [heliograph, made]) print((await client.listDevices()).devices.length);
    """
    environment = {"HELIOGRAPH_URL": gateway.base_url, "HELIOGRAPH_API_KEY": key}
    assert await project.run(code, **environment) == [1, 1]


async def test_typescript_tells_of_an_id_that_is_none(project: Project) -> None:
    code = """
    for (const message_id of given) {
      await attempt(() => heliograph.getMessage({ path: { message_id } }));
    }
    """
    wrong = ["", "a/b", "..", None, 7]
    printed = await project.run(code, wrong)
    for (kind, told), given in zip(printed, wrong, strict=True):
        assert kind == "TypeError"
        assert told.startswith(f"message_id: {json.dumps(given)} is not an id of the gateway")


SECRETS = ["", "whsec_", "whsec_x", "whsec_x!", "hg_5MVpQ2xq", "eHh4", None, 7]


@for_each("secret", SECRETS)
def test_a_secret_that_is_none_is_told(secret: Any) -> None:
    with pytest.raises(ValueError, match="is not a webhook's secret"):
        verify_webhook(secret, b"{}", {})


async def test_typescript_tells_of_a_secret_or_headers_that_are_none(project: Project) -> None:
    code = """
    for (const [secret, headers] of [...given.map((each) => [each, {}]), ["whsec_eHh4"]]) {
      await attempt(() => verifyWebhook(secret, "{}", headers));
    }
    """
    *printed, headers = await project.run(code, SECRETS)
    assert [kind for kind, _ in printed] == ["TypeError"] * len(SECRETS)
    assert all("is not a webhook's secret" in told for _, told in printed)
    assert headers[0] == "TypeError"
    assert "needs the headers" in headers[1]


async def test_headers_are_in_any_case_and_in_pairs_and_a_secret_has_its_line_break(
    project: Project,
) -> None:
    secret, now = generate_webhook_secret(), int(time.time())
    body = b'{"type": "webhook.ping", "timestamp": "2026-03-02T09:15:40Z", "data": {}}'
    signed = {
        "Webhook-Id": "1",
        "WEBHOOK-TIMESTAMP": str(now),
        "webhook-signature": sign_webhook([secret], "1", now, body)["webhook-signature"],
    }
    in_bytes = [(name.encode(), value.encode()) for name, value in signed.items()]
    for headers in (signed, list(signed.items()), in_bytes):
        [event] = verify_webhook(f"{secret}\n", body, headers)
        assert event.type == "webhook.ping"
    code = """
    const { secret, body, headers } = given;
    const forms = [headers, Object.entries(headers), new Map(Object.entries(headers))];
    for (const form of forms) print(verifyWebhook(secret, body, form)[0].type);
    """
    given = {"secret": f"{secret}\n", "body": body.decode(), "headers": signed}
    assert await project.run(code, given) == ["webhook.ping"] * 3


@pytest.mark.parametrize("kind", [Heliograph, AsyncHeliograph])
def test_all_members_of_a_body_are_arguments(kind: type) -> None:
    bodies = {
        name: str(arguments["body"].annotation)
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if "body" in (arguments := inspect.signature(method).parameters)
    }
    assert bodies.pop("upload_media") == "File"
    assert {text for text in bodies.values() if "str" not in text} == set()


def test_objects_may_be_dicts_and_optional_members_are_arguments(gateway: LiveGateway) -> None:
    phone = gateway.demo.contact_phone
    with Heliograph(gateway.base_url, gateway.demo.api_key) as client:
        sent = client.send_message(
            phone_number=phone,
            content={"type": "buttons", "body": "Well?", "buttons": [{"id": "y", "title": "Yes"}]},
            metadata={"order": "4711"},
        )
        assert client.get_message(sent.message_id).metadata
        again = client.send_button_message(
            phone_number=phone, body="Well?", buttons=[{"id": "y", "title": "Yes"}]
        )
        assert again.success
        made = client.create_webhook_subscription(
            url="https://example.com/h", events=["*"], batch={"max_events": 5}
        )
        rotated = client.rotate_webhook_secret(made.id, grace_seconds=3600)
        assert rotated.secret != made.secret
        client.delete_webhook_subscription(made.id)
