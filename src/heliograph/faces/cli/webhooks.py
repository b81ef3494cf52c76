"""`heliograph webhooks`: make and change webhooks, list deliveries, and post events again."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import typer
from rich.progress import Progress as ProgressBar

from heliograph.core.webhooks.deliveries import DeliveryReport, RedeliveryProgress
from heliograph.core.webhooks.model import Delivery, DeliveryAttempt, DeliveryStatus, Webhook
from heliograph.core.webhooks.serializers import delivery_record
from heliograph.core.webhooks.service import CreatedWebhook
from heliograph.faces.cli.organizations import JsonOption, OrganizationOption, open_as_operator
from heliograph.faces.cli.output import (
    Screen,
    list_old_secrets,
    print_fields,
    print_json,
    print_table,
    show_time,
)
from heliograph.faces.cli.times import parse_duration, parse_time

app = typer.Typer(help="Webhooks of an organization.", no_args_is_help=True)

WebhookId = Annotated[UUID, typer.Argument(help="The webhook's id, as `webhooks list` shows it.")]
EventOption = Annotated[
    list[str] | None,
    typer.Option(
        "--event", help="A type or pattern, such as message.read or message.*; repeat it."
    ),
]
_TIME = "TIME"


@app.command()
def create(
    url: Annotated[str, typer.Option(help="Where to post.")],
    event: EventOption = None,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a webhook and show its secret, this once. It takes every event unless told otherwise."""
    created = asyncio.run(_create(organization, url, event or ["*"], description))
    webhook = created.webhook
    if as_json:
        print_json(
            {
                "id": webhook.id,
                "url": webhook.url,
                "events": webhook.events,
                "secret": created.secret,
            }
        )
        return
    print_fields(
        [
            ("id", str(webhook.id)),
            ("url", webhook.url),
            ("events", ", ".join(webhook.events)),
            ("secret", created.secret),
        ]
    )
    typer.echo("\nKeep the secret now: it is not shown again.")


@app.command("list")
def list_all(organization: OrganizationOption = None, as_json: JsonOption = False) -> None:
    """List an organization's webhooks, oldest first."""
    webhooks = asyncio.run(_list(organization))
    if as_json:
        print_json([_record(webhook) for webhook in webhooks])
        return
    if not webhooks:
        typer.echo("This organization has no webhook yet.")
    for position, webhook in enumerate(webhooks):
        if position:
            typer.echo()
        _show(webhook, as_json=False)


@app.command()
def update(
    webhook_id: WebhookId,
    url: Annotated[str | None, typer.Option(help="Where to post from now on.")] = None,
    event: EventOption = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a webhook's URL or its events. What is pending goes to the new URL."""
    _show(asyncio.run(_update(organization, webhook_id, url, event)), as_json=as_json)


@app.command()
def ping(webhook_id: WebhookId, organization: OrganizationOption = None) -> None:
    """Post a webhook.ping and show what the endpoint answers."""
    report = asyncio.run(_ping(organization, webhook_id))
    if report is None:
        typer.echo("The ping waits for a gateway: none has posted it within 20 s.", err=True)
        raise typer.Exit(1)
    delivery = report.delivery
    if delivery.status is not DeliveryStatus.DELIVERED:
        typer.echo(f"Not delivered: {delivery.error_message} It will be tried again.", err=True)
        raise typer.Exit(1)
    took = report.attempts[-1].duration_ms
    typer.echo(f"Delivered: {delivery.webhook_url} answered {delivery.response_code} in {took} ms.")


@app.command()
def rotate(
    webhook_id: WebhookId,
    grace: Annotated[
        timedelta,
        typer.Option(
            parser=parse_duration,
            metavar="DURATION",
            help="How long the old secret signs as well: 0 to 7d.",
        ),
    ] = "24h",  # type: ignore[assignment]  # typer hands the text to the parser
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new secret and show it, this once."""
    secret, ends = asyncio.run(_rotate(organization, webhook_id, grace))
    if as_json:
        print_json({"id": webhook_id, "secret": secret, "old_secrets_expire_at": ends})
        return
    print_fields([("id", str(webhook_id)), ("secret", secret), *list_old_secrets(ends)])
    typer.echo("\nKeep the secret now: it is not shown again.")


@app.command()
def disable(
    webhook_id: WebhookId, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Post nothing more. What is pending is kept for 5 days."""
    _show(asyncio.run(_enable(organization, webhook_id, enabled=False)), as_json=as_json)


@app.command()
def enable(
    webhook_id: WebhookId, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Post again, beginning with what is pending."""
    _show(asyncio.run(_enable(organization, webhook_id, enabled=True)), as_json=as_json)


@app.command()
def delete(webhook_id: WebhookId, organization: OrganizationOption = None) -> None:
    """Delete a webhook and cancel what has not been delivered to it."""
    asyncio.run(_delete(organization, webhook_id))
    typer.echo(f"The webhook {webhook_id} is deleted.")


@app.command()
def deliveries(
    webhook: Annotated[UUID | None, typer.Option(help="Only those of this webhook.")] = None,
    status: Annotated[
        list[DeliveryStatus] | None, typer.Option(help="In this status; repeat it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """List deliveries, newest first."""
    found = asyncio.run(_deliveries(organization, webhook, status, limit))
    if as_json:
        print_json([delivery_record(delivery) for delivery in found])
        return
    columns = ("id", "event", "status", "tries", "answer")
    rows = [_delivery_row(delivery) for delivery in found]
    print_table(columns, rows, empty="Nothing has been delivered yet.")


@app.command()
def attempts(
    delivery_id: Annotated[
        UUID, typer.Argument(help="A delivery, as `webhooks deliveries` shows it.")
    ],
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a delivery and each of its attempts."""
    report = asyncio.run(_report(organization, delivery_id))
    if as_json:
        print_json(delivery_record(report.delivery) | {"attempts": report.attempts})
        return
    delivery = report.delivery
    print_fields(
        [
            ("event", f"{delivery.event_type} {delivery.event_id}"),
            ("webhook", f"{delivery.webhook_url} {delivery.webhook_id}"),
            ("status", delivery.status.value),
            ("next attempt", show_time(delivery.next_attempt_at)),
        ]
    )
    for attempt in report.attempts:
        typer.echo()
        print_fields(_attempt_fields(attempt))


@app.command()
def redeliver(
    delivery_id: Annotated[
        UUID | None, typer.Argument(help="A delivery, as `webhooks deliveries` shows it.")
    ] = None,
    webhook: Annotated[UUID | None, typer.Option(help="With --since: the webhook.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_time,
            metavar=_TIME,
            help="Events from then on: a time as the API shows it, in UTC unless it says "
            "otherwise, or how long ago, such as 2h.",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(parser=parse_time, metavar=_TIME, help="Events before then. Default: now."),
    ] = None,
    event: EventOption = None,
    organization: OrganizationOption = None,
) -> None:
    """Post again, under the same webhook-id: one delivery, or all events of a time range.

    A range also brings what the webhook was never sent, such as events from while it was disabled.
    """
    if (delivery_id is None) == (since is None):
        raise typer.BadParameter("Name one delivery, or a range with --webhook and --since.")
    if delivery_id is not None:
        new = asyncio.run(_redeliver(organization, delivery_id))
        typer.echo(f"Posted again as the delivery {new.id}.")
        return
    if webhook is None or since is None:
        raise typer.BadParameter("A range needs --webhook.")
    count = asyncio.run(_redeliver_range(organization, webhook, since, until, event))
    typer.echo(f"{count} {'event is' if count == 1 else 'events are'} posted again.")


async def _create(
    organization: str | None, url: str, events: list[str], description: str
) -> CreatedWebhook:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.webhooks.create(principal, url, events, description=description)


async def _list(organization: str | None) -> list[Webhook]:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.webhooks.list(principal)


async def _update(
    organization: str | None, webhook_id: UUID, url: str | None, events: list[str] | None
) -> Webhook:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.webhooks.update(principal, webhook_id, url=url, events=events)


async def _ping(organization: str | None, webhook_id: UUID) -> DeliveryReport | None:
    async with open_as_operator(organization) as (gateway, principal):
        delivery_id = await gateway.webhooks.ping(principal, webhook_id)
        for _ in range(200):
            report = await gateway.deliveries.get(principal, delivery_id)
            if report.delivery.attempt_count and report.attempts:
                return report
            await asyncio.sleep(0.1)
        return None


async def _rotate(
    organization: str | None, webhook_id: UUID, grace: timedelta
) -> tuple[str, Sequence[datetime]]:
    """Return the new secret, and when the earlier ones end."""
    async with open_as_operator(organization) as (gateway, principal):
        secret = await gateway.webhooks.rotate_secret(principal, webhook_id, grace=grace)
        webhook = await gateway.webhooks.get(principal, webhook_id)
        return secret, webhook.old_secrets_expire_at


async def _enable(organization: str | None, webhook_id: UUID, *, enabled: bool) -> Webhook:
    async with open_as_operator(organization) as (gateway, principal):
        if enabled:
            return await gateway.webhooks.enable(principal, webhook_id)
        return await gateway.webhooks.disable(principal, webhook_id)


async def _delete(organization: str | None, webhook_id: UUID) -> None:
    async with open_as_operator(organization) as (gateway, principal):
        await gateway.webhooks.delete(principal, webhook_id)


async def _deliveries(
    organization: str | None,
    webhook_id: UUID | None,
    statuses: list[DeliveryStatus] | None,
    limit: int,
) -> list[Delivery]:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.deliveries.list(
            principal, webhook_id=webhook_id, statuses=statuses or None, limit=limit
        )


async def _report(organization: str | None, delivery_id: UUID) -> DeliveryReport:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.deliveries.get(principal, delivery_id)


async def _redeliver(organization: str | None, delivery_id: UUID) -> Delivery:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.deliveries.redeliver(principal, delivery_id)


async def _redeliver_range(
    organization: str | None,
    webhook_id: UUID,
    since: datetime,
    until: datetime | None,
    types: list[str] | None,
) -> int:
    async with open_as_operator(organization) as (gateway, principal):
        end = until or gateway.database.clock.now()
        with ProgressBar(console=Screen(stderr=True), transient=True) as bar:
            task = bar.add_task("Events", total=None)

            def show(progress: RedeliveryProgress) -> None:
                bar.update(task, completed=progress.seen, total=progress.total)

            return await gateway.deliveries.redeliver_range(
                principal, webhook_id, since, end, types=types or None, progress=show
            )


def _show(webhook: Webhook, *, as_json: bool) -> None:
    if as_json:
        print_json(_record(webhook))
        return
    print_fields(
        [
            ("id", str(webhook.id)),
            ("url", webhook.url),
            ("events", ", ".join(webhook.events)),
            ("state", _state(webhook)),
        ]
    )


def _record(webhook: Webhook) -> dict[str, object]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "description": webhook.description,
        "events": webhook.events,
        "enabled": webhook.enabled,
        "disabled_reason": webhook.disabled_reason,
        "disabled_at": webhook.disabled_at,
        "failing_since": webhook.failing_since,
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }


def _state(webhook: Webhook) -> str:
    if not webhook.enabled:
        return f"disabled: {webhook.disabled_reason}"
    if webhook.failing_since is not None:
        return f"failing since {show_time(webhook.failing_since)}"
    return "enabled"


def _delivery_row(delivery: Delivery) -> tuple[str, ...]:
    return (
        str(delivery.id),
        delivery.event_type,
        delivery.status.value,
        str(delivery.attempt_count),
        str(delivery.response_code or delivery.error_message or "—"),
    )


def _attempt_fields(attempt: DeliveryAttempt) -> list[tuple[str, str]]:
    return [
        (f"attempt {attempt.number}", show_time(attempt.started_at)),
        ("took", f"{attempt.duration_ms} ms"),
        ("address", attempt.address or "none was dialled"),
        ("answer", str(attempt.response_code or "none")),
        ("error", attempt.error_message or "—"),
        ("body", " ".join((attempt.response_body or "—").split())),
    ]
