"""`/openapi.json` against the first ten operations as they were, and the rules that all keep."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from api_description import api_description, reachable, walk
from each_case import for_each
from heliograph.core.events.model import EventType
from heliograph.errors import GatewayError
from heliograph.faces.api.openapi import read_description
from heliograph.faces.api.request_body import MAX_BODY
from heliograph.networks.content import Content

FIRST_TEN = Path(__file__).with_name("first_ten_operations.json")
WORDS = {"title", "description", "example", "examples"}
DEFAULT = re.compile(r"Default: `(.*)`\.$")
GAINED = {
    "Message": {
        *("typed_content", "sender", "conversation_id", "reply_to_message_id", "sent_by", "run_id"),
        *("metadata", "expires_at", "edited_at", "deleted_at", "reactions", "referral"),
    },
}
"""What records have beyond those of the first ten operations, none of it required."""

EVERY = (401, 403, 413, 422, 429, 503)
DOCUMENT = api_description()
SCHEMAS = DOCUMENT["components"]["schemas"]


ADDRESSES = {
    operation["operationId"]: (method, path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def without_words(part: Any) -> Any:
    """The part without what is said to people, but for the default that a description tells."""
    if isinstance(part, list):
        return [without_words(each) for each in part]
    if not isinstance(part, dict):
        return part
    told = DEFAULT.search(str(part.get("description", "")))
    found = {
        key: without_words(each)
        for key, each in part.items()
        if key not in WORDS or isinstance(each, dict)  # a member may have such a name
    }
    return found | ({"default": json.loads(told[1])} if told else {})


def first_schemas(names: Iterable[str]) -> dict[str, Any]:
    """These schemas, without what they have gained."""
    schemas = {name: without_words(SCHEMAS[name]) for name in names}
    for name, gained in GAINED.items():
        members = schemas[name]["properties"]
        schemas[name]["properties"] = {
            key: each for key, each in members.items() if key not in gained
        }
        assert not gained & set(schemas[name]["required"])
    return schemas


def test_the_first_ten_operations_take_and_answer_what_they_always_did() -> None:
    """In the order of then, which clients with positional arguments may go by. `make clients`
    writes the description anew, but not this."""
    first = json.loads(FIRST_TEN.read_text())
    today = {
        "operations": {name: first_operation(name) for name in first["operations"]},
        "schemas": first_schemas(first["schemas"]),
    }
    assert json.dumps(today, indent=1) == json.dumps(first, indent=1)


def first_operation(name: str) -> dict[str, Any]:
    """Where it is, for which keys, and what it takes and answers with which status."""
    found = described(name)
    query = [given for given in found["parameters"] if given["in"] == "query"]
    return {
        "address": list(ADDRESSES[name]),
        "scope": found["x-required-scope"],
        "query": without_words(query),
        "request": schema_of(found.get("requestBody", {})),
        "responses": {
            status: schema_of(response) for status, response in found["responses"].items()
        },
    }


def schema_of(message: Mapping[str, Any]) -> Any:
    """The schema of a request's body, or of an answer's."""
    return message.get("content", {}).get("application/json", {}).get("schema")


every_operation = for_each("name", ADDRESSES)


def described(name: str) -> dict[str, Any]:
    method, path = ADDRESSES[name]
    found: dict[str, Any] = DOCUMENT["paths"][path][method]
    return found


@every_operation
def test_an_operation_has_one_tag_and_tells_its_scope(name: str) -> None:
    found = described(name)
    assert len(found["tags"]) == 1
    assert f"`{found['x-required-scope']}`" in found["description"]


@every_operation
def test_an_operation_answers_what_follows_from_its_address_and_its_body(name: str) -> None:
    (method, path), found = ADDRESSES[name], described(name)
    statuses = {int(status) for status in found["responses"]}
    assert statuses >= set(EVERY)
    assert (415 in statuses) == ("requestBody" in found)
    assert 404 in statuses or "{" not in path
    assert (502 in statuses) == (504 in statuses)
    [success] = [status for status in statuses if status < 300]
    assert ("content" in found["responses"][str(success)]) == (success != 204)
    assert method == "delete" or success != 204


@every_operation
def test_the_authorization_header_is_optional(name: str) -> None:
    found = described(name)
    [header] = [given for given in found["parameters"] if given["name"] == "Authorization"]
    assert header["in"] == "header"
    assert header["required"] is False
    assert {} in found["security"]


@every_operation
def test_every_answer_has_a_request_id_and_known_keys_learn_their_rate(name: str) -> None:
    for status, answer in described(name)["responses"].items():
        assert "X-Request-Id" in answer["headers"]
        assert ("RateLimit" in answer["headers"]) == (status not in ("401", "413"))
        assert ("Retry-After" in answer["headers"]) == (status in ("429", "503"))


@every_operation
def test_idempotency_is_offered_on_every_post(name: str) -> None:
    headers = [
        parameter["name"]
        for parameter in described(name)["parameters"]
        if parameter["in"] == "header"
    ]
    assert ("Idempotency-Key" in headers) == (ADDRESSES[name][0] == "post")


def test_the_version_is_the_contracts() -> None:
    assert DOCUMENT["info"]["version"] == "1.0.0"
    assert DOCUMENT["openapi"].startswith("3.1")


def test_no_schema_is_left_over() -> None:
    used = {name_of(part) for _, part in walk(DOCUMENT) if "$ref" in part}
    assert set(SCHEMAS) == used


# --- for clients that are generated ------------------------------------------------------------

EXTENSIBLE = {
    "MessageStatus",
    "MessageDirection",
    "MessageType",
    "ChatType",
    "ConversationStatus",
    "DeviceStatus",
    "DeliveryStatus",
    "EventType",
    "SyncStatus",
    "PictureType",
    "ErrorCode",
}
CHOSEN_BY_THE_CALLER = {
    "ChosenStatus",
    "DeviceSort",
    "SortOrder",
    "EventPattern",
    "FilteredChatType",
    "ReplayStatus",
    "method",
}


def name_of(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def test_what_the_gateway_says_is_never_a_closed_list() -> None:
    closed = {way[-1] for way, part in walk(DOCUMENT) if "enum" in part and way[-1] != "not"}
    assert closed == CHOSEN_BY_THE_CALLER


@for_each("name", sorted(EXTENSIBLE))
def test_a_list_of_words_is_a_string_with_a_name(name: str) -> None:
    schema = SCHEMAS[name]
    assert schema["type"] == "string"
    assert len(schema["x-extensible-enum"]) >= 2
    for word in schema["x-extensible-enum"]:
        assert f"`{word}`" in schema["description"]


def test_every_kind_of_content_is_a_word_of_message_type() -> None:
    kinds = {kind.__struct_config__.tag for kind in get_args(Content)}
    assert kinds <= set(SCHEMAS["MessageType"]["x-extensible-enum"])


@every_operation
def test_every_error_is_of_one_schema(name: str) -> None:
    for status, answer in described(name)["responses"].items():
        if status.startswith("2") or status == "422":
            continue
        content = answer["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
        assert set(content["examples"]) <= set(SCHEMAS["ErrorCode"]["x-extensible-enum"])
        for code, example in content["examples"].items():
            assert example["value"]["code"] == code
            assert f"`{code}`" in answer["description"]


def test_every_code_of_an_answer_is_known() -> None:
    codes = {error.code for error in GatewayError.every()} | {"internal_error"}
    of_the_tool_server = {"host_not_allowed", "origin_not_allowed"}
    of_metrics = {"invalid_metrics_token", "metrics_token_not_set"}
    known = codes - of_the_tool_server - of_metrics
    assert set(SCHEMAS["ErrorCode"]["x-extensible-enum"]) == known


def test_calls_and_events_have_tags_of_their_own() -> None:
    calls = {
        tag
        for path in DOCUMENT["paths"].values()
        for operation in path.values()
        for tag in operation["tags"]
    }
    events = {tag for item in DOCUMENT["webhooks"].values() for tag in item["post"]["tags"]}
    assert not calls & events
    assert calls | events == {tag["name"] for tag in DOCUMENT["tags"]}


def test_a_pattern_stands_beside_the_type_it_is_for() -> None:
    assert {part.get("type") for _, part in walk(DOCUMENT) if "pattern" in part} == {"string"}


@every_operation
def test_what_may_be_left_out_of_a_request_has_no_default_that_clients_would_send(
    name: str,
) -> None:
    body = described(name).get("requestBody", {}).get("content", {}).get("application/json", {})
    for taken in reachable(body.get("schema", {})):
        members = SCHEMAS[taken].get("properties", {})
        assert not [key for key, member in members.items() if "default" in member], taken


def test_lists_are_no_sets() -> None:
    assert not [way for way, part in walk(DOCUMENT) if "uniqueItems" in part]


def test_the_example_of_a_body_that_is_too_large_names_the_bound() -> None:
    answer = described("sendButtonMessage")["responses"]["413"]["content"]["application/json"]
    assert f" {MAX_BODY} " in answer["examples"]["body_too_large"]["value"]["detail"]


@every_operation
def test_a_plans_limit_is_reached_by_what_is_new_alone(name: str) -> None:
    codes = described(name)["responses"]["429"]["content"]["application/json"]["examples"]
    assert "plan_limit_reached" not in codes or ADDRESSES[name][0] in ("post", "patch")


def test_the_document_says_where_the_gateway_is() -> None:
    document = read_description("https://gateway.example/messaging")
    assert document["servers"] == [{"url": "https://gateway.example/messaging"}]
    assert DOCUMENT["servers"] == [{"url": "/"}]


@for_each("event_type", EventType)
def test_every_event_has_its_schema_and_an_example_that_fits(event_type: EventType) -> None:
    posted = DOCUMENT["webhooks"][event_type]["post"]
    content = posted["requestBody"]["content"]["application/json"]
    schema = SCHEMAS[name_of(content["schema"])]
    assert schema["properties"]["type"]["const"] == event_type
    assert content["example"]["type"] == event_type
    names = [header["name"] for header in posted["parameters"]]
    assert names == ["webhook-id", "webhook-timestamp", "webhook-signature"]
    assert posted["x-internal"] is True, "generators of clients make a function of it"


def test_there_is_no_other_event() -> None:
    assert list(DOCUMENT["webhooks"]) == [*EventType, "batch"]
