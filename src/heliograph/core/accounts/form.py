"""The form by which an account is connected: its names, settings and secrets."""

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count

from heliograph.core.tenants.names import check_name
from heliograph.errors import InvalidInputError
from heliograph.networks.errors import NetworkError
from heliograph.networks.form import FormField
from heliograph.platform.characters import has_controls, shows_something

MAX_NAME_LENGTH = 100
"""Characters of either name."""
MAX_SETTING_LENGTH = 10_000

_SESSION_NAME = re.compile(rf"\S(?:.{{0,{MAX_NAME_LENGTH - 2}}}\S)?", re.DOTALL)


def check_names(name: str, session_name: str) -> str:
    """Return the normalized name for people. Raises `InvalidInputError` unless both are valid."""
    kept = check_name(name, MAX_NAME_LENGTH)
    if _SESSION_NAME.fullmatch(session_name) is None or has_controls(session_name):
        raise InvalidInputError.at(
            ("session_name",),
            f"A session name has 1 to {MAX_NAME_LENGTH} printable characters and no blank at "
            "either end.",
        )
    if not shows_something(session_name):
        problem = "A session name needs at least one visible character."
        raise InvalidInputError.at(("session_name",), problem, input=session_name)
    return kept


def make_session_name(name: str, taken: Collection[str] = ()) -> str:
    """Make a session name from the name for people: `front-desk`, then `front-desk-2`."""
    made = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "device"
    numbered = (f"{made[: MAX_NAME_LENGTH - 12]}-{number}" for number in count(2))
    return next(free for free in chain([made], numbered) if free not in taken)


def read_form(
    form: Iterable[FormField], values: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the open and the secret values of a network's form, with defaults filled in.

    Raises `InvalidInputError`, which names the unknown, missing or invalid field.
    """
    fields = list(form)
    defaults = {field.name: field.default or "" for field in fields}
    return change_values(fields, defaults | dict(values), {}, {})


def change_values(
    form: Iterable[FormField],
    values: Mapping[str, str],
    settings: Mapping[str, str],
    secrets: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return `settings` and `secrets` with these values; an empty one removes what was there.

    What `values` does not name stays, even where the form would not accept it any more. Raises
    what `read_form` raises.
    """
    fields = {field.name: field for field in form}
    for name in values:
        if name not in fields:
            there = ", ".join(sorted(fields)) or "none"
            raise _refused(name, f"This network has no setting '{name}'; it has: {there}.")
    settings, secrets = dict(settings), dict(secrets)
    for name, text in values.items():
        field = fields[name]
        kept = secrets if field.secret else settings
        if text:
            kept[name] = _read_value(field, text)
        elif field.required:
            raise _refused(name, f"'{name}' is required.")
        else:
            kept.pop(name, None)
    return settings, secrets


def _read_value(field: FormField, text: str) -> str:
    if len(text) > MAX_SETTING_LENGTH or "\x00" in text:
        raise _refused(field.name, f"'{field.name}' is too long or holds a NUL character.")
    try:
        return field.read(text)
    except NetworkError as error:
        raise _refused(field.name, error.reason) from None


def _refused(name: str, problem: str) -> InvalidInputError:
    return InvalidInputError.at(("settings", name), problem)
