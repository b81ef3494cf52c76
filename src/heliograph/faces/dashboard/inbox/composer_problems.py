"""What is wrong with what somebody filled in to send: a sentence for each problem, beginning with
the field, or with the row, button or option and its content."""

from collections.abc import Sequence
from itertools import pairwise

from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.inbox.content_forms import FORMS, Choice, Field
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.input_problems import InputProblem

_NAMES = {
    "phone_number": "To",
    "reply_to_message_id": "Quoted message",
    "file": "File",
    "caption": "Text",
}
"""What problems can be about besides the fields of a kind's form."""
_PLACED = ("rows", "buttons", "options")
"""Members whose items are named by their position."""
_PARTS = {"title": ", title", "description": ", text behind the bar"}
_MAX_SHOWN_LENGTH = 60
"""Characters of a row's content."""


def explain_problems(visit: Visit, kind: str, error: InvalidInputError) -> list[str]:
    """Return a sentence for each problem of the form of this kind of content."""
    fields = FORMS[kind].fields if kind in FORMS else ()
    otherwise = "Note" if kind == "note" else "Text"
    return [_explain(visit, fields, problem, otherwise) for problem in error.problems]


def _explain(visit: Visit, fields: Sequence[Field], problem: InputProblem, otherwise: str) -> str:
    if problem.loc == ("content",):
        return _explain_all(visit, fields, problem, otherwise)
    of_content = problem.loc[1:2] if problem.loc[0] == "content" else ()
    field = next((each for each in fields if each.member in of_content), None)
    if field is None:
        names = [_NAMES[step] for step in problem.loc if isinstance(step, str) and step in _NAMES]
        return f"{names[-1] if names else otherwise}: {problem.msg}"
    choice = _find_choice(problem.loc, field.list_choices(visit))
    if choice is not None:
        part = _PARTS.get(str(problem.loc[-1]), "")
        return f"{choice.name} {_quoted(choice.text)}{part}: {problem.msg}"
    return f"{field.called or field.label}: {field.explained(problem.msg)}"


def _explain_all(
    visit: Visit, fields: Sequence[Field], problem: InputProblem, otherwise: str
) -> str:
    """Explain a problem of the content alone: of its choices, mostly two that are the same."""
    for field in fields:
        if choices := field.list_choices(visit):
            same = _name_same(choices)
            said = field.same if same and field.same else problem.msg
            return f"{same or field.label}: {said}"
    return f"{otherwise}: {problem.msg}"


def _find_choice(loc: Sequence[str | int], choices: Sequence[Choice]) -> Choice | None:
    """Return the choice that the location names by its position."""
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
    short = text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[: _MAX_SHOWN_LENGTH - 1]}…"
    return f"“{short}”"
