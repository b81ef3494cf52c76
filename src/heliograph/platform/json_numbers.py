"""Whole numbers in JSON, which has one kind of number: 30.0 is the same as 30."""

from typing import Annotated

from pydantic import BeforeValidator, StrictInt


def _as_integer(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


AS_INTEGER = BeforeValidator(_as_integer)
"""Goes after the bounds of a member that may also be null, so that its schema has them."""

Integer = Annotated[StrictInt, AS_INTEGER]
"""A whole number; texts and booleans are refused."""
