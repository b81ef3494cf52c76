"""Labels: an organization's own words for its conversations and contacts."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Response

from heliograph import errors
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import WITH_BODY, error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.fields import Limit, Offset
from heliograph.faces.api.schemas.labels import ChangeLabel, CreateLabel, Label, LabelList

router = api_router("labels", "Labels")

Writer = Annotated[Principal, requires("conversations:write")]

_OF_ONE = (errors.OtherOrganizationError, errors.NotFoundError)


@router.get("", response_model=LabelList, responses=error_responses())
async def list_labels(
    principal: Annotated[Principal, requires("conversations:read")],
    services: ServicesDependency,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """List the organization's labels by name."""
    return respond(await services.labels.list_page(principal, limit=limit, offset=offset))


@router.post(
    "",
    status_code=201,
    response_model=Label,
    responses=error_responses(*WITH_BODY),
)
async def create_label(
    body: CreateLabel, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Create a label. An organization can have 200. A key that is limited to certain devices can't
    create one: all devices share the labels."""
    create = partial(services.labels.create, principal, body.name, body.color)
    return await once(201, create, body=body)


@router.patch(
    "/{label_id}",
    response_model=Label,
    responses=error_responses(*_OF_ONE, errors.UnsupportedMediaTypeError),
)
async def change_label(
    label_id: UUID, body: ChangeLabel, principal: Writer, services: ServicesDependency
) -> Response:
    """Change a label's name or color everywhere. A key that is limited to certain devices can't:
    all devices share the labels."""
    given = body.model_dump(include=body.model_fields_set)
    return respond(await services.labels.change(principal, label_id, **given))


@router.delete("/{label_id}", status_code=204, responses=error_responses(*_OF_ONE))
async def delete_label(label_id: UUID, principal: Writer, services: ServicesDependency) -> Response:
    """Delete a label, and remove it from all conversations and contacts. A key that is limited to
    certain devices can't."""
    await services.labels.delete(principal, label_id)
    return Response(status_code=204)
