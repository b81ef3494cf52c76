"""Routes of the public API: the order of checks, and a fast path for the busiest operations."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine
from inspect import signature
from typing import Any, ClassVar
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers, QueryParams
from starlette.routing import Match
from starlette.types import Scope

from heliograph.core.services import Services
from heliograph.errors import InvalidInputError
from heliograph.faces.api.authentication import PREFIX, PRINCIPAL, VERDICT, Admitted
from heliograph.faces.api.dependencies import (
    IDEMPOTENCY_HEADER,
    Once,
    find_required_scope,
    read_idempotency_name,
)
from heliograph.faces.api.request_body import (
    check_content_type,
    check_encoding,
    check_no_members,
    read_json,
)
from heliograph.input_problems import InputProblem

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

_RAISED = "heliograph.raised"
_IDEMPOTENCY_HEADER = IDEMPOTENCY_HEADER.lower().encode()
_SMALL, _FEW = 32 * 1024, 256  # bytes; values, and commas in texts
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


FIRST_TEN = frozenset(
    {
        "createConversationGroup",
        "sendButtonMessage",
        "syncContacts",
        "joinGroup",
        "getContactProfilePicture",
        "getConversation",
        "getMessage",
        "listDevices",
        "getMessageStats",
        "listOrgWebhookEvents",
    }
)
"""The operations of version 1.0, which ignore what they don't know."""

_literal_paths: set[str] = set()
"""The paths without parameters: `contacts/check` is no contact whose id is `check`."""


class GatewayRoute(APIRoute):
    """Check in this order: 403 for the scope, then 429, then 415 and 422; then call the handler.

    Authentication has checked 413 and 401 before. A handler whose signature asks for no scope is
    refused when the application is built. Its name is the operation's: `get_message` has the id
    `getMessage` and the title Get Message.
    """

    streams_body: ClassVar[bool] = False

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        first, *others = endpoint.__name__.split("_")
        options["operation_id"] = first + "".join(word.capitalize() for word in others)
        is_public = options.get("include_in_schema", True)
        self.ignores_unknown = not is_public or options["operation_id"] in FIRST_TEN
        super().__init__(path, endpoint, **options)
        if "{" not in path:
            _literal_paths.add(path)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["path"] in _literal_paths and scope["path"] != self.path:
            return Match.NONE, {}
        return super().matches(scope)

    @property
    def required_scope(self) -> str:
        scope = find_required_scope(self.dependant)
        if scope is None:
            raise TypeError(f"{self.path} asks for no scope: every operation must")
        return scope

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        scope, takes_body = self.required_scope, self.body_field is not None
        refuses_body = not (takes_body or self.streams_body or "GET" in (self.methods or ()))
        query = [field.alias for field in self.dependant.query_params]
        allowed = None if self.ignores_unknown else frozenset(query)
        parts = (self.dependant, *self.dependant.dependencies)
        headers = [field.alias for part in parts for field in part.header_params]

        async def handle_in_order(request: Request) -> Response:
            request.scope[PRINCIPAL].require(scope)
            request.scope[VERDICT].require()
            if allowed is not None:
                _check_known(request.query_params, allowed)
            _check_once("query", request.query_params, query, "This parameter must be given once")
            _check_once("header", request.headers, headers, "This header must be sent once")
            if takes_body and (body := await request.body()):
                check_encoding(request.scope)
                check_content_type(request.headers.getlist("content-type"))
                request = _ReadRequest(request, body, await read_json(body))
            if refuses_body:
                await check_no_members(await request.body())
            return await handle(request)

        return handle_in_order


class _ReadRequest(Request):
    """A request whose body has been read and parsed, so that FastAPI does not parse it again."""

    def __init__(self, request: Request, raw: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._raw = raw
        self._value = value

    async def body(self) -> bytes:
        return self._raw

    async def json(self) -> Any:
        return self._value


def _check_known(given: QueryParams, allowed: Collection[str]) -> None:
    """Refuse parameters that the operation does not have: a typo in a filter must not list all."""
    unknown = [(name, value) for name, value in given.items() if name not in allowed]
    if unknown:
        raise InvalidInputError(
            *(
                InputProblem(
                    ("query", name), "Extra inputs are not permitted", "extra_forbidden", value
                )
                for name, value in unknown
            )
        )


def _check_once(place: str, given: QueryParams | Headers, names: list[str], reason: str) -> None:
    """Refuse parameters and headers given twice: which value is meant can't be known."""
    for name in names:
        values = given.getlist(name)
        if len(values) > 1:
            raise InvalidInputError.at(
                (place, name), f"Value error, {reason}", input=values, ctx={"error": reason}
            )


def api_router(path: str, tag: str, kind: type[GatewayRoute] = GatewayRoute) -> APIRouter:
    """Make the router of operations below this path, which a section of the description is for."""
    return APIRouter(prefix=f"{PREFIX}/{path}", tags=[tag], route_class=kind)


class StreamedRoute(GatewayRoute):
    """An operation whose handler reads the body as it arrives, of whatever type and length.

    Authentication has not read it: whatever can be refused without the body is refused before it is
    read.
    """

    streams_body = True


class FastRoute(GatewayRoute, ABC):
    """A fast path past FastAPI for well-formed requests.

    Authentication tries `answer` first, which calls the handler with what `_read_plain` has read.
    A request that it does not answer has had no effect and goes through FastAPI, so that every
    error is FastAPI's own. What the handler raised is raised again there instead of calling the
    handler twice.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        wanted = self._handed_over()
        if set(signature(endpoint).parameters) != wanted:
            raise TypeError(f"{path}: the handler of this hot route takes {sorted(wanted)}")
        super().__init__(path, endpoint, **options)
        self._scope = self.required_scope

    def get_route_handler(self) -> Handler:
        usual_way = super().get_route_handler()

        async def handle(request: Request) -> Response:
            raised: Exception | None = request.scope.pop(_RAISED, None)
            if raised is not None:
                raise raised
            return await usual_way(request)

        return handle

    async def answer(self, services: Services, scope: Scope, admitted: Admitted) -> Response | None:
        """Return the response, or None when FastAPI has to make it."""
        principal, verdict, raw = admitted
        if self._scope not in principal.scopes or not verdict.allowed:
            return None
        if scope["query_string"] and not self.ignores_unknown:
            return None
        arguments = self._read_plain(services, scope, raw)
        if arguments is None:
            return None
        scope["route"] = self
        try:
            response: Response = await self.endpoint(
                principal=principal, services=services, **arguments
            )
        except Exception as error:
            scope[_RAISED] = error
            return None
        return response

    @property
    @abstractmethod
    def fast_path(self) -> str:
        """Return the path by which authentication finds the route; `/` at its end stands for all
        paths below it."""

    @abstractmethod
    def _handed_over(self) -> set[str]:
        """Return the names of the handler's parameters."""

    @abstractmethod
    def _read_plain(self, services: Services, scope: Scope, raw: bytes) -> dict[str, Any] | None:
        """Return the handler's arguments but for `principal` and `services`, or None when FastAPI
        has to read them."""


class FastPost(FastRoute):
    """A POST whose raw body is validated by its pydantic model.

    The handler takes `body`, `once`, `principal` and `services`.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self._model = self._body_model()

    @property
    def fast_path(self) -> str:
        return self.path

    def _handed_over(self) -> set[str]:
        return {"body", "once", "principal", "services"}

    def _read_plain(self, services: Services, scope: Scope, raw: bytes) -> dict[str, Any] | None:
        # pydantic's parser refuses what strict_json refuses, except NUL characters and, in ignored
        # members, odd numbers: a body with either takes the usual way
        if b"\\u0000" in raw or not _is_small(raw):
            return None
        headers = dict(scope["headers"])
        is_repeated = len(headers) < len(scope["headers"])
        is_json = headers.get(b"content-type") == b"application/json"
        if is_repeated or not is_json or b"content-encoding" in headers:
            return None
        try:
            body = self._model.model_validate_json(raw, extra="forbid")
            name = read_idempotency_name(headers.get(_IDEMPOTENCY_HEADER))
        except ValidationError:
            return None
        return {"body": body, "once": Once(Request(scope), services, name)}

    def _body_model(self) -> type[BaseModel]:
        model = self.body_field.field_info.annotation if self.body_field else None
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise TypeError(f"{self.path} has no body that is one pydantic model")
        return model


def _is_small(raw: bytes) -> bool:
    """Return whether the body has so few values that it need not be checked in pieces."""
    return len(raw) <= _SMALL and raw.count(b",") + raw.count(b"[") + raw.count(b"{") <= _FEW


class FastRead(FastRoute):
    """A GET of one thing by its id, a UUID at the end of the path.

    The handler takes the id, `principal` and `services`.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self._name = path.rpartition("/")[2].strip("{}")
        super().__init__(path, endpoint, **options)

    @property
    def fast_path(self) -> str:
        return self.path.rpartition("/")[0] + "/"

    def _handed_over(self) -> set[str]:
        return {self._name, "principal", "services"}

    def _read_plain(self, services: Services, scope: Scope, raw: bytes) -> dict[str, Any] | None:
        text = scope["path"].rpartition("/")[2]
        return {self._name: UUID(text)} if _UUID.fullmatch(text) else None
