"""The environment: read for this process, and made for those that it starts."""

import os
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings

from heliograph.errors import ConfigurationError
from heliograph.settings.gateway import Settings
from heliograph.settings.groups import ServerSettings
from heliograph.settings.problems import describe_problem

API_KEY_VARIABLE = "HELIOGRAPH_API_KEY"
"""What the documentation calls the variable with a reader's API key. Nothing of the gateway reads
it."""


def load_settings(**options: str | None) -> Settings:
    """Return the settings of this process. Raises `ConfigurationError`.

    `options` are a command's own, by the fields of `ServerSettings`; each that is not None
    overrides its variable.
    """
    given: dict[str, Any] = {name: text for name, text in options.items() if text is not None}
    try:
        return Settings(server=ServerSettings(**given))
    except ValidationError as error:
        raise ConfigurationError(_sentence(error, given)) from None


def _sentence(error: ValidationError, options: Container[str]) -> str:
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return first["msg"].removeprefix("Value error, ").rstrip(".") + "."
    field = str(first["loc"][0])
    is_option = error.title == ServerSettings.__name__ and field in options
    name = f"--{field}" if is_option else _variable(error.title, field)
    return f"{name} is not usable: {describe_problem(first)}."


def _variable(class_name: str, field: str) -> str:
    for _, group in _groups():
        if group.__name__ == class_name:
            return str(group.model_config.get("env_prefix", "")) + field.upper()
    return field


def _groups() -> Iterator[tuple[str, type[BaseSettings]]]:
    for name, field in Settings.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, BaseSettings):
            yield name, group


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable, read as `settings.<path>`."""

    name: str
    path: str
    default: Any
    description: str


def list_variables() -> list[Variable]:
    """Return every variable the gateway reads, for the documentation's reference and `doctor`."""
    return [
        Variable(
            name=_variable(group.__name__, field),
            path=f"{name}.{field}",
            default=info.get_default(call_default_factory=False),
            description=" ".join((info.description or "").split()),
        )
        for name, group in _groups()
        for field, info in group.model_fields.items()
    ]


def list_unknown_variables() -> list[str]:
    """Return variables that begin with HELIOGRAPH_ and mean nothing: most likely typos."""
    known = {variable.name for variable in list_variables()} | {API_KEY_VARIABLE}
    return sorted(
        name for name in os.environ if name.startswith("HELIOGRAPH_") and name not in known
    )


def child_environment(settings: Settings) -> dict[str, str]:
    """Return a node's environment: this process's own, with what the supervisor has determined."""
    return os.environ | {
        "HELIOGRAPH_DATABASE_URL": settings.database_url,
        "HELIOGRAPH_SECRET_KEYS": ",".join(key.get_secret_value() for key in settings.secret.keys),
        "HELIOGRAPH_HOST": settings.server.host,
        "HELIOGRAPH_PORT": str(settings.server.port),
        "HELIOGRAPH_NODES": str(settings.server.nodes),
        "HELIOGRAPH_ROLES": ",".join(sorted(settings.server.roles)),
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": settings.allow_private.value,
        "HELIOGRAPH_DATA_DIR": str(settings.data_dir),
    }


_HARMLESS = re.compile(r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|PYTHON\w+")


def local_sign_in_environment() -> dict[str, str]:
    """Return the environment of the demo's own sign-in: what a Python program needs to run.

    It contains none of the gateway's settings: its command line has the little that it needs.
    """
    return {name: value for name, value in os.environ.items() if _HARMLESS.fullmatch(name)}
