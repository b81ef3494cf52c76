"""Media: upload a file to send it, and read what is known of one."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, WithJsonSchema

from heliograph import errors
from heliograph.core.media.file_names import MAX_BYTES, why_refused
from heliograph.core.media.media_types import parse_media_type
from heliograph.core.media.model import Upload
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PREFIX
from heliograph.faces.api.connections import expect_long_body
from heliograph.faces.api.dependencies import IdempotencyHeader, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.request_body import announced_length, check_encoding
from heliograph.faces.api.routes import GatewayRoute, StreamedRoute
from heliograph.faces.api.schemas.fields import value_error
from heliograph.faces.api.schemas.media import FILE_BODY, MediaFile

_PATH = f"{PREFIX}/media"
uploading = APIRouter(prefix=_PATH, tags=["Media"], route_class=StreamedRoute)
router = APIRouter(prefix=_PATH, tags=["Media"], route_class=GatewayRoute)


def _check_file_name(name: str) -> str:
    reason = why_refused(name)
    if reason is not None:
        raise value_error("{reason}", {"reason": reason})
    return name


FileName = Annotated[
    Annotated[
        str,
        AfterValidator(_check_file_name),
        WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_BYTES}),
    ]
    | None,
    Query(
        description="The file's name, at most 255 bytes in UTF-8: without `/`, `\\\\` and "
        "control characters. Recipients of the file as a document see it.",
    ),
]


@uploading.post(
    "",
    status_code=201,
    response_model=MediaFile,
    openapi_extra=FILE_BODY,
    responses=error_responses(errors.MediaTypeError, errors.PlanLimitReachedError),
)
async def upload_media(
    request: Request,
    principal: Annotated[Principal, requires("messages:write")],
    services: ServicesDependency,
    file_name: FileName = None,
    idempotency_name: IdempotencyHeader = None,
) -> Response:
    """Upload a file, to send in messages by its id. The body is the file itself, up to the size
    that the plan allows (64 MiB by default). Its first bytes have to match its `Content-Type`;
    without one, or with `application/octet-stream`, the bytes alone decide.
    """
    types = request.headers.getlist("content-type")
    if len(types) > 1:
        raise errors.MediaTypeError("it has more than one Content-Type")
    check_encoding(request.scope)
    upload = Upload(
        claimed_type=parse_media_type(types[0] if types else None),
        file_name=file_name,
        size=announced_length(request.scope),
    )
    services.uploads.check(principal, upload)
    expect_long_body(request.scope, principal.plan.file_limit)
    response = await services.uploads.receive(
        principal, upload, _body_of(request), f"POST {_PATH}", idempotency_name
    )
    return respond_stored(response)


async def _body_of(request: Request) -> AsyncIterator[bytes]:
    async for part in request.stream():
        if part:
            yield part


@router.get(
    "/{media_id}",
    response_model=MediaFile,
    responses=error_responses(errors.OtherOrganizationError, errors.MediaNotFoundError),
)
async def get_media(
    media_id: UUID,
    principal: Annotated[Principal, requires("messages:read")],
    services: ServicesDependency,
) -> Response:
    """Read a file's record. Its `url`, new at every read, gives access to the file for an hour,
    without a key.
    """
    return respond(await services.media.get(principal, media_id))
