"""The form that connects an account: its fields, and the one reader of their values.

The gateway reads a value before it stores it, and the driver when it connects: both by the field,
so that no account is refused by its network for what the form has accepted.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite, nan
from typing import Literal

import msgspec

from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.platform.characters import trimmed

_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.IGNORECASE)
"""As HTML's number fields write it."""
_INTEGER = re.compile(r"-?[0-9]{1,15}")
"""No longer than what a float holds exactly."""


class FormField(msgspec.Struct, frozen=True):
    """One field of the form that connects an account. A `secret` value is encrypted at rest.

    Every value reaches the driver as a string. `minimum` and `maximum` are bounds of a `number` or
    an `integer`, which is a whole number; either None is no bound. A `boolean` is `true` or
    `false`, and a `phone_number` is kept as `+` and digits. `check` is the network's own rule: it
    returns the value as it is kept and raises `NetworkError`, with a reason that never repeats a
    secret. It needs neither the network nor a heavy library: the API calls it, too.
    """

    name: str
    label: str
    kind: Literal["text", "password", "number", "integer", "boolean", "phone_number"] = "text"
    required: bool = False
    secret: bool = False
    default: str | None = None
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    check: Callable[[str], str] | None = None

    @property
    def is_number(self) -> bool:
        return self.kind in ("number", "integer")

    def read(self, text: str) -> str:
        """Return the value as it is kept. Raises `NetworkError`, which says what is accepted."""
        value = self._read_kind(text)
        return value if self.check is None else self.check(value)

    def _read_kind(self, text: str) -> str:
        if self.is_number:
            return self._read_number(trimmed(text))
        if self.kind == "boolean":
            value = trimmed(text).lower()
            if value not in ("true", "false"):
                raise _refused(f"'{self.name}' must be true or false.")
            return value
        if self.kind == "phone_number":
            try:
                return f"+{read_phone_number(text).digits}"
            except PhoneNumberError as error:
                raise _refused(error.reason) from None
        return text

    def _read_number(self, text: str) -> str:
        is_whole = self.kind == "integer"
        is_written = (_INTEGER if is_whole else _NUMBER).fullmatch(text)
        number = float(text) if is_written else nan
        least = -inf if self.minimum is None else self.minimum
        most = inf if self.maximum is None else self.maximum
        if not (isfinite(number) and least <= number <= most):
            what = "a whole number" if is_whole else "a number"
            raise _refused(f"'{self.name}' must be {what}{self._bounds()}.")
        return str(int(number)) if is_whole else text

    def _bounds(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f" from {self.minimum:.15g} to {self.maximum:.15g}"
        if self.minimum is not None:
            return f" of at least {self.minimum:.15g}"
        return "" if self.maximum is None else f" of at most {self.maximum:.15g}"


def read_values(form: Iterable[FormField], given: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a form, and the defaults of fields that were left empty. A field without
    either is left out. Raises `NetworkError` for a value that the form does not accept."""
    values = {}
    for field in form:
        if text := given.get(field.name) or field.default:
            values[field.name] = field.read(text)
    return values


def _refused(reason: str) -> NetworkError:
    return NetworkError(reason, permanent=True)
