"""What the tool server offers: complete, true to the facts, honest about what strangers wrote."""

import re
from json import loads
from typing import Any

import pytest
from mcp_types import TextContent

from each_case import for_each
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import GatewayError, InvalidInputError
from heliograph.faces.coding_tools import list_coding_tools
from heliograph.faces.mcp.allowed_hosts import allowed_hosts
from heliograph.faces.mcp.api_index import INDEX, describe_parts
from heliograph.faces.mcp.resources import LANGUAGES, list_resources, read_page, verification
from heliograph.faces.mcp.results import OTHERWISE, failure
from heliograph.faces.mcp.server import TOOLS, list_allowed, no_such_tool
from heliograph.faces.mcp.tool import Tool
from heliograph.networks.errors import NetworkError
from heliograph.settings import McpSettings, ServerSettings, Settings
from repository import DOCS

CHANGE_WHAT_WAS_SAID = {"cancel_message", "edit_message", "delete_message"}
ASKS_THE_NETWORK = {"get_contact_profile_picture"}
NEVER_OF_A_TOOL = {
    "host_not_allowed",
    "origin_not_allowed",
    "metrics_token_not_set",
    "method_not_allowed",
    "too_many_connections",
}
NEVER_IN_A_TOOL = {400, 401, 405, 408, 413, 414, 415, 431}

EVERY_TOOL = for_each("tool", TOOLS.values(), ids=lambda tool: tool.name)


@EVERY_TOOL
def test_a_tool_names_no_tool_that_is_not_there(tool: Tool) -> None:
    described = tool.describe().model_dump_json(by_alias=True)
    verbs = {name.partition("_")[0] for name in TOOLS}
    named = set(re.findall(rf"\b(?:{'|'.join(sorted(verbs))})_[a-z_]+", described))
    other_words = {"read_at", "list_reply", "send_rate"}
    assert named <= TOOLS.keys() | other_words


@EVERY_TOOL
def test_a_tool_is_described(tool: Tool) -> None:
    described = tool.describe()
    assert len(described.description or "") > 40
    assert tool.title[0].isupper()
    assert described.input_schema["type"] == "object"
    assert tool.input.model_config["extra"] == "forbid"
    assert described.output_schema is None
    assert set(tool.scopes) <= set(SCOPES)


@EVERY_TOOL
def test_a_tool_that_only_reads_says_so_and_no_other_does(tool: Tool) -> None:
    reads = all(scope.endswith(":read") for scope in tool.scopes)
    assert tool.annotations.read_only_hint is reads
    assert tool.annotations.destructive_hint is (tool.name in CHANGE_WHAT_WAS_SAID)
    assert tool.annotations.open_world_hint is (not reads or tool.name in ASKS_THE_NETWORK)


def list_errors_of_tools() -> list[Exception]:
    """One of each kind that a tool can end with."""
    found: list[Exception] = [
        InvalidInputError.at(("header", "Idempotency-Key"), "used before"),
        NetworkError("Nobody has this number.", permanent=True),
        RuntimeError("a fault of our own"),
    ]
    for kind in GatewayError.every():
        if kind.status not in NEVER_IN_A_TOOL and kind.code not in NEVER_OF_A_TOOL:
            error = kind.__new__(kind)
            GatewayError.__init__(error, "What is wrong.")
            found.append(error)
    return found


@for_each("error", list_errors_of_tools(), ids=lambda error: type(error).__name__)
def test_every_error_is_text_with_a_code_and_what_to_do(error: Exception) -> None:
    result = failure(error, "request-7")
    assert result.is_error
    assert result.structured_content is None
    [block] = result.content
    assert isinstance(block, TextContent)
    told = loads(block.text)
    assert told["detail"]
    assert told["next_step"] != OTHERWISE


def test_a_key_without_scopes_of_its_own_may_call_everything() -> None:
    assert [tool.name for tool in list_allowed(SCOPES)] == list(TOOLS)
    assert list_allowed([]) == []


def test_a_mistyped_name_gets_the_nearest() -> None:
    assert "'list_devices'" in no_such_tool("list_device")
    assert "Did you mean" not in no_such_tool("x" * 5000)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verification_is_the_documented_one(language: str) -> None:
    code = verification(language)
    assert code in (DOCS / "webhooks.md").read_text()
    assert "webhook-signature" in code


@pytest.mark.parametrize("name", ["events", "errors", "webhooks"])
def test_pages_are_those_of_the_documentation(name: str) -> None:
    assert read_page(name) == (DOCS / f"{name}.md").read_text()


def test_resources_are_described() -> None:
    for uri, resource in list_resources().items():
        described = resource.describe()
        assert str(described.uri) == uri
        assert described.description


def test_operations_have_the_titles_of_the_reference() -> None:
    listed = loads(describe_parts("https://gateway.example")[INDEX])["operations"]
    for about in listed:
        resource = list_resources()[about["resource"]]
        assert resource.describe().title == f"{about['summary']} ({about['operation_id']})"


def settings(**server: Any) -> Settings:
    mcp = McpSettings(hosts=("gw.internal:8443",), origins=("https://tools.example",))
    return Settings(server=ServerSettings(**server), mcp=mcp)


@for_each(
    "host",
    [
        "gateway.example",
        "gateway.example:443",
        "GATEWAY.example",
        "127.0.0.1:8000",
        "localhost:8000",
        "[::1]:8000",
        "gw.internal:8443",
        "tools.example",
    ],
)
def test_the_names_of_the_gateway_are_allowed(host: str) -> None:
    allowed = allowed_hosts(settings(public_url="https://gateway.example"))
    allowed.check(request(host=host))


@for_each(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "gateway.example:80"},
        {"host": "gateway.example", "origin": "https://evil.example"},
        {"host": "gateway.example", "origin": "http://gateway.example"},
        {"host": "gateway.example", "origin": "null"},
        {},
    ],
)
def test_other_names_and_pages_are_not(headers: dict[str, str]) -> None:
    allowed = allowed_hosts(settings(public_url="https://gateway.example"))
    with pytest.raises(GatewayError) as refused:
        allowed.check(request(**headers))
    assert refused.value.status == 403


def test_pages_that_were_set_are_allowed() -> None:
    allowed = allowed_hosts(settings(public_url="https://gateway.example/"))
    for origin in ("https://gateway.example", "https://tools.example", "http://localhost:8000"):
        allowed.check(request(host="gateway.example", origin=origin))


def request(**headers: str) -> dict[str, Any]:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "headers": pairs}


def test_the_page_has_what_is_to_be_copied() -> None:
    page = (DOCS / "coding-tools.md").read_text()
    for tool in list_coding_tools("http://127.0.0.1:8000"):
        assert tool.text in page
        assert tool.name in page


def test_the_page_has_every_tool_with_its_scopes() -> None:
    page = (DOCS / "coding-tools.md").read_text()
    rows = re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", page, re.MULTILINE)
    assert {name: tuple(re.findall(r"`(.*?)`", scopes)) for name, scopes in rows} == {
        tool.name: tool.scopes for tool in TOOLS.values()
    }
