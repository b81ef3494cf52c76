"""`heliograph audit`: who did what."""

import asyncio
from typing import Annotated

import typer

from heliograph.core.audit.model import AuditEntry
from heliograph.faces.cli.organizations import JsonOption, OrganizationOption, open_as_operator
from heliograph.faces.cli.output import print_json, print_table, show_time


def audit(
    limit: Annotated[int, typer.Option(help="How many entries, 1 to 1000.")] = 50,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who did what in an organization, newest first."""
    entries = asyncio.run(_list(organization, limit))
    if as_json:
        print_json([_record(entry) for entry in entries])
        return
    print_table(
        ("when", "who", "what", "of", "details"),
        [_row(entry) for entry in entries],
        empty="Nothing has been done in this organization yet.",
    )


async def _list(organization: str | None, limit: int) -> list[AuditEntry]:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.audit.list(principal, limit=limit)


def _record(entry: AuditEntry) -> dict[str, object]:
    fields = ("id", "actor", "action", "subject", "details", "created_at")
    return {name: getattr(entry, name) for name in fields}


def _row(entry: AuditEntry) -> tuple[str, ...]:
    when = show_time(entry.created_at)
    return (when, entry.actor, entry.action, entry.subject, entry.summary)
