"""Members of bodies have the type that the description says: nothing is read as something else."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from each_case import for_each
from heliograph.faces.api.app import list_operations

WRONG: dict[type, list[object]] = {
    bool: ["true", "false", "yes", 1, 0, 1.0, "1"],
    int: ["5", 5.5, True, "5.0"],
    float: ["1.5", True, "NaN"],
    str: [5, 1.5, True, ["x"]],
}


def models_of(kind: Any) -> Iterator[type[BaseModel]]:
    """Every model in an annotation, and in the fields of these."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
        for field in kind.model_fields.values():
            yield from models_of(field.annotation)
    elif hasattr(kind, "__value__"):
        yield from models_of(kind.__value__)
    for part in get_args(kind):
        yield from models_of(part)


def plain_types(kind: Any) -> set[Any]:
    """The plain types that a member may have: of a union each."""
    if get_origin(kind) is Annotated:
        return plain_types(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return set().union(*map(plain_types, get_args(kind)))
    return {kind}


def bodies() -> list[type[BaseModel]]:
    found = [
        model
        for route in list_operations()
        if route.body_field is not None
        for model in models_of(route.body_field.field_info.annotation)
    ]
    return list(dict.fromkeys(found))


def members() -> list[Any]:
    return [
        pytest.param(model, name, kind, id=f"{model.__name__}.{name}")
        for model in bodies()
        for name, field in model.model_fields.items()
        for kind in plain_types(field.annotation)
        if kind in WRONG
    ]


def test_every_kind_of_member_is_tried() -> None:
    assert {param.values[2] for param in members()} == WRONG.keys()
    assert len(bodies()) > 30


@for_each(("model", "name", "kind"), members())
def test_a_member_takes_its_own_type_alone(model: type[BaseModel], name: str, kind: type) -> None:
    field = model.model_fields[name]
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]  # made of what the model says
    others = plain_types(field.annotation)
    for wrong in WRONG[kind]:
        if type(wrong) not in others:
            with pytest.raises(ValidationError):
                adapter.validate_python(wrong)
