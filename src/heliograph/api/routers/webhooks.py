"""Webhooks: the organization's deliveries."""

from typing import Annotated

from fastapi import APIRouter, Response

from heliograph.api.answers import answers
from heliograph.api.dependencies import ServicesDependency, requires
from heliograph.api.encoding import respond
from heliograph.api.middleware import PREFIX
from heliograph.api.routes import GatewayRoute
from heliograph.api.schemas.fields import Limit, Offset
from heliograph.api.schemas.webhooks import WebhookEventList
from heliograph.services.principals import Principal

router = APIRouter(prefix=f"{PREFIX}/webhooks", tags=["Webhooks"], route_class=GatewayRoute)


@router.get(
    "/subscriptions/events",
    operation_id="listOrgWebhookEvents",
    summary="List Org Webhook Events",
    response_model=WebhookEventList,
    responses=answers(),
)
async def list_webhook_events(
    principal: Annotated[Principal, requires("webhooks:read")],
    services: ServicesDependency,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """List deliveries across all webhooks of the organization, newest first."""
    events, total = await services.deliveries.list_events(principal, limit, offset)
    return respond({"events": events, "total": total})
