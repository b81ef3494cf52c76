"""Where in a request a value is that a service refuses."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from heliograph.errors import InvalidInputError
from heliograph.input_problems import InputProblem

_PLACES = ("body", "header", "path", "query")


@contextmanager
def in_body(**in_path: str) -> Iterator[None]:
    """Let a service's `InvalidInputError` name each value by its place in the request: in the
    body, unless `in_path` names its parameter of the path."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(
            *(_placed(problem, in_path) for problem in error.problems)
        ) from error


def _placed(problem: InputProblem, in_path: dict[str, str]) -> InputProblem:
    first = problem.loc[0]
    if first in _PLACES:
        return problem
    if first in in_path:
        return replace(problem, loc=("path", in_path[str(first)]))
    return replace(problem, loc=("body", *problem.loc))
