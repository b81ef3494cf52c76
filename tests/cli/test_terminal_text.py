"""What strangers write is shown on the operator's terminal, and commands it to nothing."""

import io
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from rich.table import Table
from rich.text import Text as RichText

from each_case import for_each
from heliograph.core.accounts.simulator import Chat
from heliograph.faces.cli.listen import event_lines
from heliograph.faces.cli.output import Screen, print_table
from heliograph.faces.cli.phone_screen import print_chat
from heliograph.networks.content import Button, Buttons, Content, Text
from heliograph.networks.port import SimulatedMessage
from heliograph.platform.terminal import plain, plain_json

EVIL = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def screen() -> Screen:
    return wide()


def wide() -> Screen:
    screen = Screen()
    screen.file, screen.width = io.StringIO(), 200
    return screen


def shown_on(screen: Screen) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def message(content: Content) -> SimulatedMessage:
    return SimulatedMessage("1", "x", "x", content, datetime.now(UTC), mine=False, status="read")


def test_all_but_line_feeds_is_replaced_one_for_one() -> None:
    assert plain("a\nb\tc\x1bd\x9be\u202ef") == "a\nb�c�d�e�f"
    assert plain("Grüße 👩‍🚒 שלום ﷺ") == "Grüße 👩‍🚒 שלום ﷺ"


def test_an_event(screen: Screen) -> None:
    data = {
        "phone_number": EVIL,
        "contact_name": EVIL,
        "content": EVIL,
        "button": {"id": EVIL, "title": EVIL},
        "failure_reason": EVIL,
    }
    timestamp = "2025-12-06T10:00:00Z"
    for line in event_lines({"type": "message.received", "timestamp": timestamp, "data": data}):
        screen.print(line)
    assert shown_on(screen).count("owned") == 6
    assert not OBEYED.search(shown_on(screen))


def test_a_phone(screen: Screen) -> None:
    contents: list[Content] = [Text(EVIL), Buttons(EVIL, (Button(EVIL, EVIL),), footer=EVIL)]
    print_chat(screen, EVIL, Chat([message(content) for content in contents], {"x": EVIL}).bubbles)
    assert shown_on(screen).count("owned") >= 5
    assert not OBEYED.search(shown_on(screen))


def test_arguments_that_are_no_text() -> None:
    typed: list[str | bytes] = ["keys", "create", "--name", b"caf\xe9"]
    command = [sys.executable, "-m", "heliograph", *typed]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "heliograph: Argument 4 is not UTF-8.\n"


def test_json_keeps_its_value() -> None:
    words = ["\x9b31m", "\x7f", "\u202e", "\u2028", "é 👩‍🚒"]
    document = json.dumps(words, ensure_ascii=False)
    shown = plain_json(document)
    assert json.loads(shown) == words
    assert not OBEYED.search(shown)


@for_each("text", ["[red]", "[link=https://evil.example]x[/link]", ":smile:", "[/]"])
def test_text_is_no_markup(text: str) -> None:
    screen = wide()
    screen.print(text)
    assert shown_on(screen) == text + "\n"


def test_text_that_a_command_forgets_to_clean_is_clean(screen: Screen) -> None:
    table = Table("name")
    table.add_row(RichText(EVIL))
    screen.print(EVIL, RichText(EVIL), table)
    assert shown_on(screen).count("owned") == 3
    assert not OBEYED.search(shown_on(screen))


@pytest.mark.parametrize("columns", [20, 80])
def test_no_id_is_cut_or_broken_on_a_narrow_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    ids = [str(uuid4()) for _ in range(3)]
    print_table(("id", "name", "more"), [[id_, "A long name " * 5, ids[0]] for id_ in ids])
    printed = capsys.readouterr().out
    assert "\x1b[" in printed, "taken for a terminal"
    assert all(id_ in printed for id_ in ids)
    assert printed.count(ids[0]) == 4
