"""The tools' input as strict readers take it, and what the server takes all the same."""

import re
from collections.abc import Iterator
from json import loads
from typing import Any

from each_case import for_each
from heliograph.faces.api.app import list_operations
from heliograph.faces.mcp.api_index import INDEX, uri_of
from heliograph.faces.mcp.input_schemas import without_nulls
from heliograph.faces.mcp.resources import list_resources
from heliograph.faces.mcp.server import TOOLS
from heliograph.faces.mcp.tool import Tool

EVERY_TOOL = for_each("tool", TOOLS.values(), ids=lambda tool: tool.name)
TAKEN_BY_ALL = {
    *("type", "description", "enum", "properties", "required", "items", "anyOf"),
    *("minimum", "maximum", "minItems", "maxItems", "format"),
}
"""Words that Gemini's declarations and OpenAI's strict mode both know."""
TYPES = {"object", "array", "string", "integer", "number", "boolean"}


def schemas_in(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from schemas_in(inner)
    if "items" in schema:
        yield from schemas_in(schema["items"])


@EVERY_TOOL
def test_a_tools_input_has_only_words_that_every_reader_knows(tool: Tool) -> None:
    for schema in schemas_in(tool.describe().input_schema):
        assert schema.keys() <= TAKEN_BY_ALL
        assert schema.get("format", "date-time") == "date-time"
        if "anyOf" in schema:
            assert schema.keys() == {"anyOf"}, "something stands beside a choice"
            continue
        assert schema["type"] in TYPES
        if schema["type"] == "object":
            assert set(schema.get("required", ())) <= schema["properties"].keys()
        if schema["type"] == "array":
            assert schema["items"]
        assert "enum" not in schema or schema["type"] == "string"


@EVERY_TOOL
def test_an_object_within_a_tools_input_names_a_member(tool: Tool) -> None:
    own, *inner = schemas_in(tool.describe().input_schema)
    assert own["type"] == "object"
    assert all(schema["properties"] for schema in inner if schema.get("type") == "object")


@EVERY_TOOL
def test_what_must_be_given_is_what_the_tool_needs(tool: Tool) -> None:
    described = tool.describe().input_schema
    assert described["properties"].keys() == tool.input.model_fields.keys()
    needed = {name for name, field in tool.input.model_fields.items() if field.is_required()}
    assert set(described.get("required", ())) == needed


@EVERY_TOOL
def test_what_must_be_given_is_never_null(tool: Tool) -> None:
    # what is null is left out before it is read
    schema = tool.input.model_json_schema()
    for described in (schema, *schema.get("$defs", {}).values()):
        members = described.get("properties", {})
        for name in described.get("required", ()):
            assert {"type": "null"} not in members[name].get("anyOf", ()), name


def test_null_is_as_good_as_leaving_out() -> None:
    row = {"id": "1", "title": "One", "description": None}
    section = {"title": None, "rows": [row]}
    said = {"limit": None, "content": {"sections": [section], "footer": None}}
    left = {"content": {"sections": [{"rows": [{"id": "1", "title": "One"}]}]}}
    assert without_nulls(said) == left
    assert without_nulls({"mentions": [None]}) == {"mentions": [None]}


def test_what_is_left_out_of_a_schema_is_told_in_words() -> None:
    members = TOOLS["list_messages"].describe().input_schema["properties"]
    assert members["limit"]["description"].endswith("Default: 20.")
    assert members["conversation_id"]["description"].endswith("A UUID.")
    body = TOOLS["send_text_message"].describe().input_schema["properties"]["body"]
    assert body["description"] == "The text. At most 4096 characters."


def test_a_person_or_phone_has_one_name_in_all_tools() -> None:
    names = {name for tool in TOOLS.values() for name in tool.input.model_fields}
    assert "phone_number" in names
    assert names.isdisjoint({"phone", "owner", "number", "recipient", "to"})


def test_the_index_leads_to_a_description_of_every_operation() -> None:
    resources = list_resources()
    index = loads(resources[INDEX].read("https://gateway.example"))
    named = {operation["operation_id"]: operation for operation in index["operations"]}
    assert named.keys() == {route.operation_id for route in list_operations()}
    assert all(operation["resource"] in resources for operation in named.values())
    assert named["sendMessage"]["scope"] == "messages:write"


@for_each("route", list_operations(), ids=lambda route: str(route.operation_id))
def test_an_operation_is_described_with_all_that_it_refers_to(route: Any) -> None:
    text = list_resources()[uri_of(route.operation_id)].read("https://gateway.example")
    document = loads(text)
    [methods] = document["paths"].values()
    [operation] = methods.values()
    assert operation["operationId"] == route.operation_id
    for kind, components in document["components"].items():
        for name in components:
            is_named = kind == "securitySchemes" or f"#/components/{kind}/{name}" in text
            assert is_named, f"{name} is described, and nothing refers to it"
    for reference in references(document):
        kind, name = reference.removeprefix("#/components/").split("/")
        assert name in document["components"][kind]


def test_no_resource_is_too_long_to_be_read() -> None:
    for uri, resource in list_resources().items():
        size = len(resource.read("https://gateway.example"))
        assert size < 100_000, f"{uri} has {size} characters"


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value["$ref"],) if isinstance(value.get("$ref"), str) else ()
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


@EVERY_TOOL
def test_a_tool_has_a_name_that_every_client_takes(tool: Tool) -> None:
    # Claude Code and Gemini put the server's name before it, in 64 characters; Cursor takes 60
    assert re.fullmatch("[a-z][a-z_]*", tool.name)
    assert len(f"mcp__heliograph__{tool.name}") <= 63


@EVERY_TOOL
def test_a_tools_input_is_within_the_bounds_of_all_readers(tool: Tool) -> None:
    described = tool.describe()
    assert len(described.description or "") <= 1024  # OpenAI
    assert "anyOf" not in described.input_schema  # Anthropic: not at the top
    assert depth(described.input_schema) <= 10  # OpenAI's strict mode
    for schema in schemas_in(described.input_schema):
        for name in schema.get("properties", {}):
            assert re.fullmatch("[a-zA-Z0-9_.-]{1,64}", name)  # Anthropic


def depth(schema: dict[str, Any]) -> int:
    """How many objects are in one another."""
    inner = (*schema.get("properties", {}).values(), *schema.get("anyOf", ()))
    inside = [*inner, *([schema["items"]] if "items" in schema else [])]
    return ("properties" in schema) + max(map(depth, inside), default=0)


def test_there_are_no_more_tools_than_every_client_shows() -> None:
    assert len(TOOLS) <= 40  # Cursor


def test_kinds_that_take_the_same_are_described_once() -> None:
    tool = TOOLS["send_message"]
    schema = tool.describe().input_schema["properties"]["content"]
    kinds = [choice["properties"]["type"]["enum"] for choice in schema["anyOf"]]
    union = tool.input.model_json_schema()["$defs"]["ContentInput"]
    assert ["image", "video", "document"] in kinds
    assert {each for kind in kinds for each in kind} == union["discriminator"]["mapping"].keys()
