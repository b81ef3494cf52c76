"""Webhook subscriptions: make, change and try them; their deliveries, and posting them again."""

from datetime import timedelta
from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from fastapi import Body, Query, Response

from heliograph import errors
from heliograph.core.pages import decode_cursor, encode_cursor
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks import serializers
from heliograph.core.webhooks.deliveries.replays import Replay
from heliograph.core.webhooks.model import Batching, DeliveryFilter, WebhookFilter
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import WITH_BODY, error_responses
from heliograph.faces.api.problem_places import in_body
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas import subscriptions as schemas
from heliograph.faces.api.schemas.fields import Cursor, Limit, Offset, SearchText

router = api_router("webhooks", "Webhooks")

_NOT_THERE = (errors.OtherOrganizationError, errors.SubscriptionNotFoundError)
_FILTERED = (errors.OtherOrganizationError, errors.ChatAccountNotFoundError)
Reader = Annotated[Principal, requires("webhooks:read")]
Writer = Annotated[Principal, requires("webhooks:write")]


class _DeliveryPlace(msgspec.Struct, forbid_unknown_fields=True):
    seq: int


@router.post(
    "/subscriptions",
    status_code=201,
    response_model=schemas.CreatedSubscription,
    responses=error_responses(*WITH_BODY, *_FILTERED, errors.PlanLimitReachedError),
)
async def create_webhook_subscription(
    body: schemas.CreateSubscription,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Subscribe a URL to events. Only this answer shows its signing secret; the dashboard can
    show it again. Events also require the scope to read what they show: `messages:read` for
    messages, `conversations:read` for conversations, `contacts:read` for contacts, and all three
    for `*`. With a key that is limited to certain accounts, the webhook gets only events of
    these accounts."""
    create = partial(
        services.webhooks.create,
        principal,
        body.url,
        body.events,
        description=body.description,
        enabled=body.enabled,
        headers=body.headers,
        filter_=WebhookFilter() if body.filter is None else body.filter.values(),
        batch=None if body.batch is None else body.batch.values(),
    )
    with in_body(webhook_id="subscription_id"):
        record = serializers.created_subscription_record
        return await once(201, create, record, body=body, shows_secret=True)


@router.get("/subscriptions", response_model=schemas.SubscriptionList, responses=error_responses())
async def list_webhook_subscriptions(
    principal: Reader, services: ServicesDependency, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List the organization's webhooks, oldest first; a key that is limited to certain accounts
    sees those that take only events of these."""
    found = await services.webhooks.list(principal)
    page = [serializers.subscription_record(each) for each in found[offset : offset + limit]]
    return respond({"subscriptions": page, "total": len(found), "limit": limit, "offset": offset})


@router.api_route("/subscriptions/events", methods=["PATCH", "DELETE"], include_in_schema=False)
async def refuse_to_change_events(_principal: Reader) -> Response:
    """Respond with 405; without this route, `events` would be taken for a webhook's id."""
    raise errors.MethodNotAllowedError(["GET"])


@router.get(
    "/subscriptions/{subscription_id}",
    response_model=schemas.Subscription,
    responses=error_responses(*_NOT_THERE),
)
async def get_webhook_subscription(
    subscription_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read a webhook. Its secret and the values of its custom headers are not shown."""
    webhook = await services.webhooks.get(principal, subscription_id)
    return respond(serializers.subscription_record(webhook))


@router.patch(
    "/subscriptions/{subscription_id}",
    response_model=schemas.Subscription,
    responses=error_responses(
        errors.UnsupportedMediaTypeError, *_NOT_THERE, errors.ChatAccountNotFoundError
    ),
)
async def update_webhook_subscription(
    subscription_id: UUID,
    body: schemas.ChangeSubscription,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Change the given fields. Pending deliveries go to the new URL, with the new headers. New
    events or a new filter require the scopes to read what the events show. A new URL requires
    `messages:read`, `conversations:read` and `contacts:read`, since any event may be pending.
    Enabling a webhook posts its pending deliveries and forgets earlier failures. Events already in
    a batch stay in it."""
    given = body.model_fields_set
    with in_body(webhook_id="subscription_id"):
        webhook = await services.webhooks.update(
            principal,
            subscription_id,
            url=body.url if "url" in given else None,
            events=body.events if "events" in given else None,
            description=body.description if "description" in given else None,
            enabled=body.enabled if "enabled" in given else None,
            headers=body.headers or {} if "headers" in given else None,
            filter_=_filter_of(body) if "filter" in given else None,
            batch=_batch_of(body) if "batch" in given else msgspec.UNSET,
        )
    return respond(serializers.subscription_record(webhook))


def _filter_of(body: schemas.ChangeSubscription) -> WebhookFilter:
    return WebhookFilter() if body.filter is None else body.filter.values()


def _batch_of(body: schemas.ChangeSubscription) -> Batching | None:
    return None if body.batch is None else body.batch.values()


@router.delete(
    "/subscriptions/{subscription_id}", status_code=204, responses=error_responses(*_NOT_THERE)
)
async def delete_webhook_subscription(
    subscription_id: UUID, principal: Writer, services: ServicesDependency
) -> Response:
    """Delete a webhook and cancel its pending deliveries. Its deliveries stay listed."""
    await services.webhooks.delete(principal, subscription_id)
    return Response(status_code=204)


@router.post(
    "/subscriptions/{subscription_id}/ping",
    status_code=202,
    response_model=schemas.PingSent,
    responses=error_responses(
        *_NOT_THERE, errors.WebhookDisabledError, errors.IdempotencyConflictError
    ),
)
async def ping_webhook_subscription(
    subscription_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Post a `webhook.ping` to this webhook only, whatever it subscribes to."""
    with in_body(webhook_id="subscription_id"):
        ping = partial(services.webhooks.ping, principal, subscription_id)
        return await once(202, ping, lambda delivery_id: {"delivery_id": delivery_id})


@router.post(
    "/subscriptions/{subscription_id}/rotate-secret",
    status_code=201,
    response_model=schemas.CreatedSubscription,
    responses=error_responses(*WITH_BODY, *_NOT_THERE, errors.TooManySecretsError),
)
async def rotate_webhook_secret(
    subscription_id: UUID,
    body: Annotated[schemas.RotateSecret, Body(default_factory=schemas.RotateSecret)],
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Give a webhook a new secret. Only this answer shows it; the dashboard can show it again.
    During the grace period the old one signs, too, as do older ones until their own grace periods
    end.
    """
    grace = timedelta(seconds=body.grace_seconds)
    with in_body(webhook_id="subscription_id"):
        rotate = partial(services.webhooks.rotate_secret, principal, subscription_id, grace=grace)
        record = serializers.created_subscription_record
        return await once(201, rotate, record, body=body, shows_secret=True)


@router.post(
    "/subscriptions/{subscription_id}/replay",
    status_code=202,
    response_model=schemas.ReplayProgress,
    responses=error_responses(*WITH_BODY, *_NOT_THERE, errors.WebhookDisabledError),
)
async def replay_webhook_events(
    subscription_id: UUID,
    body: schemas.ReplayEvents,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Post the events of a time range to this webhook again, each under its `webhook-id`.

    That includes events it was never sent: from before it was made, or while it was disabled. One
    call checks 2,000 events and queues those that the webhook takes; while the answer has a
    `next_cursor`, repeat the call with it. Nothing continues by itself.
    """
    wanted = Replay(body.since, body.until, body.delivery_status, body.cursor)
    with in_body(webhook_id="subscription_id"):
        replay = partial(services.replays.replay, principal, subscription_id, wanted)
        return await once(202, replay, body=body)


@router.get(
    "/subscriptions/{subscription_id}/deliveries",
    response_model=schemas.DeliveryList,
    responses=error_responses(*_NOT_THERE),
)
async def list_webhook_deliveries(
    subscription_id: UUID,
    principal: Reader,
    services: ServicesDependency,
    limit: Limit = 50,
    cursor: Cursor = None,
    status: Annotated[
        SearchText | None, Query(description="Only deliveries in this state, such as `failed`.")
    ] = None,
) -> Response:
    """List a webhook's deliveries, newest first. A page checks 10,000 deliveries of the
    organization at most: it may hold fewer than `limit`, even none, and have a `next_cursor`.
    """
    before = None if cursor is None else decode_cursor(cursor, _DeliveryPlace).seq
    await services.webhooks.get(principal, subscription_id)
    wanted = DeliveryFilter(webhook_id=subscription_id, status=status)
    page = await services.deliveries.search(principal, wanted, before=before, limit=limit)
    records = [serializers.subscription_delivery_record(each) for each in page.deliveries]
    more = None if page.more is None else encode_cursor(_DeliveryPlace(page.more))
    return respond({"deliveries": records, "next_cursor": more})


@router.get(
    "/deliveries/{delivery_id}",
    response_model=schemas.DeliveryDetails,
    responses=error_responses(errors.OtherOrganizationError, errors.DeliveryNotFoundError),
)
async def get_webhook_delivery(
    delivery_id: UUID, principal: Reader, services: ServicesDependency
) -> Response:
    """Read a delivery: its event, and each attempt with the endpoint's answer. This also requires
    the scope to read what the event shows, such as `messages:read`. An event in a batch has the
    attempts of its batch."""
    report = await services.deliveries.get(principal, delivery_id)
    payload = await services.deliveries.find_body(principal, report.delivery)
    return respond(serializers.delivery_details_record(report.delivery, report.attempts, payload))


@router.post(
    "/deliveries/{delivery_id}/redeliver",
    status_code=202,
    response_model=schemas.Delivery,
    responses=error_responses(
        *_NOT_THERE,
        errors.DeliveryNotFoundError,
        errors.NotFoundError,
        errors.WebhookDisabledError,
        errors.IdempotencyConflictError,
    ),
)
async def redeliver_webhook_event(
    delivery_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Post the event of a delivery again, as a new delivery with the same `webhook-id`. This also
    requires the scope to read what the event shows, such as `messages:read`. If the webhook takes
    batches, the event is posted in a new one."""
    with in_body(webhook_id="delivery_id"):
        redeliver = partial(services.deliveries.redeliver, principal, delivery_id)
        return await once(202, redeliver, serializers.subscription_delivery_record)
