"""Tables: a frame in a terminal that is wide enough, and nothing that can't be copied anywhere."""

import io
import re
import sys

import pytest
from rich.cells import cell_len

from heliograph.faces.cli import output
from heliograph.faces.cli.output import Screen, print_fields, print_table

COLUMNS = ("id", "name", "created")
ID = "01a21f1b-824b-756a-bc27-6a566427aa5a"
ROWS = [(ID, "Front desk of the shop", "2026-11-28 01:00:00 UTC"), (ID, "Grüße 👩‍🚒", "—")]
LONG = "A long name " * 20


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal shows."""
    shown = io.StringIO()

    class Terminal(Screen):
        columns = 80

        def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
            super().__init__(stderr=stderr, soft_wrap=soft_wrap)
            self._force_terminal = True
            self.file, self.width = shown, self.columns

    monkeypatch.setattr(output, "Screen", Terminal)
    monkeypatch.setenv("TERM", "dumb")
    return shown


def test_a_pipe_gets_a_line_for_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [*ROWS, ("x", "two\nlines", ""), ("y", LONG, "")])
    head, first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert re.split(" {2,}", head) == list(COLUMNS)
    assert re.split(" {2,}", first) == list(ROWS[0])
    assert re.split(" {2,}", second) == list(ROWS[1])
    assert re.split(" {2,}", third) == ["x", "two lines"]
    assert re.split(" {2,}", fourth) == ["y", LONG.strip()]
    assert first.index("Front") == third.index("two") == head.index("name")


def test_a_terminal_gets_a_table_in_which_no_word_is_broken(screen: io.StringIO) -> None:
    print_table(COLUMNS, ROWS)
    lines = screen.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert lines[0].startswith("┏")
    assert sum(ID in line for line in lines) == 2


def test_a_narrow_terminal_gets_each_row_by_its_names(screen: io.StringIO) -> None:
    columns = (*COLUMNS, "requests per minute", "key requests per minute", "another id")
    print_table(columns, [(*ROWS[0], "600", "", ID), (*ROWS[1], "1", "2", ID)])
    shown = screen.getvalue()
    first, second = shown.strip().split("\n\n")
    assert [re.split(" {2,}", line) for line in first.splitlines()] == [
        ["id", ID],
        ["name", ROWS[0][1]],
        ["created", ROWS[0][2]],
        ["requests per minute", "600"],
        ["another id", ID],
    ]
    assert "key requests per minute  2" in second


def test_an_empty_table_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [], empty="Nothing is here.")
    assert capsys.readouterr().out == "Nothing is here.\n"


def show_on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> io.StringIO:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    return shown


def test_a_narrow_terminal_gets_no_sentences_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = show_on_terminal(monkeypatch, 60)
    columns = ("status", "finding", "what to do")
    row = ("failed", "The port is taken by another program.", "Stop what is listening there.")
    print_table(columns, [row])
    lines = re.sub("\x1b[^m]*m", "", shown.getvalue()).splitlines()
    assert [re.split(" {2,}", line) for line in lines] == [
        list(field) for field in zip(columns, row, strict=True)
    ]


def test_names_are_dim_and_values_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = show_on_terminal(monkeypatch, 40)
    print_table(("id", "name"), [(ID, "Front desk")])
    print_fields(("id", ID))
    dim, plain = "\x1b[2m", "\x1b[0m"
    assert shown.getvalue() == (
        f"{dim}id    {plain}{ID}\n{dim}name  {plain}Front desk\n{dim}id  {plain}{ID}\n"
    )
