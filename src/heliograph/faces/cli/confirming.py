"""Asking before a command removes something for good."""

import sys
from uuid import UUID

import typer

from heliograph.errors import InvalidInputError
from heliograph.faces.cli.prompting import ask

_FIELD = ("name",)


def confirm_removal(name: str, removed_id: UUID) -> None:
    """Ask for the name of the thing to remove.

    Raises `InvalidInputError` for another name, or if there is nobody to ask.
    """
    typer.echo(f"This removes '{name}' ({removed_id}) and can't be undone.")
    if _ask_for_name() != name:
        raise InvalidInputError.at(_FIELD, "That is not its name. Nothing was removed.")


def _ask_for_name() -> str:
    if sys.stdin.isatty():
        return ask("Type its name to continue")
    line = sys.stdin.readline()
    if not line:
        raise InvalidInputError.at(
            _FIELD, "There is no terminal to ask on; add --yes to remove it."
        )
    return line.rstrip("\r\n")
