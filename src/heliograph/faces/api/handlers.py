"""Errors as answers: one handler for each family, and ours for what the router says."""

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from heliograph.errors import (
    GatewayError,
    InvalidInputError,
    MethodNotAllowedError,
    NoApiHereError,
    NotFoundError,
)
from heliograph.faces.api.authentication import VERDICT
from heliograph.faces.api.encoding import Sent, respond, respond_error, respond_invalid


def add_error_handlers(app: FastAPI) -> None:
    """Every error of ours, of FastAPI's validation and of the router becomes a JSON answer."""

    @app.exception_handler(GatewayError)
    async def answer_error(_request: Request, error: GatewayError) -> Response:
        return respond_error(error)

    @app.exception_handler(InvalidInputError)
    async def answer_invalid(_request: Request, error: InvalidInputError) -> Response:
        return respond_invalid([problem.body() for problem in error.problems])

    @app.exception_handler(RequestValidationError)
    async def answer_unfit(request: Request, error: RequestValidationError) -> Response:
        sent = Sent(await request.body(), error.body) if isinstance(error.body, dict) else None
        return respond_invalid(list(error.errors()), sent)

    app.add_exception_handler(HTTPException, answer_router)


async def answer_router(request: Request, error: Exception) -> Response:
    """What the router raises, 404 and 405 for the most part, in the shape of our own errors."""
    if not isinstance(error, HTTPException):
        raise error
    verdict = request.scope.get(VERDICT)
    if verdict is not None and not verdict.allowed:
        return respond_error(verdict.refusal())
    if error.status_code == 404:
        return respond_error(NotFoundError())
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return respond_error(MethodNotAllowedError(sorted(allowed.split(", "))))
    body = {"detail": error.detail, "code": "http_error"}
    return respond(body, error.status_code, error.headers)


async def answer_without_api(_request: Request, _error: Exception) -> Response:
    """Every address but probes and metrics, on a node without the role `api`."""
    return respond_error(NoApiHereError())
