"""What is wrong with what somebody filled in to send: a sentence for each problem, which begins
with the field, or with the row, button or option and what stands in it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from heliograph.core.messages.accepting.content_input import MAX_OPTIONS, MAX_ROWS
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.inbox.composer import TITLES, has_form, read_form_of, typed
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.input_problems import InputProblem

_NAMES = {
    "header": "Line above",
    "footer": "Footer",
    "buttons": "Buttons",
    "button": "Button",
    "rows": "Rows",
    "question": "Question",
    "options": "Answers to choose from",
    "latitude": "Degrees north",
    "longitude": "Degrees east",
    "address": "Address",
    "phones": "Phone numbers",
    "phone_number": "To",
    "reply_to_message_id": "Quoted message",
    "file": "File",
    "caption": "Text",
    "note": "Note",
}
_FIRST = {"contact": "Name", "location": "Place", "note": "Note"}
"""What a problem is about that names no field above, by kind of content."""
_SEVERAL = {"buttons": "Buttons", "list": "Rows", "poll": "Answers to choose from"}
"""What a problem is about that names the content alone: two of its choices are the same."""
_ASKED = {
    ("content", "latitude"): "Write a number from -90 to 90, such as 41.9028.",
    ("content", "longitude"): "Write a number from -180 to 180, such as 12.4964.",
    ("content", "options"): f"Write 2 to {MAX_OPTIONS}, one per line.",
    ("content", "sections", 0, "rows"): f"Write 1 to {MAX_ROWS}, one per line.",
    ("content", "sections"): f"Write 1 to {MAX_ROWS}, one per line.",
    ("content", "buttons"): "Fill in at least one.",
}
"""What the form asks for, where all that can be wrong is that it is something else."""
_SAME_ANSWERS = "Two answers are the same."
_PLACED = ("rows", "buttons", "options")
"""What is named by its place among others."""
_PARTS = {"title": ", title", "description": ", text behind the bar"}
_LONGEST_SHOWN = 60
"""Characters of what stands in a row."""


class Choice(NamedTuple):
    """A row, button or option: what it is called on the form, its title, and all that was typed."""

    name: str
    title: str
    text: str


def explain_problems(visit: Visit, kind: str, error: InvalidInputError) -> list[str]:
    """Return a sentence for each problem of the form of this kind of content."""
    choices = _list_choices(visit, kind) if has_form(kind) else []
    return [_explain(kind, problem, choices) for problem in error.problems]


def _explain(kind: str, problem: InputProblem, choices: Sequence[Choice]) -> str:
    steps = [step for step in problem.loc if step in _NAMES]
    if problem.loc == ("content",):
        same = _name_same(choices)
        name = same or _SEVERAL.get(kind, "Text")
        if same and kind == "poll":
            return f"{name}: {_SAME_ANSWERS}"
    elif (choice := _find_choice(problem.loc, choices)) is not None:
        part = _PARTS.get(str(problem.loc[-1]), "")
        name = f"{choice.name} {_quoted(choice.text)}{part}"
    else:
        name = _NAMES[str(steps[-1])] if steps else _FIRST.get(kind, "Text")
    return f"{name}: {_ASKED.get(problem.loc, problem.msg)}"


def _list_choices(visit: Visit, kind: str) -> list[Choice]:
    """List what the form of this kind offers to choose from, in the order of its numbers there."""
    given = read_form_of(visit, kind)
    if kind == "list":
        rows = [row for section in given["sections"] for row in section["rows"]]
        return [
            Choice(f"Row {number}", row["title"], _line_of(row))
            for number, row in enumerate(rows, 1)
        ]
    if kind == "buttons":
        titles = [(number, typed(visit, name)) for number, name in enumerate(TITLES, 1)]
        return [Choice(f"Button {number}", title, title) for number, title in titles if title]
    options = given.get("options", ())
    return [Choice(f"Answer {number}", text, text) for number, text in enumerate(options, 1)]


def _line_of(row: dict[str, Any]) -> str:
    return (
        row["title"]
        if row["description"] is None
        else f"{row['title']} | {row['description']}".lstrip()
    )


def _find_choice(loc: Sequence[str | int], choices: Sequence[Choice]) -> Choice | None:
    """Return the one that the location names by its place."""
    places = [after for step, after in pairwise(loc) if step in _PLACED and isinstance(after, int)]
    return choices[places[0]] if places and places[0] < len(choices) else None


def _name_same(choices: Sequence[Choice]) -> str | None:
    """Name the first ones with the same title; None if all differ."""
    for choice in choices:
        same = [each.name for each in choices if each.title == choice.title]
        if len(same) > 1:
            return f"{same[0]} and {same[1][:1].lower()}{same[1][1:]} {_quoted(choice.title)}"
    return None


def _quoted(text: str) -> str:
    short = text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
    return f"“{short}”"
