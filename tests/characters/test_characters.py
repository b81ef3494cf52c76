"""What shows nothing, or can't be stored, in texts that strangers wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.platform.characters import has_controls, one_line, storable_text, trimmed

MEGABYTE = 1_000_000


@for_each("around", ["", " ", "\u200b", "\u00a0\u200e\ufeff ", "\u3164\t"])
def test_what_shows_nothing_goes_at_both_ends_and_stays_within(around: str) -> None:
    assert trimmed(f"{around}a\u200b \u00e4{around}") == "a\u200b \u00e4"
    assert trimmed(around) == ""


@pytest.mark.parametrize("end", ["", "x", "\u200bx\u200b"])
def test_a_megabyte_that_shows_nothing_is_passed_once(end: str) -> None:
    """To try each run of it at each of its places takes hours."""
    assert trimmed("\u200b" * MEGABYTE + "x" + "\u200b" * MEGABYTE + end)[:1] == "x"


@given(st.text(st.characters(), max_size=50))
def test_every_text_becomes_one_line_that_can_be_stored(text: str) -> None:
    line = one_line(text)
    assert not has_controls(line)
    assert line == line.strip()
    assert line.encode().decode() == line
    assert one_line(line) == line


@pytest.mark.parametrize(
    ("text", "stored"),
    [("a\ud800b", "a\ufffdb"), ("a\0\x1b[31mb\x9b", "a[31mb"), ("a\r\n\tb", "a\r\n\tb")],
)
def test_what_can_not_be_stored_goes_and_lines_stay(text: str, stored: str) -> None:
    assert storable_text(text) == stored
