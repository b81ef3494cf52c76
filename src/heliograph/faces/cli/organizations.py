"""`heliograph organizations`: make, list, change and remove tenants."""

import asyncio
from typing import Annotated, NamedTuple

import typer

from heliograph.app.bootstrap import open_services
from heliograph.core.members.model import MemberRole
from heliograph.core.members.service import check_email
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.core.tenants.plans import DEFAULT_PLAN
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.confirming import confirm_removal
from heliograph.faces.cli.options import JsonOption, OrganizationOption, repeat_organization
from heliograph.faces.cli.output import (
    call_of,
    pick,
    print_fields,
    print_json,
    print_table,
    show_time,
)
from heliograph.faces.cli.running import run, run_as_operator
from heliograph.settings import load_settings

app = Commands(help="Organizations: the gateway's tenants.", no_args_is_help=True)

PlanOption = Annotated[str, typer.Option(help="A plan that `plans list` shows.")]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What people call it.")],
    plan: PlanOption = DEFAULT_PLAN,
    owner_email: Annotated[
        str | None,
        typer.Option(
            metavar="EMAIL", help="Invite the owner: the e-mail address they sign in with."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create an organization."""
    organization, invited = asyncio.run(_create(name, plan, owner_email))
    _show(organization, as_json=as_json, invited=invited)
    if invited is None and not as_json:
        call = f"{call_of(load_settings())} organizations invite EMAIL"
        call += repeat_organization(organization.name)
        typer.echo(f"\nNobody can see it in the dashboard yet. Invite its owner: {call}")


@app.command()
def invite(
    email: Annotated[str, typer.Argument(help="The e-mail address they sign in with.")],
    role: Annotated[
        MemberRole, typer.Option(help="Their role in the organization.")
    ] = MemberRole.OWNER,
    organization: OrganizationOption = None,
) -> None:
    """Invite somebody to an organization, and print the link to accept with, and a code."""

    async def work(services: Services, principal: Principal) -> Invited:
        return await _invite(services, principal, email, role)

    invited = run_as_operator(organization, work)
    typer.echo(invited.link)
    typer.echo(f"\nCode: {invited.code}\n{_ABOUT_CODE}", err=True)


@app.command()
def change(
    organization: Annotated[str, typer.Argument(help="Id or name.")],
    plan: PlanOption,
    as_json: JsonOption = False,
) -> None:
    """Give an organization another plan; it takes effect within a second."""
    changed = run(lambda services: services.organizations.change_plan(organization, plan))
    _show(changed, as_json=as_json)


@app.command()
def rename(
    organization: Annotated[str, typer.Argument(help="Id or name.")],
    name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="What people will call it.")],
    as_json: JsonOption = False,
) -> None:
    """Give an organization another name. Its id, keys and links stay as they are."""
    _show(run(lambda services: services.organizations.rename(organization, name)), as_json=as_json)


@app.command()
def remove(
    organization: Annotated[str, typer.Argument(help="Id or name.")],
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove an organization. Keys, members, webhooks and devices go at once; messages and files
    are deleted by the next clean-up. Log its devices out first."""

    async def find(services: Services) -> Organization:
        return await services.organizations.get(organization)

    found = run(find)
    if not is_sure:
        confirm_removal(found.name, found.id)
    run(lambda services: services.organization_removals.remove(str(found.id)))
    typer.echo(f"'{found.name}' is removed. The next clean-up deletes its remaining data.")


@app.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """List all organizations, oldest first."""
    organizations = run(lambda services: services.organizations.list())
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


_ABOUT_CODE = (
    "Give it to them only if the sign-in provider does not confirm their e-mail address: with the "
    "link and the code, any account can accept."
)


class Invited(NamedTuple):
    """What an invited person gets."""

    link: str
    code: str


async def _invite(
    services: Services, principal: Principal, email: str, role: MemberRole
) -> Invited:
    invitation = await services.members.invite(principal, email, role)
    code = await services.members.make_code(principal, invitation.id)
    return Invited(services.members.link(invitation), code)


async def _create(
    name: str, plan: str, owner_email: str | None
) -> tuple[Organization, Invited | None]:
    async with open_services() as services:
        if owner_email is not None:
            check_email(owner_email)
        made = await services.organizations.create(name, plan=plan)
        if owner_email is None:
            return made, None
        return made, await _invite(services, operator(made.tenant), owner_email, MemberRole.OWNER)


def _show(organization: Organization, *, as_json: bool, invited: Invited | None = None) -> None:
    more = {}
    if invited is not None:
        more = {"invitation": invited.link, "invitation_code": invited.code}
    if as_json:
        print_json(_record(organization) | more)
        return
    shown = [(name, str(getattr(organization, name))) for name in ("id", "name", "plan")]
    print_fields(*shown, *more.items())
    if invited is not None:
        typer.echo(f"\nThe code: {_ABOUT_CODE[0].lower()}{_ABOUT_CODE[1:]}", err=True)


def _record(organization: Organization) -> dict[str, object]:
    return pick(organization, "id", "name", "plan", "created_at")
