"""Trying a request: an operation of the API, called in the visitor's own name."""

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.types import Receive, Scope, Send

from api_description import api_description
from dashboard_scene import DashboardScene, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.faces.api import calling
from heliograph.faces.api.app import create_operations
from heliograph.faces.api.calling import offer_calls
from heliograph.faces.api_calls import Call

DESCRIPTION = api_description()
SEND = {
    "phone_number": "+15550100001",
    "content": {"type": "text", "body": "See you <soon>"},
}


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        scene.calls = offer_calls(create_operations(scene.gateway), DESCRIPTION, network_timeout=30)
        yield scene


@pytest.fixture
async def acme(scene: DashboardScene) -> Organization:
    return await scene.organization("Acme")


def trying(organization: Organization) -> str:
    return path_of(organization, "developers/try")


def status_of(page: str) -> str:
    found = re.search(r'id="answer".*?</svg> (\d+ [^<]+)</span>', page, re.DOTALL)
    assert found is not None, page
    return found[1]


def body_of(page: str) -> Any:
    found = re.search(r'aria-label="Body of the answer">(.*?)</pre>', page, re.DOTALL)
    assert found is not None, page
    return msgspec.json.decode(html.unescape(found[1]))


def encoded(body: object) -> str:
    return msgspec.json.encode(body).decode()


async def test_every_operation_shows_its_form(scene: DashboardScene, acme: Organization) -> None:
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    assert len(scene.calls.operations) > 58
    for operation in scene.calls.operations:
        answer = await ada.get(f"{trying(acme)}?operation={operation.id}")
        assert answer.status_code == 200, operation.id
        assert f"<code>{operation.path}</code>" in answer.text
        for parameter in operation.parameters:
            assert f'name="of_{parameter.name}"' in answer.text, (operation.id, parameter.name)


async def test_a_message_is_sent_in_the_persons_name(
    scene: DashboardScene, acme: Organization
) -> None:
    await scene.device(acme)
    ada = await scene.member("ada", acme, MemberRole.AGENT)
    form = {"operation": "sendMessage", "body": encoded(SEND), "idempotency_key": "once"}
    page = (await ada.post(trying(acme), **form)).text
    assert status_of(page) == "200 OK"
    message_id = body_of(page)["message_id"]
    [row] = await scene.rows("SELECT id, sent_by FROM messages")
    assert str(row["id"]) == message_id
    assert msgspec.json.decode(row["sent_by"])["name"] == "Ada"
    again = (await ada.post(trying(acme), **form)).text
    assert body_of(again)["message_id"] == message_id
    assert "<dt>idempotent-replayed</dt><dd><code>true</code>" in again
    assert len(await scene.rows("SELECT id FROM messages")) == 1


async def test_the_role_decides_what_may_be_done(scene: DashboardScene, acme: Organization) -> None:
    await scene.device(acme)
    vera = await scene.member("vera", acme, MemberRole.VIEWER)
    shown = (await vera.get(f"{trying(acme)}?operation=sendMessage")).text
    assert "Your role does not grant <code>messages:write</code>" in shown
    page = (await vera.post(trying(acme), operation="sendMessage", body=encoded(SEND))).text
    assert status_of(page) == "403 Forbidden"
    assert await scene.rows("SELECT id FROM messages") == []
    listed = (await vera.post(trying(acme), operation="listDevices", of_limit="1")).text
    assert status_of(listed) == "200 OK"
    assert [device["name"] for device in body_of(listed)["devices"]] == ["Front desk"]


async def test_nobody_reaches_another_organization(
    scene: DashboardScene, acme: Organization
) -> None:
    globex = await scene.organization("Globex")
    theirs = await scene.device(globex)
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    form = {"operation": "getDevice", "of_device_id": str(theirs.id)}
    page = (await ada.post(trying(acme), **form)).text
    assert status_of(page) == "403 Forbidden"
    assert (await ada.post(trying(globex), **form)).status_code == 404


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"operation": "sendMessage", "body": "{"}, "422 Unprocessable", "json_invalid"),
        ({"operation": "sendMessage", "body": "{}"}, "422 Unprocessable", "content"),
        ({"operation": "listMessages", "of_limit": "0"}, "422 Unprocessable", "limit"),
        ({"operation": "getDevice", "of_device_id": "../../x"}, "404 Not Found", "detail"),
        ({"operation": "getDevice", "of_device_id": "a?b=c#d"}, "422 Unprocessable", "uuid"),
        ({"operation": "sendMessage", "body": "\0"}, "422 Unprocessable", "detail"),
    ],
)
async def test_a_bad_request_is_answered_as_the_api_does(
    scene: DashboardScene, acme: Organization, form: dict[str, str], status: str, said: str
) -> None:
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    answer = await ada.post(trying(acme), **form)
    assert answer.status_code == 200
    assert status_of(answer.text).startswith(status)
    assert said in encoded(body_of(answer.text))


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"operation": "getDevice", "of_device_id": ""}, "device_id is required."),
        ({"operation": "sendMessage", "idempotency_key": "ключ"}, "visible ASCII"),
        ({"operation": "createApiKey"}, "There is no operation &#39;createApiKey&#39;"),
        ({"operation": "<script>"}, "&lt;script&gt;"),
        ({}, "This is required."),
    ],
)
async def test_what_is_no_call_is_refused_in_words(
    scene: DashboardScene, acme: Organization, form: dict[str, str], problem: str
) -> None:
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    answer = await ada.post(trying(acme), **form)
    assert answer.status_code == 422
    assert problem in answer.text


async def test_the_command_has_the_same_request_and_no_key(
    scene: DashboardScene, acme: Organization
) -> None:
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    body = encoded(SEND | {"phone_number": "it's"})
    page = (await ada.post(trying(acme), operation="sendMessage", body=body)).text
    command = html.unescape(page.partition('id="command"')[2].partition(">")[2].partition("<")[0])
    assert command.startswith("curl -sS -X POST http://127.0.0.1:8000/api/v1/messages \\\n")
    assert "Bearer $HELIOGRAPH_API_KEY" in command
    assert """it'"'"'s""" in command
    assert "hg_" not in page


@pytest.mark.parametrize(("network_timeout", "is_cut_short"), [(0.1, True), (300, False)])
async def test_a_call_waits_longer_than_a_request_for_its_network(
    acme: Organization,
    monkeypatch: pytest.MonkeyPatch,
    *,
    network_timeout: float,
    is_cut_short: bool,
) -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.4)

    monkeypatch.setattr(calling, "_SPARE_TIME", 0.05)
    monkeypatch.setattr(calling, "MAX_WAIT", 0)
    calls = offer_calls(slow, DESCRIPTION, network_timeout=network_timeout)
    with pytest.raises(TimeoutError) if is_cut_short else nullcontext():
        await calls.call(operator(acme.tenant), Call("GET", "/api/v1/account", "", None, None))


def test_what_answers_with_a_secret_or_takes_a_file_is_left_out() -> None:
    calls = offer_calls(lambda *_: None, DESCRIPTION, network_timeout=30)  # type: ignore[arg-type]  # it is not called
    offered = {operation.id for operation in calls.operations}
    described = {
        operation["operationId"]
        for methods in DESCRIPTION["paths"].values()
        for operation in methods.values()
    }
    secret = {
        operation["operationId"] for operation in list_operations() if shows_secret(operation)
    }
    assert secret == {
        *("createApiKey", "rotateApiKey", "createWebhookSubscription", "rotateWebhookSecret")
    }
    assert described - offered == secret | {"getDevicePairing", "uploadMedia", "getMedia"}


def list_operations() -> list[dict[str, Any]]:
    return [each for methods in DESCRIPTION["paths"].values() for each in methods.values()]


def shows_secret(operation: dict[str, Any]) -> bool:
    """Whether an answer has a member that is one, by its name."""
    schemas = DESCRIPTION["components"]["schemas"]
    found = re.findall(r"#/components/schemas/(\w+)", json.dumps(operation["responses"]))
    return any(
        {"secret", "api_key", "key"} & schemas[name].get("properties", {}).keys() for name in found
    )
