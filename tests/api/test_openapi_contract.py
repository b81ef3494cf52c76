"""`/openapi.json` against the tables of the first ten operations, and the rules that all keep.

The tables name what there is and what may be left out. What an operation takes and answers, of
which types and within which bounds, stands in `clients/openapi.json`, which another test holds
against today's description.
"""

from collections.abc import Mapping
from typing import Any, get_args

from api_description import api_description, reachable, walk
from each_case import for_each
from heliograph.core.events.model import EventType
from heliograph.errors import GatewayError
from heliograph.faces.api.app import describe_api
from heliograph.faces.api.request_body import MAX_BODY
from heliograph.networks.content import Content

MEMBERS = {
    "CreateGroup": "chat_account_id subject participants",
    "SendButtons": "phone_number body buttons footer? chat_account_id?",
    "ButtonInput": "id title",
    "SyncContacts": "chat_account_id",
    "JoinGroup": "session_name invite_link",
    "Conversation": (
        "id chat_account_id remote_jid status unread_count created_at updated_at contact_id? "
        "phone_number? is_group? group_subject? assignee_user_id? agent_paused? subject? "
        "last_message_preview? last_message_at? last_inbound_at? last_outbound_at? "
        "contact_name? contact_chat_name? contact_profile_picture_url? display_name? pinned? "
        "chat_group_id? snoozed_until? labels?"
    ),
    "Label": "id organization_id name color created_at",
    "Message": (
        "id phone_number content status direction retry_count chat_account_id created_at "
        "updated_at chat_type? group_jid? group_name? message_type? media_type? media_url? "
        "failure_reason? chat_message_id? variable_values? contact_id? contact_name? "
        "campaign_id? batch_id? scheduled_for? queued_at? sent_at? delivered_at? read_at? "
        "failed_at?"
    ),
    "Device": (
        "id name session_name status is_primary message_logging_enabled auto_warmer_enabled "
        "total_messages_sent total_messages_received contacts_synced_count created_at "
        "updated_at phone_number? last_connected_at? last_health_check_at? "
        "last_contact_sync_at? last_contact_sync_status? network restriction?"
    ),
    "ProfilePicture": (
        "contact_id phone_number? url preview chat_account_id picture_id picture_type cached?"
    ),
    "WebhookEvent": (
        "id webhook_id webhook_url event_type status retry_count created_at response_code? "
        "error_message? delivered_at?"
    ),
    "MessageStatistics": "total by_status by_direction outbound_by_status last_7_days last_30_days",
    "CreatedGroup": "conversation_id group_jid subject",
    "SendResult": "success message_id status run_id",
    "SyncStarted": "success message job_id status",
    "JoinedGroup": "success jid name owner_jid group_created",
    "DeviceList": "devices total limit offset",
    "WebhookEventList": "events total",
    "ValidationError": "loc msg type input? ctx?",
    "HTTPValidationError": "detail?",
}
"""In their order; those with a question mark may be left out."""

GAINED = {
    "Message": {
        *("typed_content", "sender", "conversation_id", "reply_to_message_id", "sent_by", "run_id"),
        *("metadata", "expires_at", "edited_at", "deleted_at", "reactions", "referral"),
    },
}
"""What records have beyond the first ten operations' tables, none of it required."""


EVERY = (401, 403, 413, 422, 429, 503)
OPERATIONS = {
    "createConversationGroup": ("post", "/api/v1/conversations/groups", "groups:write"),
    "sendButtonMessage": ("post", "/api/v1/messages/send/interactive/buttons", "messages:write"),
    "syncContacts": ("post", "/api/v1/contacts/sync", "contacts:write"),
    "joinGroup": ("post", "/api/v1/groups/join", "groups:write"),
    "getContactProfilePicture": (
        "get",
        "/api/v1/contacts/{contact_id}/profile-picture",
        "contacts:read",
    ),
    "getConversation": ("get", "/api/v1/conversations/{conversation_id}", "conversations:read"),
    "getMessage": ("get", "/api/v1/messages/{message_id}", "messages:read"),
    "listDevices": ("get", "/api/v1/devices", "admin:read"),
    "getMessageStats": ("get", "/api/v1/messages/stats/summary", "messages:read"),
    "listOrgWebhookEvents": ("get", "/api/v1/webhooks/subscriptions/events", "webhooks:read"),
}
DOCUMENT = api_description()
SCHEMAS = DOCUMENT["components"]["schemas"]


@for_each("name", MEMBERS)
def test_a_body_has_exactly_the_members_of_its_table(name: str) -> None:
    members, schema = MEMBERS[name].split(), SCHEMAS[name]
    known = [key for key in schema["properties"] if key not in GAINED.get(name, ())]
    assert known == [member.removesuffix("?") for member in members]
    assert schema.get("required", []) == [key for key in members if not key.endswith("?")]


ADDRESSES = {
    operation["operationId"]: (method, path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def test_the_ten_operations_are_where_they_were_and_for_the_same_keys() -> None:
    for name, operation in OPERATIONS.items():
        assert (*ADDRESSES[name], described(name)["x-required-scope"]) == operation


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
    document = describe_api("https://gateway.example/messaging")
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
