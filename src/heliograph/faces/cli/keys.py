"""`heliograph keys`: make, list, rotate and revoke API keys."""

import sys
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated

import typer

from heliograph.core.keys.model import ApiKeyRecord, MintedKey
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import InvalidInputError
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.options import ACCOUNT_FORMS, JsonOption, OrganizationOption
from heliograph.faces.cli.output import (
    list_old_secrets,
    pick,
    print_fields,
    print_json,
    print_table,
    show_time,
)
from heliograph.faces.cli.prompting import ask_until
from heliograph.faces.cli.running import find_account, run_as_operator
from heliograph.faces.cli.times import duration_option

app = Commands(help="API keys of an organization.", no_args_is_help=True)

EVERYTHING = "*"
_USUAL = "messages:write"

KeyId = Annotated[
    str,
    typer.Argument(
        help="The key id, as `create` and `list` show it, or the id; the first six characters "
        "of either are enough."
    ),
]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="A scope, such as messages:write; repeat it for more. '*' is everything. Without "
            "it, a terminal asks."
        ),
    ] = None,
    expires_in: Annotated[
        timedelta | None, duration_option("Lifetime, such as 30d. Default: never expires.")
    ] = None,
    account: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACCOUNT",
            help=f"Limit it to this account: {ACCOUNT_FORMS}; repeat it for more. Default: all.",
        ),
    ] = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key, and show it; it is never shown again."""
    scopes = scope or _ask_for_scopes()

    async def mint(services: Services, operator: Principal) -> MintedKey:
        now = services.database.clock.now()
        expires_at = None if expires_in is None else now + expires_in
        accounts = [await find_account(services, operator, each) for each in account or ()]
        return await services.keys.mint(
            operator,
            name,
            scopes=None if EVERYTHING in scopes else scopes,
            expires_at=expires_at,
            account_ids=[found.id for found in accounts] or None,
        )

    _show_minted(run_as_operator(organization, mint, account or ()), as_json=as_json)


@app.command("list")
def list_all(organization: OrganizationOption = None, as_json: JsonOption = False) -> None:
    """List an organization's keys, oldest first, revoked ones too."""
    records = run_as_operator(organization, lambda services, operator: services.keys.list(operator))
    if as_json:
        print_json([_record(record) for record in records])
        return
    columns = ("key id", "name", "scopes", "accounts", "expires", "last used", "from", "state")
    rows = [_row(record) for record in records]
    print_table(columns, rows, empty="This organization has no API key yet.")


@app.command()
def rotate(
    key_id: KeyId,
    grace: Annotated[
        timedelta, duration_option("How long the old secret stays valid: 0 to 7d.")
    ] = "24h",  # type: ignore[assignment]  # typer hands the text to the parser
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a new secret for a key, and show it; it is never shown again."""

    async def rotate_found(services: Services, operator: Principal) -> MintedKey:
        record = await services.keys.find(operator, key_id)
        return await services.keys.rotate(operator, record.key_id, grace=grace)

    _show_minted(run_as_operator(organization, rotate_found), as_json=as_json)


@app.command()
def revoke(
    key_id: KeyId, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Revoke a key for good; every node knows within a second."""

    async def revoke_found(services: Services, operator: Principal) -> ApiKeyRecord:
        record = await services.keys.find(operator, key_id)
        return await services.keys.revoke(operator, record.key_id)

    record = run_as_operator(organization, revoke_found)
    if as_json:
        print_json(_record(record))
    else:
        typer.echo(f"The key '{record.name}' ({record.key_id}) is revoked.")


def _ask_for_scopes() -> list[str]:
    """Ask a person for the scopes. Raises `InvalidInputError` where nobody can be asked."""
    if not sys.stdin.isatty():
        raise InvalidInputError.at(
            ("scopes",),
            f"Say what the key may do, such as {_USUAL}; '{EVERYTHING}' is everything. The scopes "
            f"are {', '.join(SCOPES)}.",
        )
    typer.echo("What may the key do? These are the scopes; :write includes :read.")
    for resource, scopes in groupby(SCOPES, lambda scope: scope.partition(":")[0]):
        typer.echo(f"  {resource:<15}{'  '.join(scopes)}")
    return ask_until(
        f"Scopes, with spaces between them; {EVERYTHING} for everything",
        _read_scopes,
        default=_USUAL,
    )


def _read_scopes(said: str) -> list[str]:
    scopes = said.replace(",", " ").split()
    unknown = [f"'{scope}'" for scope in scopes if scope not in (*SCOPES, EVERYTHING)]
    if unknown or not scopes:
        named = f"There is no scope {' or '.join(unknown)}" if unknown else "That names no scope"
        raise typer.BadParameter(f"{named}: choose from those above.")
    return scopes


def _show_minted(minted: MintedKey, *, as_json: bool) -> None:
    record = minted.record
    if as_json:
        print_json({"api_key": minted.text} | _record(record))
        return
    print_fields(
        ("API key", minted.text),
        ("id", str(record.id)),
        ("key id", record.key_id),
        ("scopes", _show_scopes(record)),
        ("accounts", _show_accounts(record)),
        ("expires", _show_expiry(record)),
        *list_old_secrets(record.old_secrets_expire_at),
    )
    typer.echo("\nKeep it now: it is not shown again.")


def _record(record: ApiKeyRecord) -> dict[str, object]:
    return pick(
        record,
        *("id", "key_id", "organization_id", "name", "scopes", "account_ids"),
        "old_secrets_expire_at",
        *("expires_at", "last_used_at", "last_used_address", "revoked_at", "created_at"),
    )


def _row(record: ApiKeyRecord) -> tuple[str, ...]:
    return (
        record.key_id,
        record.name,
        _show_scopes(record),
        _show_accounts(record),
        _show_expiry(record),
        show_time(record.last_used_at),
        record.last_used_address or "—",
        _state(record, datetime.now(record.created_at.tzinfo)),
    )


def _show_expiry(record: ApiKeyRecord) -> str:
    return "never" if record.expires_at is None else show_time(record.expires_at)


def _show_scopes(record: ApiKeyRecord) -> str:
    return "everything" if record.scopes is None else ", ".join(record.scopes)


def _show_accounts(record: ApiKeyRecord) -> str:
    return "all" if record.account_ids is None else ", ".join(map(str, record.account_ids))


def _state(record: ApiKeyRecord, now: datetime) -> str:
    if record.revoked_at is not None:
        return "revoked"
    if record.expires_at is not None and record.expires_at <= now:
        return "expired"
    is_rotating = any(end > now for end in record.old_secrets_expire_at)
    return "active, rotating" if is_rotating else "active"
