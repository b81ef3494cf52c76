"""Try a request: an operation of the API, called by the server in the visitor's own name.

What it may do is what their role may. No API key stands in a page: the command to copy has a
variable in its place.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from starlette.responses import Response

from heliograph.errors import InvalidInputError
from heliograph.faces.api_calls import Call, CallAnswer, Operation
from heliograph.faces.dashboard.pages.navigation import TRYING
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

_FIRST = "sendButtonMessage"
_NUMBER = re.compile(r'("phone_number": )"[^"]*"')
_NOBODY = "+15550100001"
"""A number reserved for fiction, so that an unchanged request disturbs nobody; the sandbox has
it."""
_SHOWN_HEADERS = ("content-type", "idempotent-replayed", "location", "retry-after")


class GivenCall(NamedTuple):
    """What the form holds: parameters by name, the body, the idempotency key."""

    parameters: Mapping[str, str]
    body: str
    key: str


class Shown(NamedTuple):
    """An answer as a person reads it."""

    status: int
    phrase: str
    is_good: bool
    seconds: float
    headers: Sequence[tuple[str, str]]
    body: str


@pages.get(TRYING.path, scope="messages:read")
async def show_form(visit: Visit) -> Response:
    operation = _find(visit, visit.query("operation") or _FIRST)
    accounts = await visit.services.accounts.list(visit.principal)
    device = str(accounts[0].id) if accounts else ""
    filled = {"device_id": device, "chat_account_id": ""}
    parameters = {each.name: filled.get(each.name, "") for each in operation.parameters}
    return _show(visit, operation, GivenCall(parameters, _to_nobody(operation.example or ""), ""))


@pages.post(TRYING.path, scope="messages:read")
async def call(visit: Visit) -> Response:
    """Call the operation, which decides whether the visitor's role may."""
    operation = _find(visit, visit.field("operation"))
    # a missing field has an empty value, and so has one that is a file
    given = GivenCall(
        {each.name: visit.text(f"of_{each.name}") for each in operation.parameters},
        visit.text("body"),
        visit.text("idempotency_key"),
    )
    try:
        answer = await visit.calls.call(visit.principal, _call(operation, given))
    except InvalidInputError as error:
        return _show(visit, operation, given, problem=error.problems[0].msg)
    except TimeoutError:
        problem = "There was no answer in time. The request may have been carried out."
        return _show(visit, operation, given, problem=problem, status=504)
    return _show(visit, operation, given, answer=answer)


def _show(
    visit: Visit,
    operation: Operation,
    given: GivenCall,
    *,
    answer: CallAnswer | None = None,
    problem: str | None = None,
    status: int = 422,
) -> Response:
    return visit.render(
        "developers/trying.html",
        status=status if problem else 200,
        groups=[(name, list(each)) for name, each in groupby(_list(visit), lambda op: op.group)],
        operation=operation,
        given=given,
        has_more=bool(given.key or _address(operation, given)[1]),
        may_call=visit.may(operation.scope),
        command=_command(visit, operation, given),
        answer=None if answer is None else _read(answer),
        problem=problem,
        role=visit.membership.role,
    )


def _list(visit: Visit) -> list[Operation]:
    """List the operations by group, in the order in which the API has them."""
    order = {each.group: n for n, each in reversed(list(enumerate(visit.calls.operations)))}
    return sorted(visit.calls.operations, key=lambda each: order[each.group])


def _to_nobody(example: str) -> str:
    return _NUMBER.sub(rf'\1"{_NOBODY}"', example)


def _find(visit: Visit, id_: str) -> Operation:
    for operation in visit.calls.operations:
        if operation.id == id_:
            return operation
    raise InvalidInputError.at(("operation",), f"There is no operation '{id_[:80]}' to try here.")


def _call(operation: Operation, given: GivenCall) -> Call:
    """Return the call. Raises `InvalidInputError` for a value that can't be part of one."""
    for parameter in operation.parameters:
        if parameter.is_in_path and not given.parameters[parameter.name]:
            raise InvalidInputError.at((parameter.name,), f"{parameter.name} is required.")
    if not given.key.isascii():
        raise InvalidInputError.at(("idempotency_key",), "An Idempotency-Key is visible ASCII.")
    path, query = _address(operation, given)
    return Call(
        method=operation.method,
        path=path,
        query=query,
        body=None if operation.example is None else given.body.encode(),
        idempotency_key=given.key or None,
    )


def _address(operation: Operation, given: GivenCall) -> tuple[str, str]:
    """Return the path and the query, as they stand in a URL."""

    def value_of(name: re.Match[str]) -> str:
        return quote(given.parameters[name[1]], safe="") or f"{{{name[1]}}}"

    path = re.sub(r"\{(\w+)\}", value_of, operation.path)
    query = {
        each.name: given.parameters[each.name]
        for each in operation.parameters
        if not each.is_in_path and given.parameters[each.name]
    }
    return path, urlencode(query)


def _command(visit: Visit, operation: Operation, given: GivenCall) -> str:
    """Return the command that does the same from a shell, with the key in a variable."""
    path, query = _address(operation, given)
    url = visit.services.settings.public_url + path + (f"?{query}" if query else "")
    lines = ["curl -sS" if operation.method == "GET" else f"curl -sS -X {operation.method}"]
    lines[0] += f" {shlex.quote(url)}"
    lines.append('-H "Authorization: Bearer $HELIOGRAPH_API_KEY"')
    if given.key:
        lines.append(f"-H {shlex.quote(f'Idempotency-Key: {given.key}')}")
    if operation.example is not None:
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d {shlex.quote(given.body)}")
    return " \\\n  ".join(lines)


def _read(answer: CallAnswer) -> Shown:
    shown = [(name, answer.headers[name]) for name in _SHOWN_HEADERS if name in answer.headers]
    text = answer.body.decode("utf-8", "replace")
    if "json" in answer.headers.get("content-type", ""):
        with suppress(msgspec.DecodeError):  # it was too long to be kept
            text = msgspec.json.format(answer.body, indent=2).decode()
    return Shown(
        answer.status,
        HTTPStatus(answer.status).phrase,
        answer.status < HTTPStatus.BAD_REQUEST,
        answer.seconds,
        shown,
        text,
    )
