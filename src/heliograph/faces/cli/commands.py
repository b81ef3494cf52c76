"""Typer as these commands use it: a flag is shown without a type, and mistakes are sentences."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import typer
from pydantic import ValidationError
from typer.core import TyperCommand, TyperGroup

from heliograph.platform.terminal import plain
from heliograph.settings.problems import describe_problem

Function = TypeVar("Function", bound=Callable[..., Any])


class _InOurWords:
    """What a command and a group of them have in common."""

    def get_params(self, ctx: Any) -> Any:
        return _without_types(super().get_params(ctx))  # type: ignore[misc]  # of Typer's classes

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _sentences():
            return super().parse_args(ctx, args)  # type: ignore[misc,no-any-return]  # as above


class _Command(_InOurWords, TyperCommand):
    pass


class _Group(_InOurWords, TyperGroup):
    pass


class Commands(typer.Typer):
    """A group of commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=_Group, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        add = super().command
        return lambda function: add(
            name, cls=_Command, help=_unwrap(function.__doc__ or ""), **settings
        )(function)


def _unwrap(text: str) -> str:
    """Take out the ends of lines within a paragraph, which lists of commands would show."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _without_types(params: list[Any]) -> list[Any]:
    """Take away the type that help shows beside a flag, which takes no value."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


@contextmanager
def _sentences() -> Iterator[None]:
    """Let a value that can't be read be told in words of this program, and as plain text."""
    try:
        yield
    except typer.BadParameter as error:
        if isinstance(error.__cause__, ValidationError):
            problem = error.__cause__.errors(include_url=False)[0]
            error.message = describe_problem(problem) + "."
        error.message = plain(error.message)
        raise
