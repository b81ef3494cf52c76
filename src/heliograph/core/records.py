"""Records as clients see them, made of the members that they declare."""

from typing import TypeVar, cast

R = TypeVar("R")


def make_record(kind: type[R], source: object, /, **members: object) -> R:
    """Make a record of this `TypedDict` of the source's attributes, but for these members."""
    made = {
        name: members[name] if name in members else getattr(source, name)
        for name in kind.__annotations__
    }
    return cast("R", made)
