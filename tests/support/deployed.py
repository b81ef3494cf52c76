"""What a file in `deploy/` starts: its command and its settings, as the program would read them."""

from typing import Any

import pytest
import typer

from heliograph.faces.cli import app
from heliograph.settings import Settings, load_settings


def parse(words: list[str]) -> dict[str, Any]:
    """The values that a command would be run with; nothing is run."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    return dict(command.make_context("heliograph", list(words)).params)


def read_settings(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], **options: str | None
) -> Settings:
    """The settings that a node would have. Raises `ConfigurationError`."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return load_settings(**options)
