"""What is wrong with an input is told in part if it is much, at every door."""

import msgspec
import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from heliograph.errors import InvalidInputError
from heliograph.faces.cli.output import describe
from heliograph.faces.dashboard.pages.forms import explain
from heliograph.faces.mcp.results import describe_error
from heliograph.input_problems import InputProblem, limit_bodies


def problems(count: int) -> list[InputProblem]:
    return [InputProblem(("body", "items", number), f"wrong {number}.") for number in range(count)]


@pytest.mark.parametrize("count", [1, 19, 20])
def test_a_few_are_told_whole(count: int) -> None:
    assert InvalidInputError(*problems(count)).problems == tuple(problems(count))


def test_of_many_the_first_are_told_and_how_many_more_there_are() -> None:
    error = InvalidInputError(*problems(1000))
    assert error.problems[:19] == tuple(problems(19))
    assert len(error.problems) == 20
    assert error.problems[-1].ctx == {"more": 981}
    again = InvalidInputError(*error.problems)
    assert again.problems == error.problems
    told = "981 more problems are not listed"
    for text in (explain(error), str(describe_error(error, "r")["detail"]), describe(error)):
        assert told in text
        assert "wrong 18" in text
        assert "wrong 19" not in text


class Tool(BaseModel):
    model_config = ConfigDict(extra="forbid")


def test_a_tool_that_is_called_with_a_thousand_unknown_arguments_says_so_shortly() -> None:
    arguments = {f"{'x' * 1000}{number}": "y" * 10_000 for number in range(1000)}
    with pytest.raises(ValidationError) as caught:
        Tool.model_validate(arguments)
    detail = str(describe_error(caught.value, "r")["detail"])
    assert "981 more problems" in detail
    assert len(detail) < 10_000


def test_whatever_was_sent_is_told_shortly() -> None:
    deep: object = "x"
    for _ in range(60):
        deep = [deep]
    for value, is_told in (
        ("x" * 10_000, True),
        (10**4000, False),
        (["x" * 600], False),
        ({"x" * 600: 1}, False),
        (list(range(1000)), False),
        ({"a": {"b": ["c"] * 1000}}, False),
        (deep, True),
        ([1, "two", None, {"three": 4.0}], True),
        (None, True),
    ):
        problem = InputProblem(("body", "x" * 9000), "m" * 9000, input=value, ctx={"e": "c" * 9000})
        [told] = limit_bodies([problem.body()])
        assert ("input" in told) is is_told, str(value)[:40]
        assert len(msgspec.json.encode(told)) < 4000
