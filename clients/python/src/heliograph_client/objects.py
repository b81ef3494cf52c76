"""Objects as callers have them: of their class, or as the dicts that JSON has."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from .generated.types import Unset

Given = TypeVar("Given")


class Plain(dict[str, Any]):
    """A dict in place of an object of a generated class, sent as it is."""

    def to_dict(self) -> dict[str, Any]:
        return self


def read_object(given: Given | dict[str, Any]) -> Given:
    """Return an object that can be sent; the gateway judges what a dict says."""
    return cast(Given, Plain(given)) if isinstance(given, dict) else given


def read_objects(given: Sequence[Given | dict[str, Any]] | Unset | None) -> Any:
    """Return several objects that can be sent."""
    if given is None or isinstance(given, Unset):
        return given
    return [read_object(each) for each in given]
