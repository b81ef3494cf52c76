"""Routes whose bodies may hold a secret: what is refused is not shown again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError

from heliograph.errors import InvalidInputError
from heliograph.faces.api.routes import GatewayRoute, Handler

_PLACES = ("body", "header", "path", "query")


class ConfidentialRoute(GatewayRoute):
    """Answer 422 without the values that were sent: a body may hold a secret beside its mistake."""

    def get_route_handler(self) -> Handler:
        usual_way = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await usual_way(request)
            except RequestValidationError as error:
                problems = [dict(problem) for problem in error.errors()]
                for problem in problems:
                    problem.pop("input", None)
                raise RequestValidationError(problems) from None

        return handle


@contextmanager
def in_body() -> Iterator[None]:
    """Let a service's `InvalidInputError` name the value by its way in the request's body."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(
            *[
                problem
                if problem.loc[0] in _PLACES
                else replace(problem, loc=("body", *problem.loc))
                for problem in error.problems
            ]
        ) from error
