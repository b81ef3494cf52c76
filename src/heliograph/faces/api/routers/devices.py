"""Devices: the organization's accounts on chat networks, listed, connected and changed."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response

from heliograph import errors
from heliograph.core.accounts.model import DeviceQuery
from heliograph.core.accounts.serializers import device_details_record
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.confidential_routes import ConfidentialRoute
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import WITH_BODY, error_responses
from heliograph.faces.api.problem_places import in_body
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.devices import (
    ChangeDevice,
    CreateDevice,
    DeviceDetails,
    DeviceList,
    DeviceSort,
    SortOrder,
)
from heliograph.faces.api.schemas.fields import Limit, Offset, SearchText

router = api_router("devices", "Devices")
confidential = api_router("devices", "Devices", ConfidentialRoute)

Reader = Annotated[Principal, requires("admin:read")]
Writer = Annotated[Principal, requires("admin:write")]

ONE_DEVICE = (
    errors.OtherOrganizationError,
    errors.ChatAccountNotFoundError,
)
"""What every operation on one device can raise."""


@router.get("", response_model=DeviceList, responses=error_responses())
async def list_devices(
    principal: Reader,
    services: ServicesDependency,
    limit: Limit = 50,
    offset: Offset = 0,
    status: Annotated[
        SearchText | None,
        Query(description="Only devices in this state, such as `connected`, `disconnected`."),
    ] = None,
    search: Annotated[
        SearchText | None,
        Query(
            description="Part of a device name or session name, in any case, or of a phone "
            "number, in any notation, such as `+1 (555) 010`."
        ),
    ] = None,
    sort_by: Annotated[DeviceSort, Query(description="What to sort by.")] = DeviceSort.CREATED_AT,
    sort_order: Annotated[SortOrder, Query(description="The direction.")] = SortOrder.DESC,
) -> Response:
    """List the organization's devices."""
    query = DeviceQuery(
        status=status,
        search=search,
        sort_by=sort_by.value,
        descending=sort_order is SortOrder.DESC,
        limit=limit,
        offset=offset,
    )
    return respond(await services.accounts.list_devices(principal, query))


@confidential.post(
    "",
    status_code=201,
    response_model=DeviceDetails,
    responses=error_responses(*WITH_BODY, errors.PlanLimitReachedError),
)
async def create_device(
    body: CreateDevice, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Connect a device to a chat network, with the network's form. It starts connecting or pairing
    automatically; the device's pairing says what a person has to do. The first device of an
    organization becomes the primary one. A key that is limited to certain devices can't connect
    another.
    """
    create = partial(
        services.accounts.create,
        principal,
        body.network,
        body.name,
        body.session_name,
        body.settings,
    )
    with in_body():
        return await once(201, create, device_details_record, body=body)


@router.get("/{device_id}", response_model=DeviceDetails, responses=error_responses(*ONE_DEVICE))
async def get_device(device_id: UUID, principal: Reader, services: ServicesDependency) -> Response:
    """Read a device, with the number of messages that wait to be sent through it."""
    return respond(await services.devices.get(principal, device_id))


@confidential.patch(
    "/{device_id}",
    response_model=DeviceDetails,
    responses=error_responses(errors.UnsupportedMediaTypeError, *ONE_DEVICE),
)
async def change_device(
    device_id: UUID, body: ChangeDevice, principal: Writer, services: ServicesDependency
) -> Response:
    """Change a device; fields that are left out stay as they are. This reopens its connection.
    `settings` replaces the values that it names; an empty value means the form's default. A key
    that is limited to certain devices can't make another device the primary one."""
    with in_body():
        return respond(await services.devices.change(principal, device_id, body.update_of_device()))


@router.delete(
    "/{device_id}",
    status_code=204,
    response_class=Response,
    responses=error_responses(*ONE_DEVICE, errors.ChatAccountConnectedError),
)
async def delete_device(
    device_id: UUID, principal: Writer, services: ServicesDependency
) -> Response:
    """Remove a device. Its conversations and messages stay. Messages waiting to be sent are
    canceled; those that may have been sent fail. A connected device has to be logged out first.
    """
    device = await services.accounts.get(principal, device_id)
    await services.removals.remove(principal, device_id, device.name)
    return Response(status_code=204)
