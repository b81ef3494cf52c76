"""What strangers write is shown on the operator's terminal, and commands it to nothing."""

import io
import re
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from rich.console import Console

from heliograph.cli.event_lines import event_lines
from heliograph.cli.output import plain, print_fields, print_table
from heliograph.cli.phone_screen import print_chat, print_people
from heliograph.model.content import Button, Buttons, Content, Text
from heliograph.networks.base import Person, SimulatedMessage

EVIL = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def screen() -> Console:
    return Console(file=io.StringIO(), width=200, color_system=None)


def shown_on(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def message(content: Content) -> SimulatedMessage:
    return SimulatedMessage("1", "x", "x", content, datetime.now(UTC), mine=False, status="read")


def test_all_but_line_feeds_is_replaced_one_for_one() -> None:
    assert plain("a\nb\tc\x1bd\x9be\u202ef") == "a\nb�c�d�e�f"
    assert plain("Grüße 👩‍🚒 שלום ﷺ") == "Grüße 👩‍🚒 שלום ﷺ"


def test_an_event(screen: Console) -> None:
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


def test_a_phone(screen: Console) -> None:
    contents: list[Content] = [Text(EVIL), Buttons(EVIL, (Button(EVIL, EVIL),), EVIL)]
    print_chat(screen, EVIL, [message(content) for content in contents], {"x": EVIL})
    print_people(screen, [Person("x", "+1", EVIL, online=True)])
    assert shown_on(screen).count("owned") >= 6
    assert not OBEYED.search(shown_on(screen))


def test_tables_and_fields(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["Name"], [[EVIL]], empty="")
    print_fields([("answer", EVIL)])
    printed = capsys.readouterr().out
    assert printed.count("owned") == 2
    assert not OBEYED.search(printed)


def test_arguments_that_are_no_text() -> None:
    typed: list[str | bytes] = ["keys", "create", "--name", b"caf\xe9"]
    command = [sys.executable, "-m", "heliograph", *typed]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr == "heliograph: Argument 4 is not UTF-8.\n"
