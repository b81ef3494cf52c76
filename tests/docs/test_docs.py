"""The documentation is true: what it names exists, and what exists is named.

Error codes are held by `test_docs_errors`, webhook payloads by `test_webhook_docs`.
"""

import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from api_description import api_description
from each_case import for_each
from heliograph.core.dispatch.sending import SEND_TIMEOUT
from heliograph.core.events.model import PATTERNS, EventType
from heliograph.errors import GatewayError
from heliograph.faces.cli import app
from heliograph.settings import list_variables
from heliograph_client.requests import TIMEOUT as CLIENT_TIMEOUT
from repository import DOCS, ROOT

PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
PICTURES = sorted(DOCS.rglob("*.svg"))
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
FILES = [*PAGES, *PICTURES, ROOT / "Makefile", ROOT / "pyproject.toml"]
FILES += sorted((ROOT / "requirements").glob("*.txt"))

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`((?:[^`\n]|\n(?!\n))+)`(?!`)")
OTHER_VARIABLES = {"HELIOGRAPH_API_KEY", "HELIOGRAPH_TEST_DATABASE_URL"}
"""What tests read, and the gateway does not."""
OTHERS_EVENTS = {"message.any", "message.ack", "message.revoked", "message.waiting"}
"""What WAHA calls its events, where the page on switching compares them with ours."""

COMMANDS = typer.main.get_command(app)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose_of(page: Path) -> str:
    """The page without its blocks of code."""
    return BLOCK.sub("", text_of(page))


def spans_of(page: Path) -> list[str]:
    """What is set as code within the text, on one line."""
    return [" ".join(span.split()) for span in SPAN.findall(prose_of(page))]


each_page = for_each("page", PAGES, ids=name_of)


# --- settings --------------------------------------------------------------------------------


def shown(default: Any) -> str:
    """A default as the reference shows it."""
    if default is None or default == ():
        return "not set"
    if isinstance(default, frozenset):
        return "`" + ",".join(sorted(member.value for member in default)) + "`"
    if isinstance(default, bool):
        return f"`{default}`".lower()
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def test_the_reference_has_every_setting_with_its_default_and_meaning() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (.+?) \| (.+) \|$", text_of(DOCS / "configuration.md"), re.MULTILINE
    )
    expected = [
        (variable.name, shown(variable.default), variable.description)
        for variable in list_variables()
    ]
    assert sorted(rows) == sorted(expected)


def test_how_long_others_wait_is_said_where_the_networks_time_is_set() -> None:
    [said] = [
        variable.description
        for variable in list_variables()
        if variable.name == "HELIOGRAPH_NETWORK_TIMEOUT"
    ]
    assert re.findall(r"(\d+) seconds", said) == [f"{CLIENT_TIMEOUT.read:g}", f"{SEND_TIMEOUT:g}"]
    typescript = text_of(ROOT / "clients/typescript/src/client.ts")
    assert f"const TIMEOUT = {CLIENT_TIMEOUT.read:g}_000;" in typescript


@each_page
def test_variables_that_are_named_exist(page: Path) -> None:
    named = set(re.findall(r"\bHELIOGRAPH_[A-Z_]*[A-Z]\b", text_of(page)))
    assert named <= {variable.name for variable in list_variables()} | OTHER_VARIABLES


# --- events, errors, operations --------------------------------------------------------------


def test_every_event_type_is_described() -> None:
    assert {event_type.value for event_type in EventType} <= set(spans_of(DOCS / "events.md"))


@each_page
def test_event_types_that_are_named_exist(page: Path) -> None:
    known: set[str] = {*EventType, *PATTERNS}
    if page.name == "switching.md":
        known |= OTHERS_EVENTS
    form = re.compile(r"(?:message|device|webhook)\.(?:\*|[a-z_]+)")
    assert [span for span in spans_of(page) if form.fullmatch(span) and span not in known] == []


@each_page
def test_errors_that_are_named_with_their_status_exist(page: Path) -> None:
    known = {(str(error.status), error.code) for error in GatewayError.every()}
    named = set(re.findall(r"\b([45]\d\d) `([a-z_]+)`", prose_of(page)))
    assert named <= known | {("500", "internal_error")}


@each_page
def test_operations_that_are_named_exist(page: Path) -> None:
    known = {
        (method.upper(), path)
        for path, methods in api_description()["paths"].items()
        for method in methods
    }
    assert set(re.findall(r"\b(GET|POST) (/api/v1/[\w/{}-]+)", text_of(page))) <= known


def test_every_operation_is_described() -> None:
    guides = "\n".join(text_of(page) for page in DOCS.glob("*.md"))
    paths = [path.removeprefix("/api/v1") for path in api_description()["paths"]]
    assert [path for path in paths if not re.search(rf"{re.escape(path)}(?![\w/{{])", guides)] == []


# --- commands --------------------------------------------------------------------------------


def list_commands(group: Any = COMMANDS, path: str = "heliograph") -> Iterator[str]:
    """Every command that is meant for people."""
    if not isinstance(group, TyperGroup):
        yield path
        return
    for name, command in group.commands.items():
        if not command.hidden:
            yield from list_commands(command, f"{path} {name}")


def find_command(words: list[str]) -> tuple[Any, list[str]]:
    """The command that these words call, and its arguments."""
    command: Any = COMMANDS
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            pytest.fail(f"there is no command '{words[0]}'")
        command, words = command.commands[words[0]], words[1:]
    return command, words


def calls_in_shell(page: Path) -> list[list[str]]:
    """The calls of the program in blocks of shell commands, without the program's name."""
    blocks = [code for language, code in BLOCK.findall(text_of(page)) if language in ("sh", "")]
    return [
        shlex.split(call, comments=True)
        for block in blocks
        for call in re.findall(
            r"^(?!claude )(?:.*?[($ ])?(?:\.venv/bin/)?heliograph (\w[^\n|)]*)",
            block.replace("\\\n", ""),
            re.MULTILINE,
        )
    ]


def calls_in_prose(page: Path) -> list[list[str]]:
    calls = [re.sub(r"[\[\]…]", "", span) for span in spans_of(page)]
    return [shlex.split(call)[1:] for call in calls if call.startswith("heliograph ")]


def check_call(words: list[str]) -> None:
    command, rest = find_command(words)
    given = [name for param in command.params for name in (*param.opts, *param.secondary_opts)]
    options = {*given, "--help"}
    used = [word.partition("=")[0] for word in rest if word.startswith("-")]
    assert [option for option in used if option not in options] == [], words


@each_page
def test_commands_that_are_named_exist_with_their_options(page: Path) -> None:
    for words in [*calls_in_shell(page), *calls_in_prose(page)]:
        check_call(words)


def test_the_checks_of_commands_see_what_is_wrong() -> None:
    with pytest.raises(pytest.fail.Exception, match="no command 'mint'"):
        check_call(["keys", "mint"])
    with pytest.raises(AssertionError):
        check_call(["keys", "create", "--colour", "blue"])


def test_commands_of_the_readme_can_be_typed_as_they_are() -> None:
    calls = calls_in_shell(ROOT / "README.md")
    assert len(calls) >= 8
    for words in calls:
        command, rest = find_command(words)
        command.make_context(words[0], rest)  # parses every value, and runs nothing


def test_the_readme_calls_the_program_where_make_has_put_it() -> None:
    blocks = [code for language, code in BLOCK.findall(text_of(ROOT / "README.md"))]
    assert not re.search(r"(?<!\.venv/bin/)\bheliograph [a-z]", "\n".join(blocks))


def test_every_command_is_described() -> None:
    pages = (DOCS / "commands.md", DOCS / "networks" / "sandbox.md")
    described = [span for page in pages for span in spans_of(page)]
    missing = [
        command
        for command in list_commands()
        if not any(span == command or span.startswith(command + " ") for span in described)
    ]
    assert missing == []


@each_page
def test_targets_of_make_that_are_named_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    code = [*spans_of(page), *(code for _, code in BLOCK.findall(text_of(page)))]
    assert (
        set(re.findall(r"^(?:[A-Z_]+=\S+ )?make ([a-z]+)", "\n".join(code), re.MULTILINE))
        <= targets
    )


# --- links, pictures, decisions --------------------------------------------------------------


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_relative_links_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{target} leads nowhere"
        assert not anchor or anchor in anchors_of(linked), f"{target} has no such heading"


def test_every_page_is_linked_from_the_index() -> None:
    linked = re.findall(r"\]\(([^)#\s]+)\)", text_of(DOCS / "index.md"))
    found = {(DOCS / target).resolve() for target in linked} | {DOCS / "index.md"}
    assert [name_of(page) for page in PAGES if page not in found | set(DECISIONS)] == []


@for_each("picture", PICTURES, ids=name_of)
def test_a_picture_is_described_dark_too_and_used(picture: Path) -> None:
    root = ET.parse(picture).getroot()  # noqa: S314 - a file of our own
    namespace = "{http://www.w3.org/2000/svg}"
    assert all(root.findtext(namespace + tag) for tag in ("title", "desc"))
    assert "prefers-color-scheme: dark" in text_of(picture)
    assert any(f"pictures/{picture.name}" in text_of(page) for page in PAGES)


@for_each("page", DECISIONS, ids=name_of)
def test_a_decision_is_short_numbered_and_listed(page: Path) -> None:
    text = text_of(page)
    assert len(text.splitlines()) <= 70
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert f"]({page.name})" in text_of(page.parent / "README.md")


def test_no_two_decisions_have_one_number() -> None:
    numbers = [page.name[:4] for page in DECISIONS]
    assert sorted(set(numbers)) == numbers


@for_each("file", FILES, ids=name_of)
def test_nothing_depends_on_one_machine_or_package_index(file: Path) -> None:
    here = r"(?<![\w.])/(?:home|root|work|opt|Users|tmp/\w)[\w/]*"
    index = r"pythonhosted|pypi\.(?:org|python)|index-url|extra-index|--find-links\b(?!\s*\\)"
    lines = [line for line in text_of(file).splitlines() if "--no-emit" not in line]
    found = re.findall(f"{here}|{index}", "\n".join(lines))
    assert found == []
