"""`heliograph organizations`: make and list tenants; `heliograph audit`: who did what in one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import typer

from heliograph.app.bootstrap import open_services
from heliograph.core.audit.model import AuditEntry
from heliograph.core.members.model import MemberRole
from heliograph.core.members.service import check_email
from heliograph.core.services import Services
from heliograph.core.tenants.model import DEFAULT_PLAN, Organization, Principal, operator
from heliograph.errors import NotFoundError
from heliograph.faces.cli.output import call_of, print_fields, print_json, print_table, show_time
from heliograph.settings import load_settings

app = typer.Typer(help="Organizations: the gateway's tenants.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PlanOption = Annotated[str, typer.Option(help="A plan that `plans list` shows.")]
OrganizationOption = Annotated[
    str | None,
    typer.Option(
        "--organization", "-o", help="Id or name. Without it: the demo's, or the only one."
    ),
]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What people call it.")],
    plan: PlanOption = DEFAULT_PLAN,
    owner_email: Annotated[
        str | None, typer.Option(help="Invite the owner, who signs in with this e-mail address.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make an organization."""
    organization, link = asyncio.run(_create(name, plan, owner_email))
    _show(organization, as_json=as_json, invitation=link)
    if link is None and not as_json:
        call = f"{call_of(load_settings())} organizations invite EMAIL -o {organization.id}"
        typer.echo(f"\nNobody has it in the dashboard yet. To invite its owner: {call}")


@app.command()
def invite(
    email: Annotated[str, typer.Argument(help="The e-mail address that they sign in with.")],
    role: Annotated[
        MemberRole, typer.Option(help="Their role in the organization.")
    ] = MemberRole.OWNER,
    organization: OrganizationOption = None,
) -> None:
    """Invite somebody to an organization, and print the link with which they accept."""
    typer.echo(asyncio.run(_invite(organization, email, role)))


@app.command()
def change(
    organization: Annotated[str, typer.Argument(help="Id or name.")],
    plan: PlanOption,
    as_json: JsonOption = False,
) -> None:
    """Give an organization another plan; it takes effect within a second."""
    _show(asyncio.run(_change(organization, plan)), as_json=as_json)


@app.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """List all organizations, oldest first."""
    organizations = asyncio.run(_list())
    if as_json:
        print_json([_record(organization) for organization in organizations])
        return
    rows = [
        (
            str(organization.id),
            organization.name,
            organization.plan,
            show_time(organization.created_at),
        )
        for organization in organizations
    ]
    print_table(("id", "name", "plan", "created"), rows, empty="There is no organization yet.")


@asynccontextmanager
async def open_as_operator(
    organization: str | None,
) -> AsyncIterator[tuple[Services, Principal]]:
    """Open the services, with the operator's principal for the organization that a command names.

    An error about something that is not found names the organization.
    """
    async with open_services() as gateway:
        found = await _find(gateway, organization)
        try:
            yield gateway, operator(found.tenant)
        except NotFoundError as error:
            raise NotFoundError(
                f"{error} The command looked in the organization '{found.name}'; "
                "-o chooses another."
            ) from error


async def _find(gateway: Services, name_or_id: str | None) -> Organization:
    if name_or_id is None:
        return await gateway.organizations.get_default()
    return await gateway.organizations.get(name_or_id)


async def _create(name: str, plan: str, owner_email: str | None) -> tuple[Organization, str | None]:
    async with open_services() as gateway:
        if owner_email is not None:
            check_email(owner_email)
        made = await gateway.organizations.create(name, plan=plan)
        if owner_email is None:
            return made, None
        invited = await gateway.members.invite(operator(made.tenant), owner_email, MemberRole.OWNER)
        return made, gateway.members.link(invited)


async def _invite(organization: str | None, email: str, role: MemberRole) -> str:
    async with open_as_operator(organization) as (gateway, principal):
        return gateway.members.link(await gateway.members.invite(principal, email, role))


async def _change(name_or_id: str, plan: str) -> Organization:
    async with open_services() as gateway:
        return await gateway.organizations.change_plan(name_or_id, plan)


async def _list() -> list[Organization]:
    async with open_services() as gateway:
        return await gateway.organizations.list()


def _show(organization: Organization, *, as_json: bool, invitation: str | None = None) -> None:
    more = {} if invitation is None else {"invitation": invitation}
    if as_json:
        print_json(_record(organization) | more)
        return
    shown = [(name, str(getattr(organization, name))) for name in ("id", "name", "plan")]
    print_fields([*shown, *more.items()])


def _record(organization: Organization) -> dict[str, object]:
    return {
        "id": organization.id,
        "name": organization.name,
        "plan": organization.plan,
        "created_at": organization.created_at,
    }


def audit(
    limit: Annotated[int, typer.Option(help="How many entries, 1 to 1000.")] = 50,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who did what in an organization, newest first."""
    entries = asyncio.run(_list_entries(organization, limit))
    if as_json:
        print_json([_entry_record(entry) for entry in entries])
        return
    print_table(
        ("when", "who", "what", "of", "details"),
        [_entry_row(entry) for entry in entries],
        empty="Nothing has been done in this organization yet.",
    )


async def _list_entries(organization: str | None, limit: int) -> list[AuditEntry]:
    async with open_as_operator(organization) as (gateway, principal):
        return await gateway.audit.list(principal, limit=limit)


def _entry_record(entry: AuditEntry) -> dict[str, object]:
    fields = ("id", "actor", "action", "subject", "details", "created_at")
    return {name: getattr(entry, name) for name in fields}


def _entry_row(entry: AuditEntry) -> tuple[str, ...]:
    when = show_time(entry.created_at)
    return (when, entry.actor, entry.action, entry.subject, entry.summary)
