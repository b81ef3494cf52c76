"""Networks: what devices can connect to."""

from typing import Annotated

from fastapi import Response

from heliograph.core.accounts.networks import network_record
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.networks import NetworkList

router = api_router("networks", "Devices")


@router.get("", response_model=NetworkList, responses=error_responses())
async def list_networks(
    principal: Annotated[Principal, requires("admin:read")], services: ServicesDependency
) -> Response:
    """List the chat networks, with their capabilities and the form that connects a device."""
    networks = services.accounts.list_networks()
    return respond({"networks": [network_record(network) for network in networks]})
