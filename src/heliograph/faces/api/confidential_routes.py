"""Routes whose bodies may hold a secret: what is refused is not shown again."""

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError

from heliograph.faces.api.routes import GatewayRoute, Handler


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
