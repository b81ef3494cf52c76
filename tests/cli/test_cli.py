"""The command line loads without what only the server needs, and says which release it is."""

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from each_case import for_each
from heliograph import __version__
from heliograph.errors import ConfigurationError
from heliograph.faces.cli import app
from heliograph.settings import load_settings

NO_ID = "01a2"

SERVER = ("fastapi", "mcp", "uvicorn", "heliograph.app.asgi", "heliograph.faces.dashboard")


def test_the_command_line_loads_without_the_server() -> None:
    code = "import sys, heliograph.faces.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "heliograph.faces.cli" in loaded
    assert [name for name in SERVER if name in loaded] == []


def test_the_command_line_says_which_release_it_is() -> None:
    shown = CliRunner().invoke(app, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, f"heliograph {__version__}\n")


def list_calls(command: object = None, *path: str) -> Iterator[tuple[str, ...]]:
    found = typer.main.get_command(app) if command is None else command
    yield path
    for name, below in getattr(found, "commands", {}).items():
        yield from list_calls(below, *path, name)


@for_each("call", [*list_calls()], ids=" ".join)
def test_help_names_values_in_words_without_types_of_python_and_double_negations(
    call: tuple[str, ...],
) -> None:
    shown = CliRunner().invoke(app, [*call, "--help"], env={"COLUMNS": "120"}).stdout
    assert "--help" in shown
    assert "<" not in shown
    assert re.search(r"[\[{|][a-z_]+[\]}|]\.*( |$)", shown.partition("╭")[0]) is None
    assert "--no-no-" not in shown


@for_each(
    ("arguments", "sentence"),
    [
        (
            ["webhooks", "ping", NO_ID],
            "'01a2' is not a webhook's id; `heliograph webhooks list` shows them.",
        ),
        (
            ["webhooks", "attempts", NO_ID],
            "'01a2' is not a delivery's id; `heliograph webhooks deliveries` shows them.",
        ),
        (["webhooks", "deliveries", "--webhook", NO_ID], "'01a2' is not a webhook's id"),
        (["audit", "--limit", "0"], "'0' is not at least 1."),
        (["webhooks", "deliveries", "--limit", "few"], "'few' is not a whole number."),
        (["webhooks", "deliveries", "--limit", "1001"], "'1001' is not at most 1000."),
        (["organizations", "invite", "a@b.c", "--role", "boss"], "'--role': 'boss' is not one of"),
    ],
)
def test_a_value_that_can_not_be_read_is_told_in_a_sentence(
    arguments: list[str], sentence: str
) -> None:
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("variable", "value", "wrong"),
    [
        ("HELIOGRAPH_PORT", "abc", "'abc' is not a whole number"),
        ("HELIOGRAPH_PORT", "65536", "'65536' is not at most 65535"),
        ("HELIOGRAPH_NETWORK_TIMEOUT", "0", "'0' is not more than 0"),
        ("HELIOGRAPH_NETWORK_TIMEOUT", "soon", "'soon' is not a number"),
        ("HELIOGRAPH_LOG_LEVEL", "loud", "'loud' is not 'debug', 'info', 'warning' or 'error'"),
        ("HELIOGRAPH_PUBLIC_URL", "example.com", "must begin with http:// or https://"),
    ],
)
def test_a_setting_that_can_not_be_used_is_told_in_a_sentence(
    variable: str, value: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert str(caught.value) == f"{variable} is not usable: {wrong}."


def test_a_secret_setting_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIOGRAPH_DATABASE_URL", "mysql://user:hunter2@db/name")
    with pytest.raises(ConfigurationError, match=r"^HELIOGRAPH_DATABASE_URL is ") as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)
