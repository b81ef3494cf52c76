"""Media: upload a file to send it, list and read what is known of files, delete one."""

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response
from pydantic import AfterValidator, WithJsonSchema

from heliograph import errors
from heliograph.core.media.media_types import parse_media_type
from heliograph.core.media.model import MediaFilter, Upload
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PREFIX, authenticate_again
from heliograph.faces.api.connections import expect_long_body
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.request_body import announced_length, check_encoding
from heliograph.faces.api.routes import StreamedRoute, api_router
from heliograph.faces.api.schemas.fields import Cursor, Limit, SearchText
from heliograph.faces.api.schemas.media import FILE_BODY, MediaFile, MediaList
from heliograph.networks.content.inputs import value_error
from heliograph.platform.characters import without_hidden
from heliograph.platform.file_names import MAX_BYTES, why_refused

uploading = api_router("media", "Media", StreamedRoute)
router = api_router("media", "Media")

Reader = Annotated[Principal, requires("messages:read")]
Writer = Annotated[Principal, requires("messages:write")]


_OF_ONE = (errors.OtherOrganizationError, errors.MediaNotFoundError)


def _check_file_name(name: str) -> str:
    reason = why_refused(name)
    if reason is not None:
        raise value_error("{reason}", {"reason": reason})
    return without_hidden(name)


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
    responses=error_responses(
        errors.IdempotencyConflictError, errors.MediaTypeError, errors.PlanLimitReachedError
    ),
)
async def upload_media(
    request: Request,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
    file_name: FileName = None,
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
        principal, upload, _body_of(request, services), f"POST {PREFIX}/media", once.name
    )
    return respond_stored(response)


async def _body_of(request: Request, services: Services) -> AsyncIterator[bytes]:
    """Yield the body, and check the key once more at its end: a file may take an hour."""
    async for part in request.stream():
        if part:
            yield part
    await authenticate_again(services, request.scope)


@router.get(
    "",
    response_model=MediaList,
    responses=error_responses(errors.OtherOrganizationError),
)
async def list_media(
    principal: Reader,
    services: ServicesDependency,
    media_type: Annotated[
        SearchText | None,
        Query(description="Only of this type, such as `image/png`, or of this kind, `image`."),
    ] = None,
    origin: Annotated[
        SearchText | None,
        Query(description="Only `upload`, or only `inbound`: sent to one of your devices."),
    ] = None,
    chat_account_id: Annotated[
        UUID | None, Query(description="Only what came in through this device.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List files, newest first: uploaded, fetched and received ones. `stored_bytes` says how much
    of the plan's quota is used; received files do not count. A page checks a limited number of
    files: a filtered one may hold fewer than `limit`, even none, and still have a `next_cursor`.
    """
    only = MediaFilter(media_type=media_type, origin=origin, chat_account_id=chat_account_id)
    return respond(await services.media_library.list(principal, only, cursor, limit))


@router.get("/{media_id}", response_model=MediaFile, responses=error_responses(*_OF_ONE))
async def get_media(media_id: UUID, principal: Reader, services: ServicesDependency) -> Response:
    """Read a file's record. Its `url`, new at every read, gives access to the file for an hour,
    without a key.
    """
    return respond(await services.media.get(principal, media_id))


@router.delete(
    "/{media_id}",
    status_code=204,
    responses=error_responses(*_OF_ONE, errors.MediaInUseError),
)
async def delete_media(media_id: UUID, principal: Writer, services: ServicesDependency) -> Response:
    """Delete a file, which frees its place in the quota at once. While a message with the file
    waits to be sent, the answer is 409 `media_in_use`. Other messages with it stay, without their
    file.
    """
    await services.media_library.delete(principal, media_id)
    return Response(status_code=204)
