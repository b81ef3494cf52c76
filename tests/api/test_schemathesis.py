"""Every operation of the description, tried with data that fits it and data that does not.

Against the running gateway: no 5xx, no status and no body outside the description, data that fits
is not called invalid, data that does not fit is refused.
"""

import re
import zlib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, CheckFunction
from schemathesis.core.result import Ok
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from api_description import api_description
from each_case import for_each
from heliograph.errors import BodyTooLargeError
from live_gateway import LiveGateway
from waiting import wait_until

pytest_plugins = ("live_fixtures",)
pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(1800),  # for all operations
]

JUDGED = (
    (("query", "after"), "This is not a position in this list"),
    (("header", "Last-Event-ID"), "This is not a position in this list"),
    (("query", "types"), "There is no event type"),
    (("header", "Idempotency-Key"), "used before, with another request"),
    (("body",), "must not contain NUL characters"),
    (("query", "file_name"), "a file name"),
    (("body",), "send the file's bytes"),
    (("body",), "two buttons have the same"),
    (("body", "invite_link"), "not an invite link"),
    (("body", "participants"), ""),
    (("body", "url"), ""),
    (("body", "headers"), "The gateway sets this header itself"),
    (("body", "headers"), "given twice"),
    (("body", "since"), "begins after it ends"),
    (("body", "cursor"), "not a position in this list"),
    (("query", "cursor"), "not a position in this list"),
    (("path", "subscription_id"), "is disabled"),
    (("body", "assignee_user_id"), "not a member"),
    (("body", "snoozed_until"), ""),
    (("body", "name"), "already a label"),
    (("body", "name"), "1 to 50 characters"),
    (("body", "name"), "not all of them blank"),
    (("body", "body"), "not all of them blank"),
    (("body", "phone_number"), ""),  # people write numbers in more ways than a schema can say
    (("body", "network"), "network"),
    (("body", "settings"), ""),
    (("body", "session_name"), "session"),
    (("body", "name"), "A name has"),
    (("body", "name"), "at least one visible"),
    (("body", "name"), "control characters"),
    (("body", "subject"), "at least one visible"),
    (("body", "subject"), "control characters"),
    (("body", "attributes"), "at least one visible"),
    (("body", "attributes"), "control characters"),
    (("body", "description"), "control characters"),
    (("body", "buttons"), "must not be blank"),
    (("body", "emoji"), "must not be blank"),
    (("body", "emoji"), "one emoji"),
    (("body", "description"), "at least one visible"),
    (("body", "is_primary"), "another device"),
    (("body", "chat_account_ids"), "no device with the id"),
    (("body", "expires_at"), "in the future"),
    (("body",), "exactly one of phone_number, conversation_id, contact_id"),
    (("body", "content"), ""),  # its kinds have rules that a schema can't say
    (("body", "reply_to_message_id"), "no message with this id"),
    (("body", "reply_to_message_id"), "another conversation"),
    (("body", "expires_at"), "would expire"),
    (("body", "scheduled_for"), "366 days"),
    (("body", "chat_account_id"), "is held by the account"),
    (("body", "contact_id"), "no phone number"),
    (("path", "message_id"), "This message came in"),
    (("path", "conversation_id"), "it is not a group"),
    (("path", "jid"), ""),
    (("body",), "one of subject and description"),
    (("body", "phone_numbers"), ""),
    (("query", "phone_number"), ""),
    (("body",), "more problems are not listed"),
)
"""Where and with which words the service or the chat network refuses well-formed values; and NUL
characters are refused in ignored members, too."""

SETTINGS = settings(
    max_examples=min(100, settings().max_examples // 5),
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Known:
    """What is really there, by the names that requests have for it."""

    gateway: LiveGateway
    in_path: dict[str, str]
    in_body: dict[str, str]


@pytest.fixture(scope="module")
def known(gateway: LiveGateway) -> Known:
    demo = gateway.demo
    in_body = {"chat_account_id": demo.chat_account_id, "session_name": demo.session_name}
    with httpx.Client(base_url=gateway.base_url, headers=gateway.headers, timeout=60) as client:
        return Known(gateway, make_resources(client, gateway), in_body)


def make_resources(client: httpx.Client, gateway: LiveGateway) -> dict[str, str]:
    """A message that has reached its contact, a group with its conversation, a label, and a
    synchronization of contacts."""
    phone = gateway.demo.contact_phone
    button = {"id": "yes", "title": "Yes"}
    body: dict[str, object] = {"phone_number": phone, "body": "Hello", "buttons": [button]}
    sent = client.post("/api/v1/messages/send/interactive/buttons", json=body).json()
    message = wait_for_contact(client, sent["message_id"])
    body = {"chat_account_id": gateway.demo.chat_account_id, "subject": "Trip"}
    group = client.post("/api/v1/conversations/groups", json=body | {"participants": [phone]})
    subscribed = client.post(
        "/api/v1/webhooks/subscriptions",
        json={"url": "https://backend.example/hook", "events": ["*"]},
    ).json()
    path = f"/api/v1/webhooks/subscriptions/{subscribed['id']}/ping"
    label = client.post("/api/v1/labels", json={"name": "Of the tests"}).json()
    account = {"chat_account_id": gateway.demo.chat_account_id}
    device = client.post("/api/v1/devices", json={"network": "sandbox", "name": "Spare"})
    key = client.post("/api/v1/api-keys", json={"name": "spare"})
    return {
        "device_id": device.json()["id"],
        "key_id": key.json()["id"],
        "subscription_id": subscribed["id"],
        "delivery_id": client.post(path).json()["delivery_id"],
        "label_id": label["id"],
        "job_id": client.post("/api/v1/contacts/sync", json=account).json()["job_id"],
        "message_id": message["id"],
        "contact_id": message["contact_id"],
        "conversation_id": group.json()["conversation_id"],
    }


def wait_for_contact(client: httpx.Client, message_id: str) -> dict[str, str]:
    def read() -> dict[str, str]:
        return dict(client.get(f"/api/v1/messages/{message_id}").json())

    wait_until(lambda: read()["contact_id"] is not None)
    return read()


def list_operations() -> Iterator[Any]:
    description = deepcopy(api_description())  # Schemathesis changes it while it makes requests
    schema = schemathesis.openapi.from_dict(description)
    for path in description["paths"].values():
        for described in path.values():
            operation_id = described["operationId"]
            yield pytest.param(schema.include(operation_id=operation_id), id=operation_id)


@for_each("schema", list_operations)
def test_an_operation_keeps_to_its_description(schema: BaseSchema, known: Known) -> None:
    # Cases are made here: with Schemathesis' own decorator every process of the tests would make
    # those of all operations while it collects, which takes 25 s and a gigabyte.
    [built] = get_all_tests(
        schema=schema,
        test_func=keep_to_the_description,
        settings=SETTINGS,
        given_kwargs={},
    )
    assert isinstance(built, Ok)
    _, try_all = built.ok()
    try_all(known=known)


def keep_to_the_description(case: Case[Any], known: Known) -> None:
    use_what_is_there(case, known)
    response = case.call(base_url=known.gateway.base_url, headers=known.gateway.headers)
    excluded: list[CheckFunction] = []
    if is_beyond_schemas(response):
        excluded.append(positive_data_acceptance)
    if is_too_large(response):
        excluded.append(negative_data_rejection)
    case.validate_response(response, excluded_checks=excluded)


def use_what_is_there(case: Case[Any], known: Known) -> None:
    """Let well-formed requests name what exists, in about three of four cases."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.query, dict) and "wait" in case.query:
        case.query["wait"] = 0  # what it does is tested elsewhere, and takes up to 30 s
    for values, existing in ((case.path_parameters, known.in_path), (case.body, known.in_body)):
        if isinstance(values, dict) and zlib.crc32(repr(values).encode()) % 4:
            values.update({name: existing[name] for name in values.keys() & existing.keys()})


def is_beyond_schemas(response: schemathesis.Response) -> bool:
    """Whether this is a 422 for what no schema can say, as the reference describes it."""
    if response.status_code != 422:
        return False
    return all(
        any(
            tuple(problem["loc"][: len(loc)]) == loc and words in problem["msg"]
            for loc, words in JUDGED
        )
        for problem in response.json()["detail"]
    )


def is_too_large(response: schemathesis.Response) -> bool:
    """Whether this refuses a body for its size, which schemathesis takes for no refusal."""
    if response.status_code != BodyTooLargeError.status:
        return False
    [limit] = re.findall(r"larger than (\d+) bytes", response.json()["detail"])
    return int(response.request.headers["Content-Length"]) > int(limit)
