"""The progress of commands that last, where no bar can be drawn."""

import pytest

from heliograph.faces.cli import output
from heliograph.faces.cli.output import show_parts, show_progress, show_step


def test_work_that_is_soon_done_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("Tables") as show:
        show(1, 2)
        show(2, 2)
    assert capsys.readouterr() == ("", "")


def test_work_that_lasts_writes_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "LINES_INTERVAL", 0.0)
    with show_progress("Tables") as show:
        show(1, 1_200)
    with show_parts() as show_part:
        show_part("Database", 5_000, None)
    with show_step() as show_one:
        show_one("0021 Queues", 20, 29)
    written = capsys.readouterr()
    assert written.err == "Tables: 1 of 1,200\nDatabase: 5,000\n0021 Queues: 20 of 29\n"
    assert written.out == ""
