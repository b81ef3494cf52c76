"""The values of a network's form, as a command takes them: `--set KEY=VALUE`, or `KEY=@FILE`.

Everybody on the machine can see a program's arguments, and the shell keeps them. A secret comes
from a file, from standard input, or from a prompt that does not echo, and never as a value.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from heliograph.faces.cli.prompting import ask
from heliograph.networks.form import FormField
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError

_STANDARD_INPUT = "-"
_FILE = "@"


SettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A value of the network's form; repeat it. KEY=@FILE reads a file, KEY=- standard "
        "input, and a secret is given in one of these ways.",
    ),
]


def read_form(network: str, given: Iterable[str]) -> dict[str, str]:
    """Read the form's values, and ask for required ones that are missing, if there is somebody to
    ask. Raises `typer.BadParameter`."""
    values = read_settings(network, given)
    if sys.stdin.isatty():
        missing = (field for field in _form(network) if field.name not in values)
        values |= _ask(field for field in missing if field.required)
    return values


def read_settings(network: str, given: Iterable[str]) -> dict[str, str]:
    """Read the form's values from `KEY=VALUE` texts. Raises `typer.BadParameter`."""
    values = dict(_split(pair) for pair in given)
    secrets = {field.name for field in _form(network) if field.secret}
    if list(values.values()).count(_STANDARD_INPUT) > 1:
        raise typer.BadParameter("Standard input can hold one value only.")
    return {name: _read(name, value, is_secret=name in secrets) for name, value in values.items()}


def _ask(missing: Iterable[FormField]) -> dict[str, str]:
    """Ask for secrets last, as people expect."""
    return {
        field.name: ask(field.label, is_secret=field.secret)
        for field in sorted(missing, key=lambda field: field.secret)
        if field.default is None
    }


def _form(network: str) -> Sequence[FormField]:
    try:
        return NetworkRegistry().get_network(network).form
    except (UnknownNetworkError, DriverLoadError):  # the service says more about it
        return ()


def _split(setting: str) -> tuple[str, str]:
    name, separator, value = setting.partition("=")
    if not (name and separator):
        raise typer.BadParameter(f"'{setting}' is not of the form KEY=VALUE.")
    return name, value


def _read(name: str, value: str, *, is_secret: bool) -> str:
    if value == _STANDARD_INPUT:
        text = sys.stdin.read()
    elif value.startswith(_FILE) and len(value) > 1:
        text = _read_file(name, Path(value[1:]))
    elif is_secret:
        raise typer.BadParameter(
            f"'{name}' is secret, and a command's arguments are not: everybody on this machine can "
            f"read them. Write --set {name}=@FILE for a file, or --set {name}=- for standard "
            "input; in a terminal, `accounts create` asks for what is left out."
        )
    else:
        return value
    return text.removesuffix("\n").removesuffix("\r")


def _read_file(name: str, path: Path) -> str:
    try:
        return path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"'{name}' can't be read from {path}: {error}.") from None
