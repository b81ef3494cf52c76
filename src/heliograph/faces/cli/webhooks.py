"""`heliograph webhooks`: make and change webhooks, list deliveries, and post events again."""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated
from uuid import UUID

import typer
from msgspec import UNSET, UnsetType

from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.deliveries.service import DeliveryReport, delivery_record
from heliograph.core.webhooks.model import (
    Batching,
    CreatedWebhook,
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    Webhook,
    WebhookFilter,
)
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.options import (
    ACCOUNT_FORMS,
    JsonOption,
    OrganizationOption,
    id_parser,
    parse_webhook_id,
)
from heliograph.faces.cli.output import (
    list_old_secrets,
    pick,
    print_fields,
    print_json,
    print_table,
    show_progress,
    show_time,
)
from heliograph.faces.cli.running import find_account, run_as_operator
from heliograph.faces.cli.times import duration_option, time_option

app = Commands(help="Webhooks of an organization.", no_args_is_help=True)

_parse_delivery_id = id_parser("a delivery", "webhooks deliveries")

WebhookId = Annotated[
    UUID,
    typer.Argument(parser=parse_webhook_id, help="The webhook's id, as `webhooks list` shows it."),
]
EventOption = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="TYPE",
        help="A type or pattern, such as message.read or message.*; repeat it.",
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="'NAME: VALUE'",
        help="A header to send, 'Name: value'; repeat it. Never shown again.",
    ),
]
AccountOption = Annotated[
    list[str] | None,
    typer.Option(
        "--account",
        metavar="ACCOUNT",
        help=f"Only events of this account: {ACCOUNT_FORMS}; repeat it.",
    ),
]
ChatTypeOption = Annotated[
    str | None,
    typer.Option(metavar="TYPE", help="Only messages of these chats: individual or group."),
]
BatchOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=500,
        help="Post up to this many events in one request; 0 posts each by itself.",
    ),
]
BatchWaitOption = Annotated[
    int | None,
    typer.Option(
        metavar="MS",
        min=0,
        max=5000,
        help="With --batch: milliseconds to wait for more events. Default: 0.",
    ),
]
_DELIVERY = typer.Argument(
    parser=_parse_delivery_id, help="A delivery, as `webhooks deliveries` shows it."
)
_STATUSES = ", ".join(DeliveryStatus)
_COLUMNS = ("id", "url", "events", "headers", "accounts", "chats", "batches", "state")


def _webhook_option(text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        parser=parse_webhook_id, metavar="WEBHOOK_ID", help=text
    )
    return option


@app.command()
def create(
    url: Annotated[str, typer.Option(help="The URL to post to.")],
    event: EventOption = None,
    description: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = "",
    header: HeaderOption = None,
    account: AccountOption = None,
    chat_type: ChatTypeOption = None,
    batch: BatchOption = None,
    batch_wait: BatchWaitOption = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a webhook and show its secret. Keep it: no command shows it again. Without --event it
    gets every event."""
    headers, accounts = _read_headers(header or []), account or []
    batching = _read_batch(batch, batch_wait) or None

    async def ask(services: Services, operator: Principal) -> CreatedWebhook:
        return await services.webhooks.create(
            operator,
            url,
            event or ["*"],
            description=description,
            headers=headers,
            filter_=await _read_filter(services, operator, accounts, chat_type),
            batch=batching,
        )

    created = run_as_operator(organization, ask, accounts)
    webhook = created.webhook
    if as_json:
        print_json(pick(webhook, "id", "url", "events") | {"secret": created.secret})
        return
    print_fields(
        ("id", str(webhook.id)),
        ("url", webhook.url),
        ("events", ", ".join(webhook.events)),
        *_options(webhook),
        ("secret", created.secret),
    )
    typer.echo("\nKeep the secret now: no command shows it again.")


@app.command("list")
def list_all(organization: OrganizationOption = None, as_json: JsonOption = False) -> None:
    """List an organization's webhooks, oldest first."""
    webhooks = run_as_operator(
        organization, lambda services, operator: services.webhooks.list(operator)
    )
    if as_json:
        print_json([_record(webhook) for webhook in webhooks])
        return
    rows = [dict(_fields(webhook)) for webhook in webhooks]
    columns = [name for name in _COLUMNS if any(name in row for row in rows)]
    print_table(
        columns,
        [[row.get(name, "") for name in columns] for row in rows],
        empty="This organization has no webhook yet.",
    )


@app.command()
def update(
    webhook_id: WebhookId,
    url: Annotated[str | None, typer.Option(help="The new URL to post to.")] = None,
    event: EventOption = None,
    header: HeaderOption = None,
    no_headers: Annotated[bool, typer.Option("--no-headers", help="Remove its headers.")] = False,
    account: AccountOption = None,
    chat_type: ChatTypeOption = None,
    no_filter: Annotated[bool, typer.Option("--no-filter", help="Remove its filter.")] = False,
    batch: BatchOption = None,
    batch_wait: BatchWaitOption = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the given properties of a webhook. Pending deliveries go to the new URL.

    New headers replace all old ones, and a new filter the old one.
    """
    accounts = account or []
    is_filtered = no_filter or bool(accounts) or chat_type is not None
    headers = _read_headers(header or []) if header or no_headers else None
    batching = _read_batch(batch, batch_wait)

    async def ask(services: Services, operator: Principal) -> Webhook:
        wanted = await _read_filter(services, operator, accounts, chat_type)
        return await services.webhooks.update(
            operator,
            webhook_id,
            url=url,
            events=event,
            headers=headers,
            filter_=wanted if is_filtered else None,
            batch=batching,
        )

    _show(run_as_operator(organization, ask, accounts), as_json=as_json)


async def _read_filter(
    services: Services, operator: Principal, accounts: list[str], chat_type: str | None
) -> WebhookFilter:
    found = [await find_account(services, operator, name) for name in accounts]
    return WebhookFilter(tuple(account.id for account in found) or None, chat_type)


def _read_headers(given: list[str]) -> dict[str, str]:
    """Read headers of the form `Name: value`; messages never show the values."""
    headers: dict[str, str] = {}
    for line in given:
        name, colon, value = line.partition(":")
        if not colon:
            raise typer.BadParameter("--header has the form 'Name: value'.")
        headers[name.strip()] = value.strip()
    return headers


def _read_batch(batch: int | None, wait: int | None) -> Batching | UnsetType | None:
    if wait is not None and not batch:
        raise typer.BadParameter("--batch-wait needs --batch with at least 1 event.")
    if batch is None:
        return UNSET
    return Batching(batch, wait or 0) if batch else None


@app.command()
def ping(webhook_id: WebhookId, organization: OrganizationOption = None) -> None:
    """Post a webhook.ping and show what the endpoint answers."""

    async def ping_and_wait(services: Services, operator: Principal) -> DeliveryReport | None:
        delivery_id = await services.webhooks.ping(operator, webhook_id)
        for _ in range(200):
            report = await services.deliveries.get(operator, delivery_id)
            if report.delivery.attempt_count and report.attempts:
                return report
            await asyncio.sleep(0.1)
        return None

    report = run_as_operator(organization, ping_and_wait)
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
        timedelta, duration_option("How long the old secret signs as well: 0 to 7d.")
    ] = "24h",  # type: ignore[assignment]  # typer hands the text to the parser
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a new secret, and show it. The dashboard can show it again."""

    async def rotate_secret(services: Services, operator: Principal) -> CreatedWebhook:
        return await services.webhooks.rotate_secret(operator, webhook_id, grace=grace)

    rotated = run_as_operator(organization, rotate_secret)
    secret, ends = rotated.secret, rotated.webhook.old_secrets_expire_at
    if as_json:
        print_json({"id": webhook_id, "secret": secret, "old_secrets_expire_at": ends})
        return
    print_fields(("id", str(webhook_id)), ("secret", secret), *list_old_secrets(ends))
    typer.echo("\nKeep the secret now: no command shows it again.")


@app.command()
def disable(
    webhook_id: WebhookId, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Stop posting. Pending deliveries are kept for 5 days."""
    disabled = run_as_operator(
        organization, lambda services, operator: services.webhooks.disable(operator, webhook_id)
    )
    _show(disabled, as_json=as_json)


@app.command()
def enable(
    webhook_id: WebhookId, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Start posting again, beginning with the pending deliveries."""
    enabled = run_as_operator(
        organization, lambda services, operator: services.webhooks.enable(operator, webhook_id)
    )
    _show(enabled, as_json=as_json)


@app.command()
def delete(webhook_id: WebhookId, organization: OrganizationOption = None) -> None:
    """Delete a webhook, and cancel its pending deliveries."""
    run_as_operator(
        organization, lambda services, operator: services.webhooks.delete(operator, webhook_id)
    )
    typer.echo(f"The webhook {webhook_id} is deleted.")


@app.command()
def deliveries(
    webhook: Annotated[UUID | None, _webhook_option("Only deliveries to this webhook.")] = None,
    status: Annotated[
        list[DeliveryStatus] | None,
        typer.Option(
            metavar="STATUS",
            help=f"Only deliveries in this status: {_STATUSES}; repeat it for more.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Maximum number of deliveries.")
    ] = 20,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """List deliveries, newest first."""
    found = run_as_operator(
        organization,
        lambda services, operator: services.deliveries.list(
            operator, webhook_id=webhook, statuses=status or None, limit=limit
        ),
    )
    if as_json:
        print_json([delivery_record(delivery) for delivery in found])
        return
    columns = ("id", "event", "status", "tries", "answer")
    rows = [_delivery_row(delivery) for delivery in found]
    print_table(columns, rows, empty="Nothing has been delivered yet.")


@app.command()
def attempts(
    delivery_id: Annotated[UUID, _DELIVERY],
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a delivery and each of its attempts."""
    report = run_as_operator(
        organization, lambda services, operator: services.deliveries.get(operator, delivery_id)
    )
    if as_json:
        print_json(delivery_record(report.delivery) | {"attempts": report.attempts})
        return
    delivery = report.delivery
    print_fields(
        ("event", f"{delivery.event_type} {delivery.event_id}"),
        ("webhook", f"{delivery.webhook_url} {delivery.webhook_id}"),
        ("status", delivery.status.value),
        ("next attempt", show_time(delivery.next_attempt_at)),
    )
    for attempt in report.attempts:
        typer.echo()
        _show_attempt(attempt)


@app.command()
def redeliver(
    delivery_id: Annotated[UUID | None, _DELIVERY] = None,
    webhook: Annotated[UUID | None, _webhook_option("With --since: the webhook.")] = None,
    since: Annotated[
        datetime | None,
        time_option(
            "Events since then: a time as the API shows it, in UTC unless it says otherwise, or "
            "how long ago, such as 2h."
        ),
    ] = None,
    until: Annotated[datetime | None, time_option("Events before then. Default: now.")] = None,
    event: EventOption = None,
    organization: OrganizationOption = None,
) -> None:
    """Post again, under the same webhook-id: one delivery, or all events of a time range.

    A range also includes events that the webhook was never sent, such as those from when it was
    disabled.
    """
    if (delivery_id is None) == (since is None):
        raise typer.BadParameter("Name one delivery, or a range with --webhook and --since.")
    if delivery_id is not None:
        new = run_as_operator(
            organization,
            lambda services, operator: services.deliveries.redeliver(operator, delivery_id),
        )
        typer.echo(f"Posted again as the delivery {new.id}.")
        return
    if webhook is None or since is None:
        raise typer.BadParameter("A range needs --webhook.")
    count = run_as_operator(organization, partial(_redeliver_range, webhook, since, until, event))
    typer.echo(f"{count} {'event is' if count == 1 else 'events are'} posted again.")


async def _redeliver_range(
    webhook_id: UUID,
    since: datetime,
    until: datetime | None,
    types: list[str] | None,
    services: Services,
    operator: Principal,
) -> int:
    with show_progress("Events") as show:
        return await services.deliveries.redeliver_range(
            operator,
            webhook_id,
            since,
            until or services.database.clock.now(),
            types=types or None,
            progress=lambda step: show(step.seen, step.total),
        )


def _show(webhook: Webhook, *, as_json: bool) -> None:
    if as_json:
        print_json(_record(webhook))
        return
    print_fields(*_fields(webhook))


def _fields(webhook: Webhook) -> list[tuple[str, str]]:
    return [
        ("id", str(webhook.id)),
        ("url", webhook.url),
        ("events", ", ".join(webhook.events)),
        *_options(webhook),
        ("state", _state(webhook)),
    ]


def _options(webhook: Webhook) -> list[tuple[str, str]]:
    """Return what is set of headers, filter and batches."""
    wanted, batch = webhook.filter, webhook.batch
    accounts = ", ".join(map(str, wanted.chat_account_ids or ()))
    told = None if batch is None else f"up to {batch.max_events}, after {batch.max_wait_ms} ms"
    found = (
        ("headers", ", ".join(webhook.header_names)),
        ("accounts", accounts),
        ("chats", wanted.chat_type),
        ("batches", told),
    )
    return [(name, text) for name, text in found if text]


def _record(webhook: Webhook) -> dict[str, object]:
    return pick(
        webhook,
        *("id", "url", "description", "events", "enabled", "disabled_reason", "disabled_at"),
        *("failing_since", "header_names", "filter", "batch", "created_at", "updated_at"),
    )


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


def _show_attempt(attempt: DeliveryAttempt) -> None:
    print_fields(
        (f"attempt {attempt.number}", show_time(attempt.started_at)),
        ("took", f"{attempt.duration_ms} ms"),
        ("address", attempt.address or "none was dialed"),
        ("answer", str(attempt.response_code or "none")),
        ("error", attempt.error_message or "—"),
        ("body", " ".join((attempt.response_body or "—").split())),
    )
