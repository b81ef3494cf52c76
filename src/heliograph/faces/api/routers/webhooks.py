"""Webhooks: the organization's deliveries."""

from typing import Annotated

from fastapi import Response

from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import error_responses
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.events import WebhookEventList
from heliograph.faces.api.schemas.fields import Limit, Offset

router = api_router("webhooks", "Webhooks")


@router.get("/subscriptions/events", response_model=WebhookEventList, responses=error_responses())
async def list_org_webhook_events(
    principal: Annotated[Principal, requires("webhooks:read")],
    services: ServicesDependency,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """List deliveries across all webhooks of the organization, newest first."""
    events, total = await services.deliveries.list_events(principal, limit, offset)
    return respond({"events": events, "total": total})
