"""Commands for what can be done with virtual phones, each made from its action: what must be given
is an argument, the rest are options."""

from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import show_bubble
from heliograph.core.services import Services
from heliograph.faces.cli.commands import set_parameters
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import Screen, print_json
from heliograph.faces.cli.phone_commands import PhoneCommands, Work
from heliograph.faces.cli.phone_screen import print_bubble
from heliograph.networks.action_fields import ActionField, fields_of, list_actions
from heliograph.networks.phone_actions import (
    Action,
    GivenFile,
    NetworkAction,
    PhoneAction,
    Scan,
)
from heliograph.networks.port import SimulatedMessage


def add_actions(commands: PhoneCommands) -> None:
    for name, kind in list_actions(PhoneAction, NetworkAction).items():
        if kind is not Scan:  # it has a command of its own, which waits for a code
            # a negative number would be read as an option
            has_numbers = any(each.is_argument and each.is_number for each in fields_of(kind))
            settings = {"ignore_unknown_options": has_numbers}
            commands.add(_work_of(kind), name=name, context_settings=settings)


def _work_of(kind: type[Action]) -> Work:
    async def act(
        services: Services, account: Account, *, as_json: JsonOption = False, **given: Any
    ) -> None:
        said = {name: _read(value) for name, value in given.items() if value is not None}
        action: Any = kind(**said)
        _print_done(await services.simulator.of(account).act(action), as_json)

    act.__doc__ = kind.__doc__
    services, account, as_json, _ = signature(act).parameters.values()
    set_parameters(act, [services, account, *map(_parameter, fields_of(kind)), as_json])
    return act


def _parameter(field: ActionField) -> Parameter:
    kind: Any = field.kind
    told: dict[str, Any] = {"help": field.description}
    if kind is GivenFile:
        kind = Path
        told |= {"metavar": "FILE", "exists": True, "dir_okay": False}
    elif field.is_number:
        told |= {"min": field.least, "max": field.most}
    elif kind == tuple[str, ...]:
        kind = list[str]
        told["metavar"] = field.name.removesuffix("s").upper()
    how = (
        typer.Argument(**told)
        if field.is_argument
        else typer.Option(f"--{field.name.replace('_', '-')}", **told)
    )
    return Parameter(
        field.attribute,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind if field.is_required else kind | None, how],
        default=Parameter.empty if field.is_required else field.default or None,
    )


def _read(value: object) -> object:
    if not isinstance(value, Path):
        return tuple(value) if isinstance(value, list) else value
    try:
        return GivenFile(value.name, value.read_bytes())
    except OSError as error:
        raise typer.BadParameter(f"{value} can't be read: {error}") from error


def _print_done(done: SimulatedMessage | str, as_json: bool) -> None:
    if as_json:
        print_json({"done": done} if isinstance(done, str) else done)
    elif isinstance(done, str):
        typer.echo(done)
    else:
        print_bubble(Screen(), show_bubble(done))
