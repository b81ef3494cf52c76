"""Webhooks: where events are posted; each with its secret, its state and its last deliveries."""

from datetime import UTC, datetime, timedelta

from starlette.responses import Response

from heliograph.core.webhooks.model import DeliveryFilter, Webhook
from heliograph.core.webhooks.subscriptions.service import MAX_DESCRIPTION_LENGTH, SUBSCRIBABLE
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.developers.webhook_form import (
    LIMITS,
    as_typed,
    of_webhook,
    read_headers,
    read_options,
)
from heliograph.faces.dashboard.pages.forms import (
    GRACES,
    explain,
    group_by_prefix,
    list_ticked,
    read_grace,
)
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

_HERE = "developers/webhooks"
_ONE = f"{_HERE}/{{webhook_id:uuid}}"
_LAST_DELIVERIES = 10


@pages.get(_HERE, scope="webhooks:read")
async def show_webhooks(visit: Visit) -> Response:
    return await _list(visit)


@pages.post(_HERE, scope="webhooks:write")
async def add_webhook(visit: Visit) -> Response:
    """Add a webhook and show its page; with bad input show the form again."""
    try:
        created = await visit.services.webhooks.create(
            visit.principal,
            visit.text("url"),
            list_ticked(visit, "event"),
            description=visit.text("description"),
            headers=read_headers(visit),
            **read_options(visit),
        )
    except InvalidInputError as error:
        return await _list(visit, problem=explain(error))
    return visit.go_to(f"{_HERE}/{created.webhook.id}", done="created")


@pages.get(_ONE, scope="webhooks:read")
async def show_webhook(visit: Visit) -> Response:
    return await _show(visit)


@pages.post(f"{_ONE}/change", scope="webhooks:write")
async def change_webhook(visit: Visit) -> Response:
    try:
        await visit.services.webhooks.update(
            visit.principal,
            visit.id("webhook_id"),
            url=visit.text("url"),
            events=list_ticked(visit, "event"),
            description=visit.text("description"),
            headers=read_headers(visit),
            **read_options(visit),
        )
    except InvalidInputError as error:
        return await _show(visit, problem=explain(error))
    return _back(visit, "saved")


@pages.post(f"{_ONE}/secret", scope="webhooks:write")
async def show_secret(visit: Visit) -> Response:
    secret = await visit.services.webhooks.show_secret(visit.principal, visit.id("webhook_id"))
    return await _show(visit, secret=secret)


@pages.post(f"{_ONE}/rotate", scope="webhooks:write")
async def rotate_secret(visit: Visit) -> Response:
    grace = read_grace(visit)
    rotated = await visit.services.webhooks.rotate_secret(
        visit.principal, visit.id("webhook_id"), grace=grace
    )
    return await _show(visit, secret=rotated.secret, grace=grace)


@pages.post(f"{_ONE}/ping", scope="webhooks:write")
async def ping(visit: Visit) -> Response:
    delivery_id = await visit.services.webhooks.ping(visit.principal, visit.id("webhook_id"))
    return visit.go_to(f"developers/deliveries/{delivery_id}")


@pages.post(f"{_ONE}/disable", scope="webhooks:write")
async def disable(visit: Visit) -> Response:
    await visit.services.webhooks.disable(visit.principal, visit.id("webhook_id"))
    return _back(visit, "disabled")


@pages.post(f"{_ONE}/enable", scope="webhooks:write")
async def enable(visit: Visit) -> Response:
    await visit.services.webhooks.enable(visit.principal, visit.id("webhook_id"))
    return _back(visit, "enabled")


@pages.post(f"{_ONE}/delete", scope="webhooks:write")
async def delete(visit: Visit) -> Response:
    await visit.services.webhooks.delete(visit.principal, visit.id("webhook_id"))
    return visit.go_to(_HERE, done="deleted")


def _back(visit: Visit, done: str) -> Response:
    return visit.go_to(f"{_HERE}/{visit.id('webhook_id')}", done=done)


async def _list(visit: Visit, *, problem: str | None = None) -> Response:
    return visit.render(
        "developers/webhooks.html",
        status=422 if problem else 200,
        webhooks=await visit.services.webhooks.list(visit.principal),
        try_out_url=visit.services.settings.try_out_url,
        problem=problem,
        given=as_typed(visit),
        devices=await visit.services.accounts.list(visit.principal),
        limits=LIMITS,
        groups=group_by_prefix(SUBSCRIBABLE, "."),
        longest_description=MAX_DESCRIPTION_LENGTH,
    )


async def _show(
    visit: Visit,
    *,
    secret: str | None = None,
    grace: timedelta | None = None,
    problem: str | None = None,
) -> Response:
    """Show a webhook; `grace` is how long the previous secret signs when this one is new."""
    webhook_id = visit.id("webhook_id")
    webhook = await visit.services.webhooks.get(visit.principal, webhook_id)
    wanted = DeliveryFilter(webhook_id=webhook_id)
    found = await visit.services.deliveries.search(visit.principal, wanted, limit=_LAST_DELIVERIES)
    return visit.render(
        "developers/webhook.html",
        status=422 if problem else 200,
        webhook=webhook,
        last_error=await _find_last_error(visit, webhook),
        deliveries=found.deliveries,
        subjects=await visit.services.deliveries.list_subjects(visit.principal, found.deliveries),
        secret=secret,
        grace=grace,
        graces=GRACES,
        now=datetime.now(UTC),
        problem=problem,
        given=as_typed(visit, webhook.header_names) if problem else of_webhook(webhook),
        devices=await visit.services.accounts.list(visit.principal),
        limits=LIMITS,
        groups=group_by_prefix(SUBSCRIBABLE, "."),
        longest_description=MAX_DESCRIPTION_LENGTH,
    )


async def _find_last_error(visit: Visit, webhook: Webhook) -> str | None:
    """Return how the newest attempt at a failing webhook ended."""
    if webhook.failing_since is None:
        return None
    failing = await visit.services.delivery_report.list_failing_endpoints(visit.principal)
    return next((each.last_error for each in failing if each.webhook.id == webhook.id), None)
