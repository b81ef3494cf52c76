"""The form by which an account is connected: its names, settings and secrets."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count

from heliograph.core.tenants.names import check_name
from heliograph.errors import InvalidInputError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.networks.port import FormField
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
    form: Sequence[FormField], values: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the open and the secret values of a network's form, with defaults filled in.

    Raises `InvalidInputError`, which names the unknown, missing or invalid field.
    """
    known = {field.name for field in form}
    for name in values:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise InvalidInputError.at(
                ("settings", name), f"This network has no setting '{name}'; it has: {there}."
            )
    settings: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for field in form:
        value = values.get(field.name, field.default)
        if value is None or value == "":
            if field.required:
                raise InvalidInputError.at(("settings", field.name), f"'{field.name}' is required.")
            continue
        (secrets if field.secret else settings)[field.name] = _read_value(field, value)
    return settings, secrets


def _read_value(field: FormField, value: str) -> str:
    loc = ("settings", field.name)
    if len(value) > MAX_SETTING_LENGTH or "\x00" in value:
        raise InvalidInputError.at(loc, f"'{field.name}' is too long or holds a NUL character.")
    if field.kind == "number":
        try:
            float(value)
        except ValueError:
            raise InvalidInputError.at(loc, f"'{field.name}' must be a number.") from None
    if field.kind == "boolean":
        if value.lower() not in ("true", "false"):
            raise InvalidInputError.at(loc, f"'{field.name}' must be true or false.")
        return value.lower()
    if field.kind == "phone_number":
        try:
            return f"+{read_phone_number(value).digits}"
        except PhoneNumberError as error:
            raise InvalidInputError.at(loc, error.reason) from None
    return value
