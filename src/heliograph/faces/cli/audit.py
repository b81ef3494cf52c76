"""`heliograph audit`: who did what in an organization."""

from typing import Annotated

import typer

from heliograph.faces.cli.options import JsonOption, OrganizationOption
from heliograph.faces.cli.output import pick, print_json, print_table, show_time
from heliograph.faces.cli.running import run_as_operator


def audit(
    limit: Annotated[int, typer.Option(metavar="N", help="How many entries, 1 to 1000.")] = 50,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who did what in an organization, newest first."""
    entries = run_as_operator(
        organization, lambda services, operator: services.audit.list(operator, limit=limit)
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
