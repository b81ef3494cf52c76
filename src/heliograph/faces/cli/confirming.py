"""Asking before a command removes something for good."""

from uuid import UUID

import typer

from heliograph.errors import InvalidInputError


def confirm_removal(field: str, name: str, removed_id: UUID) -> None:
    """Ask for the name of what is to be removed; raise `InvalidInputError` for another one."""
    typer.echo(f"This removes '{name}' ({removed_id}) and can't be undone.")
    if typer.prompt("Type its name to continue") != name:
        raise InvalidInputError.at((field,), "That is not its name. Nothing was removed.")
