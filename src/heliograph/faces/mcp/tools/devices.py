"""Devices: the organization's accounts on chat networks."""

from typing import Annotated

from pydantic import Field

from heliograph.core.accounts.model import DeviceQuery
from heliograph.faces.api.schemas.devices import DeviceList
from heliograph.faces.api.schemas.fields import MAX_OFFSET
from heliograph.faces.mcp.tool import READ_ONLY, CallContext, Input, ToolSet
from heliograph.networks.port import AccountStatus

tools = ToolSet()


class PageOfDevices(Input):
    status: AccountStatus | None = Field(default=None, description="Only those in this state.")
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 50
    offset: Annotated[int, Field(ge=0, le=MAX_OFFSET, description="Number of entries to skip.")] = 0


@tools.add(
    READ_ONLY,
    "List devices",
    "admin:read",
    output=DeviceList,
    untrusted=("/devices/*/restriction/reason",),
)
async def list_devices(call: CallContext, given: PageOfDevices) -> object:
    """List the organization's accounts on chat networks (the API calls them devices) with their
    status. A device that is pairing or logged out needs a person, in the dashboard under
    Devices."""
    return await call.services.accounts.list_devices(
        call.principal, DeviceQuery(status=given.status, limit=given.limit, offset=given.offset)
    )
