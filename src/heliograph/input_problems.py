"""What is wrong with a value that was sent, as 422 tells it: bounded, whatever was sent.

A body of a few KiB can be wrong in thousands of ways, and each tells the value that it is about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

MAX_PROBLEMS = 20
"""Entries of an answer. If there are more problems, the last entry says how many."""
MORE = "too_many_problems"
MAX_INPUT_LENGTH, MAX_MESSAGE_LENGTH, MAX_STEP_LENGTH = 256, 1000, 200
"""Characters of a value, a sentence and a name that are told."""
_MAX_INPUT_SIZE = 512
"""Characters of the texts and names in an array or object; a larger one is left out."""
_PER_VALUE = 4
_MAX_STEPS = 64


class _NoInput(Enum):
    """Tells 'no input to show' from an input that is None."""

    NO_INPUT = "no input"


NO_INPUT: Final = _NoInput.NO_INPUT


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One `ValidationError` of the API. `loc` is the way to the value: `("body", "buttons", 0)`.

    `type` is pydantic's machine word. `input` and `ctx` are left out of the body when not given.
    """

    loc: tuple[str | int, ...]
    msg: str
    type: str = "value_error"
    input: object = NO_INPUT
    ctx: dict[str, object] | None = None

    def body(self) -> dict[str, object]:
        entry: dict[str, object] = {"type": self.type, "loc": list(self.loc), "msg": self.msg}
        if self.input is not NO_INPUT:
            entry["input"] = self.input
        if self.ctx is not None:
            entry["ctx"] = self.ctx
        return shorten_problem(entry)


def limit_problems(problems: Sequence[InputProblem]) -> tuple[InputProblem, ...]:
    """Return the first problems; if there are more, the last one says how many."""
    told, more = _divide(len(problems))
    return (*problems[:told], *_say_how_many(more))


def limit_bodies(problems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same of problems as dicts, each of them shortened."""
    told, more = _divide(len(problems))
    more_problems = [problem.body() for problem in _say_how_many(more)]
    return [shorten_problem(problem) for problem in problems[:told]] + more_problems


def _say_how_many(more: int) -> list[InputProblem]:
    if not more:
        return []
    told = f"{more:,} more problems are not listed. Correct these first."
    return [InputProblem(("body",), told, MORE, ctx={"more": more})]


def shorten_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return a problem with what was sent cut off where it is long, or left out."""
    found = dict(problem)
    found["loc"] = [_cut(step, MAX_STEP_LENGTH) for step in problem["loc"][:_MAX_STEPS]]
    found["msg"] = _cut(problem["msg"], MAX_MESSAGE_LENGTH)
    if "input" in found:
        if not _is_short(found["input"]):
            del found["input"]
        else:
            found["input"] = _cut(found["input"], MAX_INPUT_LENGTH)
    if ctx := found.get("ctx"):
        found["ctx"] = {name: _cut(value, MAX_MESSAGE_LENGTH) for name, value in ctx.items()}
    return found


def _divide(count: int) -> tuple[int, int]:
    """Return how many are told, and how many more there are."""
    told = count if count <= MAX_PROBLEMS else MAX_PROBLEMS - 1
    return told, count - told


def _cut(value: Any, max_length: int) -> Any:
    if isinstance(value, Exception):
        value = str(value)
    if not isinstance(value, str) or len(value) <= max_length:
        return value
    return value[:max_length] + "…"


def _is_short(value: object) -> bool:
    return isinstance(value, str) or _weigh(value, _MAX_INPUT_SIZE) >= 0


def _weigh(value: object, room: int) -> int:
    """Return what is left of the room after this value; below 0, nothing more is looked at."""
    room -= _PER_VALUE
    if isinstance(value, str | bytes):
        return room - len(value)
    if isinstance(value, int):
        return room - value.bit_length() // 3
    if isinstance(value, Mapping):
        for name, inner in value.items():
            room = _weigh(inner, room - len(str(name)))
            if room < 0:
                return room
    elif isinstance(value, Sequence | set | frozenset):
        for inner in value:
            room = _weigh(inner, room)
            if room < 0:
                return room
    return room
