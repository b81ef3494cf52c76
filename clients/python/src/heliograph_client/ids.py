"""Ids as callers have them: as UUIDs, or as the strings that JSON, databases and webhooks have."""

from collections.abc import Sequence
from typing import overload
from uuid import UUID

from .generated.types import Unset

Id = str | UUID


@overload
def read_id(given: Id) -> UUID: ...
@overload
def read_id(given: Id | Unset) -> UUID | Unset: ...
@overload
def read_id(given: Id | Unset | None) -> UUID | Unset | None: ...
def read_id(given: Id | Unset | None) -> UUID | Unset | None:
    """Return an id as a UUID. Raises `ValueError` for a string that is none."""
    if not isinstance(given, str):
        return given
    try:
        return UUID(given)
    except ValueError:
        raise ValueError(f"{given!r} is not an id of the gateway: its ids are UUIDs.") from None


@overload
def read_ids(given: Sequence[Id]) -> list[UUID]: ...
@overload
def read_ids(given: Sequence[Id] | Unset) -> list[UUID] | Unset: ...
@overload
def read_ids(given: Sequence[Id] | Unset | None) -> list[UUID] | Unset | None: ...
def read_ids(given: Sequence[Id] | Unset | None) -> list[UUID] | Unset | None:
    """Return several ids as UUIDs."""
    return given if given is None or isinstance(given, Unset) else [read_id(each) for each in given]
