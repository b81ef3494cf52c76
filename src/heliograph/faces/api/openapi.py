"""The description of the public API: FastAPI's, and scopes, headers, examples, errors, events.

Its section `webhooks` describes what the gateway posts to its customers. `make clients` writes it
to `openapi.json`, which nodes read: to make it would take a fifth of their start.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core.core_schema import WithDefaultSchema

from heliograph.core.webhooks.headers import DESCRIBED_HEADERS
from heliograph.core.webhooks.queue.batching import BATCH_TYPE
from heliograph.faces.api.dependencies import IDEMPOTENCY_HEADER
from heliograph.faces.api.error_responses import response_headers
from heliograph.faces.api.open_unions import with_open_unions
from heliograph.faces.api.request_defaults import say_defaults
from heliograph.faces.api.routes import GatewayRoute
from heliograph.faces.api.schemas.batches import BATCH_EXAMPLE, BATCH_SCHEMA
from heliograph.faces.api.schemas.events import EVENTS, DescribedEvent
from heliograph.faces.api.schemas.extensible_enums import ErrorBody
from heliograph.faces.api.schemas.fields import example_of
from heliograph.faces.api.schemas.typed_content import UnknownContent

VERSION = "1.0.0"
TITLE = "Heliograph"
DESCRIPTION = """\
A self-hosted, multi-tenant messaging gateway.

Every request carries `Authorization: Bearer <API key>`. An error other than 422 has the body
`{"detail": "<a sentence>", "code": "<a word>"}`. Every answer carries `X-Request-Id`.

Unknown query parameters and body fields are ignored by the ten operations of the first version, and
refused by all others (422). Times are ISO 8601 in UTC.

Fields may be added to answers and events, and values to those that a field can have: ignore what
you don't know.
"""
CONTACT = "Whoever runs this gateway"
LICENSE = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
SECURITY_SCHEME = "apiKey"
EVENTS_TAG = "Events"
"""No operation has it: generators put what has one tag into one file, calls or events."""

TAGS = {
    "Messages": "Send messages, follow them, count them.",
    "Media": "Files to send.",
    "Conversations": "Everything said between an account and a person or group.",
    "Labels": "The organization's own words for its conversations and contacts.",
    "Groups": "Groups on the chat network.",
    "Contacts": "The people an account knows.",
    "Devices": "The organization's accounts on chat networks.",
    "Webhooks": "Endpoints for events, their deliveries and attempts.",
    "Event log": "Events, read in order, without an endpoint.",
    "API keys": "The keys with which programs call this API.",
    EVENTS_TAG: "The posting of events to webhooks.",
}

_FILE = Path(__file__).with_name("openapi.json")
_OF_FASTAPI = ("HTTPValidationError", "ValidationError")
"""Left as FastAPI has them, as its users know them."""
_IDS = {
    "message_id": "The message's id.",
    "conversation_id": "The conversation's id.",
    "contact_id": "The contact's id.",
    "label_id": "The label's id.",
    "media_id": "The file's id, as returned by the upload.",
    "job_id": "The synchronization's id, as returned at its start.",
    "device_id": "The device's id: the `chat_account_id` of messages and conversations.",
    "subscription_id": "The webhook's id.",
    "delivery_id": "The delivery's id.",
    "key_id": "The API key's id.",
}
"""The descriptions of the ids in paths."""

_INVALID_EXAMPLE = {
    "detail": [
        {
            "type": "uuid_parsing",
            "loc": ["path", "message_id"],
            "msg": "Input should be a valid UUID, invalid character: expected an optional prefix "
            "of `urn:uuid:` followed by [0-9a-fA-F-], found `x` at 1",
            "input": "x",
            "ctx": {"error": "invalid character"},
        }
    ]
}


def read_description(public_url: str | None = None) -> dict[str, Any]:
    """Return the OpenAPI document as it was made, of a gateway at this address.

    Without an address the operations are relative to the document.
    """
    document: dict[str, Any] = msgspec.json.decode(_FILE.read_bytes())
    if public_url is not None:
        document["servers"] = [{"url": public_url}]
        document["info"]["contact"]["url"] = public_url
    return document


def make_description(routes: Sequence[GatewayRoute]) -> dict[str, Any]:
    """Make the OpenAPI 3.1 document of these operations."""
    document = get_openapi(
        title=TITLE,
        version=VERSION,
        description=DESCRIPTION,
        routes=routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        servers=[{"url": "/"}],
        contact={"name": CONTACT},
        license_info=LICENSE,
        separate_input_output_schemas=False,
    )
    document["webhooks"] = describe_webhooks()
    components = document["components"]
    components["schemas"] = with_open_unions(components["schemas"] | _other_schemas())
    say_defaults(document)
    components["securitySchemes"] = {
        SECURITY_SCHEME: {"type": "http", "scheme": "bearer", "bearerFormat": "API key"}
    }
    for route in routes:
        for method in route.methods or ():
            _complete(document["paths"][route.path_format][method.lower()], route)
    _drop_titles(document["paths"])
    for name, schema in components["schemas"].items():
        if name not in _OF_FASTAPI:
            _drop_titles(schema.get("properties"))
    return document


def _drop_titles(part: Any) -> None:
    """Drop the titles of members and parameters: they only repeat the names, and generators copy
    them into each comment."""
    if isinstance(part, dict) and isinstance(part.get("title"), str):
        del part["title"]
    if isinstance(part, dict | list):
        for key, each in part.items() if isinstance(part, dict) else enumerate(part):
            if key not in ("example", "examples"):
                _drop_titles(each)


class _AsFastApi(GenerateJsonSchema):
    """Leave out `default: null`, as FastAPI does: code generators take it for a value."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if described.get("default", ...) is None:
            del described["default"]
        return described


def _other_schemas() -> dict[str, Any]:
    """Return the schemas that no operation of FastAPI's refers to: errors and events."""
    models: list[type[BaseModel]] = [
        ErrorBody,
        UnknownContent,
        *(event.schema for event in EVENTS),
    ]
    _, found = models_json_schema(
        [(model, "validation") for model in models],
        ref_template="#/components/schemas/{model}",
        schema_generator=_AsFastApi,
    )
    schemas: dict[str, Any] = found["$defs"]
    return schemas


def _complete(operation: dict[str, Any], route: GatewayRoute) -> None:
    scope = route.required_scope
    operation["description"] += f"\n\nRequired scope: `{scope}`."
    operation["x-required-scope"] = scope
    # optional by the empty alternative: a request without a key is well-formed, and answered 401
    operation["security"] = [{SECURITY_SCHEME: []}, {}]
    for parameter in operation["parameters"]:
        if parameter["in"] == "path" and "description" not in parameter:
            parameter["description"] = _IDS[parameter["name"]]
    success = operation["responses"][str(route.status_code or 200)]
    success["headers"] = response_headers(200) | _replay_header(operation)
    if route.response_model is not None:
        success["content"]["application/json"]["example"] = example_of(route.response_model)
    invalid = operation["responses"]["422"]
    invalid["headers"] = response_headers(422)
    invalid["content"]["application/json"]["example"] = _INVALID_EXAMPLE
    if "requestBody" in operation and route.body_field is not None:
        content = operation["requestBody"]["content"]["application/json"]
        content["example"] = example_of(route.body_field.field_info.annotation)
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _replay_header(operation: dict[str, Any]) -> dict[str, Any]:
    names = {parameter["name"] for parameter in operation.get("parameters", ())}
    if IDEMPOTENCY_HEADER not in names:
        return {}
    return {
        "Idempotent-Replayed": {
            "description": "Present if this answer was given before, to the same "
            "`Idempotency-Key`.",
            "schema": {"type": "string", "const": "true"},
        }
    }


_RESPONSES = {
    "2XX": {"description": "Accepted. After any other answer the event is posted again."},
    "410": {"description": "The endpoint is gone: the webhook is disabled."},
}


def describe_webhooks() -> dict[str, Any]:
    """Return a path item for each event type, and one for batches; the schemas have to be in the
    components."""
    items = {event.event_type.value: {"post": _describe(event)} for event in EVENTS}
    summary = "Several events, to a webhook with batches (`batch`)"
    batch = _describe_post("Batch", BATCH_SCHEMA, summary, BATCH_EXAMPLE)
    return items | {BATCH_TYPE: {"post": batch}}


def _describe(event: DescribedEvent) -> dict[str, Any]:
    name = event.schema.__name__
    schema = {"$ref": f"#/components/schemas/{name}"}
    return _describe_post(name.removesuffix("Event"), schema, event.summary, event.example)


def _describe_post(
    name: str, schema: dict[str, Any], summary: str, example: dict[str, Any]
) -> dict[str, Any]:
    return {
        "tags": [EVENTS_TAG],
        "summary": summary,
        "description": f"{summary}. Signed by the Standard Webhooks specification 1.0.0.",
        "operationId": f"on{name}",
        # no client calls it, and OpenAPI Generator makes invalid Python of it unless told so
        "x-internal": True,
        "security": [],
        "parameters": [
            {
                "name": header,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for header, text in DESCRIBED_HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": schema,
                    "example": example,
                }
            },
        },
        "responses": _RESPONSES,
    }
