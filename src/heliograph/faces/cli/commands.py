"""Typer as these commands use it: help names values in words instead of Python's types, and
mistakes are sentences."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature
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
        params = super().get_params(ctx)  # type: ignore[misc]  # of Typer's classes
        for param in params:
            _name_value(param)
        return params

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


def set_parameters(command: Callable[..., object], parameters: Sequence[Parameter]) -> None:
    """Give a command that takes any parameters these, which Typer then reads."""
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]


def _unwrap(text: str) -> str:
    """Join the lines of each paragraph, as lists of commands would show the breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _name_value(param: Any) -> None:
    """Let help say what to write for an argument or option, not which Python type it becomes."""
    if getattr(param, "is_flag", False):  # which takes no value
        param.metavar = ""
    elif param.metavar is None:
        choices = param.type_descriptor.choices
        param.metavar = "|".join(map(str, choices)) if choices else param.name.upper()
    param._get_number_range_help_str = lambda: _range(param.min, param.max)
    if param.param_type_name == "argument":
        param.display_type_rich = lambda ctx: ""  # its name says it


def _range(least: float | None, most: float | None) -> str | None:
    match least, most:
        case None, None:
            return None
        case _, None:
            return f"{least:.9g} or more"
        case None, _:
            return f"{most:.9g} at most"
    return f"{least:.9g} to {most:.9g}"


@contextmanager
def _sentences() -> Iterator[None]:
    """Explain a value that can't be read in this program's own words, as plain text."""
    try:
        yield
    except typer.BadParameter as error:
        if isinstance(error.__cause__, ValidationError):
            problem = error.__cause__.errors(include_url=False)[0]
            error.message = describe_problem(problem) + "."
        error.message = plain(error.message)
        raise
