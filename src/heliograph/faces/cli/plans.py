"""`heliograph plans`: what organizations may use."""

from typing import Annotated

import typer

from heliograph.core.tenants.plans import DEFAULT_FILE_BYTES, PLAN_LIMITS
from heliograph.errors import InvalidInputError
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import print_fields, print_json, print_table
from heliograph.faces.cli.running import run

app = Commands(help="Plans: what organizations may use.", no_args_is_help=True)

NONE = "none"

PlanName = Annotated[str, typer.Argument(help="The plan's name.")]


def _limit(what: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(metavar="N", help=f"{what}, or `none`.")
    return option


@app.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """List all plans."""
    plans = run(lambda services: services.plans.list())
    if as_json:
        print_json(plans)
        return
    rows = [(plan.name, *(_show(getattr(plan, limit)) for limit in PLAN_LIMITS)) for plan in plans]
    print_table(
        ("plan", *(limit.replace("_", " ") for limit in PLAN_LIMITS)),
        rows,
        empty="There is no plan.",
    )


@app.command("set")
def put(
    name: PlanName,
    requests_per_minute: Annotated[str | None, _limit("Requests of all keys together")] = None,
    key_requests_per_minute: Annotated[str | None, _limit("Requests of each key")] = None,
    messages_per_day: Annotated[str | None, _limit("Messages to send, days in UTC")] = None,
    messages_per_month: Annotated[str | None, _limit("Messages to send, months in UTC")] = None,
    accounts: Annotated[str | None, _limit("Accounts")] = None,
    webhooks: Annotated[str | None, _limit("Webhooks")] = None,
    api_keys: Annotated[str | None, _limit("Keys that can be used")] = None,
    retention_days: Annotated[str | None, _limit("Days that a message is kept")] = None,
    media_bytes: Annotated[str | None, _limit("Bytes of all files together")] = None,
    max_file_bytes: Annotated[
        str | None, _limit(f"Maximum bytes per file (default {DEFAULT_FILE_BYTES:,})")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create a plan, or change the given limits of one. Takes effect within a second."""
    given = {
        "requests_per_minute": requests_per_minute,
        "key_requests_per_minute": key_requests_per_minute,
        "messages_per_day": messages_per_day,
        "messages_per_month": messages_per_month,
        "accounts": accounts,
        "webhooks": webhooks,
        "api_keys": api_keys,
        "retention_days": retention_days,
        "media_bytes": media_bytes,
        "max_file_bytes": max_file_bytes,
    }
    limits = {limit: _read(limit, text) for limit, text in given.items() if text is not None}
    plan = run(lambda services: services.plans.put(name, limits))
    if as_json:
        print_json(plan)
        return
    print_fields(("plan", name), *((limit, _show(getattr(plan, limit))) for limit in PLAN_LIMITS))


@app.command()
def delete(name: PlanName) -> None:
    """Delete a plan that no organization has."""
    run(lambda services: services.plans.delete(name))
    typer.echo(f"The plan '{name}' is deleted.")


def _read(limit: str, text: str) -> int | None:
    if text == NONE:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise InvalidInputError.at((limit,), f"'{text}' is neither a number nor '{NONE}'.")
    return int(text)


def _show(value: int | None) -> str:
    return "—" if value is None else f"{value:,}"
