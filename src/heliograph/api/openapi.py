"""The description of the public API: FastAPI's, completed with scopes, headers and examples."""

from collections.abc import Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi

from heliograph.api.answers import answer_headers
from heliograph.api.routes import GatewayRoute
from heliograph.api.schemas.errors import Error

VERSION = "1.0.0"
TITLE = "Heliograph"
DESCRIPTION = """\
A self-hosted, multi-tenant messaging gateway.

Every request carries `Authorization: Bearer <API key>`. An error other than 422 has the body
`{"detail": "<a sentence>", "code": "<a word>"}`. Every answer carries `X-Request-Id`.

Unknown query parameters and unknown body fields are ignored. Times are ISO 8601 in UTC.
"""
SECURITY_SCHEME = "apiKey"
TAGS = {
    "Messages": "Send messages, follow them, count them.",
    "Conversations": "Everything said between an account and a person or group.",
    "Groups": "Groups on the chat network.",
    "Contacts": "The people an account knows.",
    "Devices": "The organization's accounts on chat networks.",
    "Webhooks": "What was delivered to the organization's endpoints.",
}

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


def describe(routes: Sequence[GatewayRoute]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these operations."""
    document = get_openapi(
        title=TITLE,
        version=VERSION,
        description=DESCRIPTION,
        routes=routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        separate_input_output_schemas=False,
    )
    components = document["components"]
    components["schemas"]["Error"] = Error.model_json_schema()
    components["securitySchemes"] = {
        SECURITY_SCHEME: {"type": "http", "scheme": "bearer", "bearerFormat": "API key"}
    }
    for route in routes:
        for method in route.methods or ():
            _complete(document["paths"][route.path_format][method.lower()], route)
    return document


def _complete(operation: dict[str, Any], route: GatewayRoute) -> None:
    scope = route.required_scope
    operation["description"] += f"\n\nRequired scope: `{scope}`."
    operation["x-required-scope"] = scope
    # optional by the empty alternative: a request without a key is well-formed, and answered 401
    operation["security"] = [{SECURITY_SCHEME: []}, {}]
    success = operation["responses"][str(route.status_code or 200)]
    success["headers"] = answer_headers(200) | _replay_header(operation)
    success["content"]["application/json"]["example"] = _example_of(route.response_model)
    invalid = operation["responses"]["422"]
    invalid["headers"] = answer_headers(422)
    invalid["content"]["application/json"]["example"] = _INVALID_EXAMPLE
    if "requestBody" in operation and route.body_field is not None:
        content = operation["requestBody"]["content"]["application/json"]
        content["example"] = _example_of(route.body_field.field_info.annotation)
    operation["responses"] = dict(sorted(operation["responses"].items()))


def _replay_header(operation: dict[str, Any]) -> dict[str, Any]:
    if "requestBody" not in operation:
        return {}
    return {
        "Idempotent-Replayed": {
            "description": "Present when this answer was given before, to the same "
            "`Idempotency-Key`.",
            "schema": {"type": "string", "const": "true"},
        }
    }


def _example_of(model: Any) -> Any:
    """The example that the model's own schema shows."""
    return model.model_json_schema()["examples"][0]
