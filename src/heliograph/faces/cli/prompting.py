"""Asking a person at the terminal."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer

T = TypeVar("T")


def ask(text: str, *, is_secret: bool = False) -> str:
    """Return what is typed, without showing a secret."""
    return str(_prompt(text, hide_input=is_secret))


def ask_until(text: str, read: Callable[[str], T], *, default: str) -> T:
    """Return what `read` makes of the answer; say why and ask again on `typer.BadParameter`."""
    answer: T = _prompt(text, value_proc=read, default=default)
    return answer


def _prompt(text: str, **options: Any) -> Any:
    try:
        return typer.prompt(text, **options)
    except typer.Abort as end:
        if isinstance(end.__context__, KeyboardInterrupt):  # which Typer takes for the end of input
            typer.echo(err=True)  # the shell's next prompt begins on a line of its own
            raise KeyboardInterrupt from None
        raise
