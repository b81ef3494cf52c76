"""A walk over cases goes on after one that fails, and tells all of them."""

import inspect

import pytest

from each_case import for_each


@for_each("number", [1, 2, 3])
def odd(number: int) -> None:
    assert number % 2, "it is even"


@for_each(("name", "number"), [("one", 1), pytest.param("two", 3, id="wrong")])
async def named(name: str, number: int, known: dict[str, int]) -> None:
    assert known[name] == number


def test_each_that_fails_is_told_with_its_reason_and_place() -> None:
    with pytest.raises(pytest.fail.Exception) as failed:
        for_each("number", range(1, 5))(inspect.unwrap(odd))()
    told = str(failed.value)
    assert told.startswith("2 of 4 cases fail:\n2\n    it is even")
    assert "\n4\n    it is even" in told
    assert told.count(__file__) == 2


async def test_fixtures_stay_arguments_of_a_test_that_waits() -> None:
    assert list(inspect.signature(named).parameters) == ["known"]
    with pytest.raises(pytest.fail.Exception, match="1 of 2 cases fail:\nwrong\n"):
        await named(known={"one": 1, "two": 2})
    await named(known={"one": 1, "two": 3})


def test_every_argument_of_a_case_is_named_by_its_ids() -> None:
    with pytest.raises(pytest.fail.Exception, match="\n<2>\n"):
        for_each("number", [2], ids=lambda number: f"<{number}>")(inspect.unwrap(odd))()
    with pytest.raises(pytest.fail.Exception, match="\nsecond\n"):
        for_each("number", [1, 2], ids=["first", "second"])(inspect.unwrap(odd))()


def test_cases_are_made_when_the_test_runs() -> None:
    numbers: list[int] = []
    test = for_each("number", lambda: numbers)(inspect.unwrap(odd))
    numbers.append(1)
    test()


def test_no_case_at_all_is_a_failure_and_so_is_one_that_is_left_out() -> None:
    with pytest.raises(AssertionError, match="no case"):
        for_each("number", [])(inspect.unwrap(odd))()

    @for_each("number", [1])
    def skips(number: int) -> None:
        pytest.skip(f"not with {number}")

    with pytest.raises(pytest.fail.Exception, match="not with 1"):
        skips()
