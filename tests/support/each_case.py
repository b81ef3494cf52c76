"""Many small facts in one test: it looks at each case and tells all that fail, in one message.

`@for_each` reads like `pytest.mark.parametrize`. What that makes is a test for each case, with its
own place in each process that shares the tests, its own set-up and its own reports; a walk over
pages, operations or values needs none of that. Fixtures are made once, for all cases: what a case
changes in them is there for the next one.
"""

import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

Cases = Iterable[Any] | Callable[[], Iterable[Any]]
"""Values, or tuples of them; or what makes them when the test runs, and not while it is found."""
Names = Callable[[Any], object] | Iterable[object] | None
_Test = Callable[..., Any]


def for_each(
    arguments: str | tuple[str, ...], cases: Cases, *, ids: Names = None
) -> Callable[[_Test], _Test]:
    """Call the test with `arguments` from each of the cases, and fail with all that failed."""
    taken = (arguments,) if isinstance(arguments, str) else arguments
    if isinstance(arguments, str) and "," in arguments:
        taken = tuple(name.strip() for name in arguments.split(","))

    def decorate(test: _Test) -> _Test:
        if inspect.iscoroutinefunction(test):

            @wraps(test)
            async def looped(**fixtures: Any) -> None:
                failures = _Failures()
                for name, values in _list_cases(taken, cases, ids):
                    with failures.told(name):
                        await test(**fixtures, **values)
                failures.raise_any()
        else:

            @wraps(test)
            def looped(**fixtures: Any) -> None:
                failures = _Failures()
                for name, values in _list_cases(taken, cases, ids):
                    with failures.told(name):
                        test(**fixtures, **values)
                failures.raise_any()

        signature = inspect.signature(test)
        left = [it for name, it in signature.parameters.items() if name not in taken]
        looped.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return looped

    return decorate


def _list_cases(
    taken: tuple[str, ...], cases: Cases, ids: Names
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case with its name and what it gives to each argument; there has to be one."""
    listed = list(cases if isinstance(cases, Iterable) else cases())
    assert listed, "there is no case to look at"
    names = list(ids) if isinstance(ids, Iterable) else [None] * len(listed)
    for case, given in zip(listed, names, strict=True):
        name = given
        if isinstance(case, type(pytest.param())):
            assert not case.marks, "a case that is marked needs a test of its own"
            values, name = tuple(case.values), case.id
        else:
            values = (case,) if len(taken) == 1 else tuple(case)
        if name is None:
            name = ", ".join(str(ids(value)) if callable(ids) else repr(value) for value in values)
        yield str(name), dict(zip(taken, values, strict=True))


class _Failures:
    """What failed of how many."""

    def __init__(self) -> None:
        self._count = 0
        self._told: list[str] = []

    @contextmanager
    def told(self, name: str) -> Iterator[None]:
        self._count += 1
        try:
            yield
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            self._told.append(f"{name}\n    {kind}{error}\n    {place.filename}:{place.lineno}")

    def raise_any(self) -> None:
        if self._told:
            failed = f"{len(self._told)} of {self._count} cases fail:"
            pytest.fail("\n".join([failed, *self._told]), pytrace=False)
