"""What handlers ask for in their signatures: the caller, the services, the idempotency key."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request, Response
from fastapi.dependencies.models import Dependant
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
)

from heliograph.core.idempotency.service import IdempotencyKey, encode_response, fingerprint
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PRINCIPAL
from heliograph.faces.api.encoding import respond_stored
from heliograph.networks.content.inputs import value_error

T = TypeVar("T")

# --- the caller ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScopeRequirement:
    """The scope that a handler requires. Authentication has read the header that it declares."""

    scope: str

    async def __call__(  # async, or FastAPI would call it in a thread
        self,
        request: Request,
        authorization: Annotated[
            str | None,
            Header(
                alias="Authorization",
                description="`Bearer <API key>`. Without it the answer is 401.",
            ),
        ] = None,
    ) -> Principal:
        principal: Principal = request.scope[PRINCIPAL]
        principal.require(self.scope)
        return principal


def requires(scope: str) -> Any:
    """Return the dependency for a caller with this scope.

    It is used as `principal: Annotated[Principal, requires("messages:write")]`.
    """
    return Depends(ScopeRequirement(scope))


def find_required_scope(dependant: Dependant) -> str | None:
    """Find the scope that a handler's signature asks for; None when it asks for none."""
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, ScopeRequirement):
            return dependency.call.scope
    return None


# --- the services ----------------------------------------------------------------------------


async def _services(request: Request) -> Services:  # async, as above
    services: Services = request.app.state.services
    return services


ServicesDependency = Annotated[Services, Depends(_services)]


# --- idempotency -----------------------------------------------------------------------------

IDEMPOTENCY_HEADER = "Idempotency-Key"
MAX_IDEMPOTENCY_KEY = 255

_VISIBLE = re.compile(r"[ -~]+")
_NAME_PATTERN = r'^([!-~]|[!#-~][!-~]|"[!#-~]|[!-~][ -~]+[!-~])$'
"""Visible characters with no space at either end, and not `""`. It has no lookahead, which Go's
and Rust's regular expressions lack."""


def _unquote(value: Any) -> Any:
    if isinstance(value, str) and len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


def _check_visible(value: str) -> str:
    if _VISIBLE.fullmatch(value) is None:
        raise value_error("only visible ASCII is allowed")
    return value


IdempotencyName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_IDEMPOTENCY_KEY),
    AfterValidator(_check_visible),
    BeforeValidator(_unquote),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_IDEMPOTENCY_KEY,
            "pattern": _NAME_PATTERN,
        }
    ),
]

IdempotencyHeader = Annotated[
    IdempotencyName | None,
    Header(
        alias=IDEMPOTENCY_HEADER,
        description="A name for this request, 1 to 255 characters, quoted or not: a repeat within "
        "24 hours gets the first answer, and nothing is done twice.",
    ),
]

_idempotency_name = TypeAdapter[str](IdempotencyName)


def read_idempotency_name(header: bytes | None) -> str | None:
    """Read the header as FastAPI would. Raises pydantic's `ValidationError`."""
    return None if header is None else _idempotency_name.validate_python(header.decode("latin-1"))


def _same(record: Any) -> Any:
    return record


@dataclass(frozen=True, slots=True)
class Once:
    """Answer a request that its client may repeat.

    Handlers ask for it before the principal, so that the API's description names its header first.
    """

    request: Request
    services: Services
    name: str | None

    async def __call__(
        self,
        status: int,
        write: Callable[[], Awaitable[T]],
        record: Callable[[T], Any] = _same,
        *,
        body: BaseModel | None = None,
        shows_secret: bool = False,
    ) -> Response:
        """Call `write` and answer with this status and the record of its result, or repeat the
        first answer if there was one. See `Changes.once`."""
        answer = await self.services.changes.once(
            self.request.scope[PRINCIPAL],
            self.key(body),
            write,
            lambda result: encode_response(status, record(result)),
            shows_secret=shows_secret,
        )
        return respond_stored(answer)

    def key(self, body: BaseModel | None = None) -> IdempotencyKey | None:
        """Return the key with the request's fingerprint, made of what the caller may do, the
        method, the path and the validated body, if there is one."""
        if self.name is None:
            return None
        request = self.request
        asked_for = f"{request.method} {request.scope['path']}"
        said = "" if body is None else body.model_dump_json()
        return IdempotencyKey(self.name, fingerprint(request.scope[PRINCIPAL], asked_for, said))


async def _once(
    request: Request, services: ServicesDependency, name: IdempotencyHeader = None
) -> Once:
    return Once(request, services, name)


OnceDependency = Annotated[Once, Depends(_once)]
