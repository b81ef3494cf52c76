"""How an action is said: what faces make their commands, forms and tools of."""

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import msgspec

from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_actions import Action, Send

_SAID = ("description", "ge", "le", "min_length", "max_length")


class ActionField(NamedTuple):
    """What an action needs to know.

    `name` is how people write it, `attribute` the struct's own word, `kind` its type without None.
    `least` and `most` are bounds of a number, or of a text's characters.
    """

    name: str
    attribute: str
    kind: Any
    description: str
    default: Any
    is_required: bool
    is_argument: bool
    least: float | None
    most: float | None

    @property
    def is_number(self) -> bool:
        return self.kind is float

    def check(self, value: object) -> None:
        """Raise `NetworkError` for what is out of bounds."""
        if self.most is None or value is None:
            return
        measured = len(value) if isinstance(value, str) else value
        if not (self.least or 0) <= measured <= self.most:  # type: ignore[operator]  # a number
            named = self.attribute.replace("_", " ").capitalize()
            bounds = f"{self.least or 0:g} to {self.most:.9g}"
            said = f"have {bounds} characters" if self.kind is str else f"be from {bounds}"
            raise NetworkError(f"{named} must {said}.", permanent=True)


def name_of(kind: type[Action]) -> str:
    """Return what an action is called on every face."""
    return str(kind.__struct_config__.tag)


@cache
def fields_of(kind: type[Action]) -> tuple[ActionField, ...]:
    """Return what an action needs, in the order in which it is written."""
    return tuple(_read_field(each) for each in msgspec.structs.fields(kind))


def list_actions(*unions: UnionType) -> dict[str, type[Action]]:
    """List the actions of these unions that faces offer, by name."""
    kinds = (kind for union in unions for kind in get_args(union) if kind is not Send)
    return {name_of(kind): kind for kind in kinds}


def check_bounds(action: Action) -> None:
    """Raise `NetworkError`, with a sentence for a person, for what is out of bounds."""
    for each in fields_of(type(action)):
        each.check(getattr(action, each.attribute))


def read_action(kind: type[Action], given: Mapping[str, Any]) -> Any:
    """Make an action of its fields as people name them; what it does not need is left out."""
    return kind(
        **{each.attribute: given[each.name] for each in fields_of(kind) if each.name in given}
    )


def _read_field(told: msgspec.structs.FieldInfo) -> ActionField:
    kind, merged = _without_marks(told.type)
    return ActionField(
        name=told.encode_name,
        attribute=told.name,
        kind=kind,
        description=merged.get("description", ""),
        default=None if told.required else told.default,
        is_required=told.required,
        is_argument=merged.get("is_argument", told.required),
        least=merged.get("ge", merged.get("min_length")),
        most=merged.get("le", merged.get("max_length")),
    )


def _without_marks(kind: Any) -> tuple[Any, dict[str, Any]]:
    """Return the type that a person gives, and what is said of it."""
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        kind, merged = _without_marks(inner)
        for mark in marks:
            said = {name: getattr(mark, name) for name in _SAID}
            merged |= {name: value for name, value in said.items() if value is not None}
            merged |= mark.extra or {}
        return kind, merged
    choices = [each for each in get_args(kind) if each is not type(None)]
    is_optional = type(None) in get_args(kind)
    return _without_marks(choices[0]) if is_optional else (kind, {})
