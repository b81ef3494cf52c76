"""What an answer that is no success is raised as."""

from collections.abc import Callable
from typing import Any

import httpx

from .address import at_address, describe_stranger, is_page
from .generated.client import Answer
from .generated.errors import UnexpectedStatus
from .generated.models import ValidationError


class ApiError(Exception):
    """The gateway's answer to a request that it did not carry out.

    Attributes:
        status: The HTTP status.
        code: What went wrong, as a word for a program. Words may be added. None for a 422, and
            for answers that are not the gateway's, such as a proxy's.
        detail: What went wrong, for a person.
        request_id: By which the gateway's log has the request.
        errors: What is wrong with the request, each with its place (422 only).
        retry_after: Seconds after which a repeat makes sense, if the answer says so.
        body: The whole answer, which may have more members; empty if it is no JSON object.
    """

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.body = read_body(response)
        self.code: str | None = self.body.get("code")
        self.errors = _read_errors(self.body)
        self.detail = _describe(self.body, self.errors, response)
        self.request_id: str | None = response.headers.get("X-Request-Id")
        self.retry_after = read_retry_after(response)
        super().__init__(f"{self.status} {self.code or 'error'}: {self.detail}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.__dict__,)  # so that it can be sent to another process


def accept(outcome: httpx.Response | httpx.TransportError) -> httpx.Response:
    """Return an answer of success, and raise everything else."""
    if isinstance(outcome, httpx.TransportError):
        raise outcome
    if not outcome.is_success or is_page(outcome):
        raise ApiError(outcome)
    return outcome


def read(response: httpx.Response, parse: Callable[[httpx.Response], Answer]) -> Answer:
    """Return what an answer says. Raises `ApiError` for one that is no gateway's."""
    try:
        return parse(response)
    except (ValueError, KeyError, TypeError, AttributeError, UnexpectedStatus) as error:
        if "X-Request-Id" in response.headers:  # each of the gateway's answers has one
            raise
        raise ApiError(response) from error


def read_body(response: httpx.Response) -> dict[str, Any]:
    """Return the JSON object of an answer, or an empty one."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def read_retry_after(response: httpx.Response) -> float | None:
    """Return the seconds of `Retry-After`. The gateway sends no dates."""
    try:
        return max(0.0, float(response.headers.get("Retry-After", "")))
    except ValueError:
        return None


def _restore(attributes: dict[str, Any]) -> ApiError:
    error = ApiError(httpx.Response(attributes["status"], json=attributes["body"]))
    error.__dict__.update(attributes)
    return error


def _read_errors(body: dict[str, Any]) -> list[ValidationError]:
    detail = body.get("detail")
    try:
        return list(map(ValidationError.from_dict, detail if isinstance(detail, list) else ()))
    except (AttributeError, KeyError, TypeError, ValueError):  # not the gateway's
        return []


def _describe(body: dict[str, Any], errors: list[ValidationError], response: httpx.Response) -> str:
    if errors:
        return "; ".join(f"{'.'.join(map(str, each.loc))}: {each.msg}" for each in errors)
    detail = body.get("detail")
    if not isinstance(detail, str) or not body.get("code"):
        return describe_stranger(response) or response.reason_phrase
    return at_address(detail, response) if body.get("code") == "not_found" else detail
