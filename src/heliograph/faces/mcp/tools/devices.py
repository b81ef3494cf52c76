"""Devices: the organization's accounts on chat networks."""

from heliograph.faces.api.routers import devices as api
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import READ_ONLY, ToolSet
from heliograph.networks.port import AccountStatus

tools = ToolSet()

add_operation(
    tools,
    READ_ONLY,
    "List devices",
    api.list_devices,
    "List the organization's accounts on chat networks (the API calls them devices) with their "
    "status. A device that is pairing or logged out needs a person, in the dashboard under "
    "Devices.",
    status=AccountStatus,
)
