"""`heliograph accounts`: connect accounts to chat networks, show and change them, remove them."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer
from msgspec import UNSET

from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.accounts.model import Account, AccountQueue
from heliograph.core.accounts.serializers import device_record
from heliograph.core.accounts.states import find_restriction
from heliograph.core.accounts.warm_up import allowance_on, sent_on
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.errors import ConfigurationError
from heliograph.faces.cli.account_form import SettingsOption, read_form, read_settings
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.confirming import confirm_removal
from heliograph.faces.cli.options import (
    ACCOUNT_FORMS,
    JsonOption,
    OrganizationOption,
    repeat_organization,
)
from heliograph.faces.cli.output import (
    Screen,
    call_of,
    name_status,
    pick,
    print_fields,
    print_json,
    print_table,
    show_time,
)
from heliograph.faces.cli.pairing_screen import follow_pairing
from heliograph.faces.cli.running import run_as_operator, run_with_account
from heliograph.faces.cli.waiting import look_until
from heliograph.networks.port import AccountStatus
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError
from heliograph.settings import load_settings

app = Commands(help="Accounts on chat networks.", no_args_is_help=True)

_PLAIN_REASON = "The account was logged out"
"""The beginning of a reason that says no more than the status does."""

AccountName = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help=f"The account: {ACCOUNT_FORMS}.")
]


@app.command()
def create(
    network: Annotated[str, typer.Option(help="The chat network, such as sandbox.")],
    name: Annotated[str, typer.Option(help="What people call the account.")],
    session_name: Annotated[
        str,
        typer.Option(metavar="NAME", help="Its name in requests, unique within the organization."),
    ],
    settings: SettingsOption = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Connect an account. Its pairing starts at once: `accounts pair` shows what to do."""
    _check_network(network)
    values = read_form(network, settings or ())
    account = run_as_operator(
        organization,
        lambda services, operator: services.accounts.create(
            operator, network, name, session_name, values
        ),
    )
    _show(account, as_json=as_json)
    if not as_json:
        typer.echo(f"\n{_next_step(account, session_name, organization)}")


@app.command("list")
def list_all(organization: OrganizationOption = None, as_json: JsonOption = False) -> None:
    """List an organization's accounts, oldest first."""

    async def ask(
        services: Services, operator: Principal
    ) -> tuple[list[Account], Mapping[UUID, AccountQueue]]:
        accounts = await services.accounts.list(operator)
        return accounts, await services.account_maintenance.list_queues(operator)

    accounts, queues = run_as_operator(organization, ask)
    if as_json:
        print_json(
            [
                _record(account) | {"queued_messages": _count(account, queues)}
                for account in accounts
            ]
        )
        return
    columns = ("session name", "name", "network", "status", "since", "waiting", "phone number")
    print_table(
        (*columns, "primary"),
        [_row(account, _count(account, queues)) for account in accounts],
        empty="This organization has no account yet.",
    )


@app.command()
def show(
    account_name: AccountName, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Show one account."""

    async def ask(services: Services, operator: Principal, found: Account) -> tuple[Account, int]:
        return found, _count(found, await services.account_maintenance.list_queues(operator))

    account, waiting = run_with_account(organization, account_name, ask)
    _show(account, waiting, as_json=as_json)


@app.command()
def change(
    account_name: AccountName,
    send_rate: Annotated[
        str | None, typer.Option(metavar="N", help="Messages a minute, or none.")
    ] = None,
    warm_up: Annotated[
        bool | None, typer.Option(help="Let a new number send a little more each day.")
    ] = None,
    log_messages: Annotated[
        bool | None,
        typer.Option(help="Keep the content of messages after they are sent or received."),
    ] = None,
    settings: SettingsOption = None,
    organization: OrganizationOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change how an account sends, whether the content of its messages is kept, and its settings.

    An empty value removes a setting.
    """
    wanted = DeviceUpdate(
        send_rate=UNSET if send_rate is None else _read_rate(send_rate),
        auto_warmer_enabled=UNSET if warm_up is None else warm_up,
        message_logging_enabled=UNSET if log_messages is None else log_messages,
    )

    async def ask(services: Services, operator: Principal, found: Account) -> Account:
        values = UNSET if settings is None else read_settings(found.network, settings)
        await services.devices.change(operator, found.id, replace(wanted, settings=values))
        return await services.accounts.get(operator, found.id)

    _show(run_with_account(organization, account_name, ask), as_json=as_json)


@app.command()
def pair(
    account_name: AccountName, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Show what a person must do to pair an account: scan a code, or type one.

    In a terminal, the code is drawn and followed as it changes, until the account is connected.
    """
    screen = Screen()
    if screen.is_terminal and not as_json:
        _follow_pairing(account_name, organization, screen)
        return

    async def wait(services: Services, operator: Principal, found: Account) -> Account:
        with Screen(stderr=True).status("Waiting for the account"):
            return await look_until(
                lambda: services.accounts.get(operator, found.id), _has_come_to_rest
            )

    account = run_with_account(organization, account_name, wait)
    if as_json:
        print_json(pick(account, "status", "status_reason", "pairing"))
    elif account.pairing is None:
        typer.echo(_without_pairing(account, account_name, organization))
    else:
        _print_pairing(account.pairing)


@app.command()
def reconnect(
    account_name: AccountName, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """Close an account's connection and open a new one; an account that is logged out is paired
    again."""

    account = run_with_account(
        organization,
        account_name,
        lambda services, operator, found: services.account_maintenance.reconnect(
            operator, found.id
        ),
    )
    _show(account, as_json=as_json)
    if not as_json:
        typer.echo(f"\n{_next_step(account, account_name, organization)}")


@app.command("log-out")
def log_out(
    account_name: AccountName, organization: OrganizationOption = None, as_json: JsonOption = False
) -> None:
    """End an account's registration on its network. Its messages stay; it can be paired again."""

    async def ask(services: Services, operator: Principal, found: Account) -> Account:
        with Screen(stderr=True).status("Waiting for the network"):
            await services.account_maintenance.log_out(operator, found.id)
        return await services.accounts.get(operator, found.id)

    account = run_with_account(organization, account_name, ask)
    _show(account, as_json=as_json)
    if not as_json:
        typer.echo(f"\n{_how_to_pair_again(account_name, organization)}")


@app.command()
def remove(
    account_name: AccountName,
    organization: OrganizationOption = None,
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove an account that is logged out. Messages waiting to be sent are canceled; those that
    may have been sent fail. Its conversations and messages stay."""

    account = _find(account_name, organization)
    if not is_sure:
        confirm_removal(account.name, account.id)
    run_as_operator(
        str(account.tenant.organization_id),
        lambda services, operator: services.removals.remove(operator, account.id, account.name),
    )
    typer.echo(f"The account '{account.name}' is removed.")


def _check_network(network: str) -> None:
    """Raise `ConfigurationError` where this installation lacks what the network needs."""
    try:
        missing = NetworkRegistry().get_network(network).missing()
    except (UnknownNetworkError, DriverLoadError):  # the service says more about it
        return
    if missing:
        raise ConfigurationError(f"No account was created. {missing}")


def _find(account_name: str, organization: str | None) -> Account:
    async def answer(_: Services, __: Principal, found: Account) -> Account:
        return found

    return run_with_account(organization, account_name, answer)


def _follow_pairing(account_name: str, organization: str | None, screen: Screen) -> None:
    async def follow(services: Services, operator: Principal, found: Account) -> Account:
        async def look() -> Account:
            return await services.accounts.get(operator, found.id)

        account = await look_until(look, _has_come_to_rest)
        if account.pairing is None and account.status is not AccountStatus.CONNECTED:
            return account
        return await follow_pairing(look, screen)

    account = run_with_account(organization, account_name, follow)
    if account.status is AccountStatus.CONNECTED:
        number = f" as {account.phone_number}" if account.phone_number else ""
        screen.print(f"The account '{account.name}' is connected{number}.", style="green")
    else:
        typer.echo(_without_pairing(account, account_name, organization))


def _has_come_to_rest(account: Account) -> bool:
    """Return whether there is more to say than that pairing has just begun."""
    if account.pairing is not None or account.remote_jid is not None:
        return True
    if account.status is AccountStatus.LOGGED_OUT:
        return True
    return account.status_reason is not None and not _pairs(account)


def _read_rate(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise typer.BadParameter(f"'{text}' is neither a number nor 'none'.")
    return int(text)


def _next_step(account: Account, name: str, organization: str | None) -> str:
    pairs = account.remote_jid is None and _pairs(account)
    begun = "Its pairing has begun. To continue it"
    words = begun if pairs else "It connects by itself. To see its state"
    return f"{words}: {_call('pair' if pairs else 'show', name, organization)}"


def _how_to_pair_again(name: str, organization: str | None) -> str:
    return f"To pair it again, run `{_call('reconnect', name, organization)}`."


def _call(command: str, name: str, organization: str | None) -> str:
    """Return a command to copy, with the names as they were typed."""
    call = f"{call_of(load_settings())} accounts {command} {shlex.quote(name)}"
    return call + repeat_organization(organization)


def _pairs(account: Account) -> bool:
    """Return whether there may be a code to show, also on a network that this release does not
    know."""
    try:
        return NetworkRegistry().get_network(account.network).capabilities.pairing
    except (UnknownNetworkError, DriverLoadError):
        return True


def _record(account: Account) -> dict[str, object]:
    """Return the Device record with what only the operator sees."""
    return device_record(account) | pick(
        account,
        *("network", "status_reason", "remote_jid", "send_rate", "disconnected_since"),
        *("warming_since", "sent_on", "sent_that_day", "settings"),
    )


def _count(account: Account, queues: Mapping[UUID, AccountQueue]) -> int:
    """Count the messages that wait for an account."""
    return queues[account.id].count if account.id in queues else 0


def _since(account: Account) -> str:
    """Say since when an account has been without a connection, or with the one it has."""
    return show_time(
        account.last_connected_at if account.is_connected else account.disconnected_since
    )


def _row(account: Account, waiting: int) -> tuple[str, ...]:
    return (
        account.session_name,
        account.name,
        account.network,
        _status(account),
        _since(account),
        f"{waiting:,}",
        account.phone_number or "—",
        "yes" if account.is_primary else "",
    )


def _show(account: Account, waiting: int | None = None, *, as_json: bool) -> None:
    """Show an account and, if asked, how many messages wait for it."""
    if as_json:
        queued = {} if waiting is None else {"queued_messages": waiting}
        print_json(_record(account) | queued)
        return
    rate = "none" if account.send_rate is None else f"{account.send_rate} messages a minute"
    print_fields(
        ("id", str(account.id)),
        ("name", account.name),
        ("session name", account.session_name),
        ("network", account.network),
        ("status", _status(account)),
        ("since", _since(account)),
        *([] if waiting is None else [("waiting", f"{waiting:,}")]),
        ("phone number", account.phone_number or "—"),
        ("primary", "yes" if account.is_primary else "no"),
        ("send rate", rate),
        ("warm-up", _warm_up(account)),
        ("messages", "kept" if account.message_logging_enabled else "not kept"),
        ("last connected", show_time(account.last_connected_at)),
    )


def _status(account: Account) -> str:
    restriction = find_restriction(account, datetime.now(UTC))
    if account.is_connected and restriction is not None:
        state, reason = f"restricted until {show_time(restriction.until)}", restriction.reason
    else:
        state, reason = name_status(account.status), account.status_reason
    return f"{state}: {reason}" if reason else state


def _warm_up(account: Account) -> str:
    today = datetime.now(UTC).date()
    allowance = allowance_on(account, today)
    if allowance is None:
        return "over" if account.auto_warmer_enabled else "no"
    return f"{sent_on(account, today)} of {allowance} sent today"


def _without_pairing(account: Account, name: str, organization: str | None) -> str:
    subject = f"The account '{account.name}'"
    if account.status is AccountStatus.LOGGED_OUT:
        state = f"{subject} is logged out{_log_out_reason(account)}."
        return f"{state} {_how_to_pair_again(name, organization)}"
    state = f"{subject} is {_status(account).removesuffix('.')}."
    if account.remote_jid is not None:
        return f"{subject} is paired; it is {_status(account).removesuffix('.')}."
    if account.status is AccountStatus.PAIRING:
        return (
            f"{subject} has nothing to pair yet: no node has connected it. "
            "Is one running with the role `sessions`?"
        )
    if not _pairs(account):
        return f"{state} Its network has no code to pair; it connects by itself."
    return state


def _log_out_reason(account: Account) -> str:
    reason = account.status_reason or ""
    if not reason or reason.startswith(_PLAIN_REASON):
        return ""
    return f": {reason.removesuffix('.')}"


def _print_pairing(pairing: dict[str, object]) -> None:
    payload = str(pairing.get("payload", ""))
    if pairing.get("kind") == "qr":
        print_fields(("scan", payload))
    else:
        print_fields(("type this code", payload))
    if pairing.get("expires_at"):
        expiry = datetime.fromisoformat(str(pairing["expires_at"]))
        print_fields(("good until", show_time(expiry)))
