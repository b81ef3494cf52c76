"""`heliograph audit`: who did what in an organization."""

from typing import Annotated

import typer

from heliograph.core.audit.model import AuditEntry
from heliograph.core.audit.service import MAX_PAGE, AuditService
from heliograph.core.tenants.model import Principal
from heliograph.faces.cli.options import JsonOption, OrganizationOption
from heliograph.faces.cli.output import pick, print_json, print_table, show_time
from heliograph.faces.cli.running import run_as_operator


def audit(
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of entries.")] = 50,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who did what in an organization, newest first."""
    entries = run_as_operator(
        organization, lambda services, operator: _list(services.audit, operator, limit)
    )
    if as_json:
        fields = ("id", "actor", "action", "subject", "details", "created_at")
        print_json([pick(entry, *fields) for entry in entries])
        return
    print_table(
        ("when", "who", "what", "of", "details"),
        [
            (show_time(entry.created_at), entry.actor, entry.action, entry.subject, entry.summary)
            for entry in entries
        ],
        empty="Nothing has been done in this organization yet.",
    )


async def _list(service: AuditService, operator: Principal, limit: int) -> list[AuditEntry]:
    """List up to `limit` entries, page by page."""
    found: list[AuditEntry] = []
    while len(found) < limit:
        size = min(MAX_PAGE, limit - len(found))
        page = await service.list(operator, limit=size, before=found[-1].seq if found else None)
        found += page
        if len(page) < size:
            break
    return found
