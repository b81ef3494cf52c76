"""Devices: the organization's accounts on chat networks."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from heliograph.core.accounts.model import DeviceQuery
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.authentication import PREFIX
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import GatewayRoute
from heliograph.faces.api.schemas.devices import DeviceList, DeviceSort, SortOrder
from heliograph.faces.api.schemas.fields import Limit, Offset, SearchText

router = APIRouter(prefix=f"{PREFIX}/devices", tags=["Devices"], route_class=GatewayRoute)


@router.get("", response_model=DeviceList, responses=error_responses())
async def list_devices(
    principal: Annotated[Principal, requires("admin:read")],
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
            description="Part of a device name or session name in any case, or of a phone number "
            "however it is written, such as `+1 (555) 010`."
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
