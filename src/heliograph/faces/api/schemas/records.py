"""Schemas of the gateway's answers, made from the records that the core's serializers return.

A record is a `TypedDict`, made of the members that it declares. The API's description and the tool
server take what it says about them. A content is a struct, which says the same of its members. A
response is never validated.
"""

import types
from collections.abc import Callable, Mapping
from inspect import getdoc
from typing import Annotated, Any, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import BaseModel, Field, create_model
from typing_extensions import Doc

from heliograph.faces.api.schemas.extensible_enums import WORDS
from heliograph.networks.content.kinds import is_optional_text

M = TypeVar("M", bound=BaseModel)

_models: dict[Any, type[BaseModel]] = {}
_BY_TYPE = object()
"""Stands for the default that a member's type implies: null, or none."""


def describes(
    record: type, special: Mapping[str, Any] = types.MappingProxyType({}), /, **defaults: object
) -> Callable[[type[M]], type[M]]:
    """Give a model the fields and the docstring of `record`.

    A member that may be null or absent has the default null, and those in `defaults` theirs; all
    others are required. `special` has the types of members that the record has in a plainer form.
    """

    def decorate(model: type[M]) -> type[M]:
        hints = get_type_hints(record, include_extras=True)
        fields: dict[str, Any] = {
            name: _field(hint, defaults.get(name, _BY_TYPE), special=special.get(name))
            for name, hint in hints.items()
            if name not in model.model_fields
        }
        described = create_model(
            model.__name__,
            __base__=model,
            __module__=model.__module__,
            __doc__=getdoc(record),
            **fields,
        )
        _models[record] = described
        return described

    return decorate


def describe_part(
    record: type, name: str, special: Mapping[str, Any] = types.MappingProxyType({})
) -> None:
    """Describe, under this name, a record that stands only within others."""
    describes(record, special)(create_model(name))


def describe_struct(
    struct: type[msgspec.Struct], name: str | None = None, **first: Any
) -> type[BaseModel]:
    """Return the model of a content, or of a part of one, as clients read it (`Kind.members`).

    `first` are fields in front of the struct's own.
    """
    fields: dict[str, Any] = first | {
        field.name: _field(field.type, is_absent=_may_be_absent(struct, field))
        for field in msgspec.structs.fields(struct)
    }
    name = name or struct.__name__
    model = create_model(name, __module__=__name__, __doc__=getdoc(struct), **fields)
    _models[struct] = model
    return model


def _may_be_absent(struct: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> bool:
    """Return whether clients get null, or no member at all, where a member has its default."""
    is_sparse = getattr(struct, "is_sparse", False) and not field.required
    return is_sparse or is_optional_text(field.default)


def _field(
    hint: Any, default: object = _BY_TYPE, *, special: Any = None, is_absent: bool = False
) -> tuple[Any, Any]:
    """Return the type and the description of a member; what marks it stays with its type."""
    if get_origin(hint) is NotRequired:
        is_absent, (hint,) = True, get_args(hint)
    described, *metadata = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    is_nullable = is_absent or type(None) in get_args(described)
    kind = special or _describe(described)
    if marks := [each for each in metadata if not isinstance(each, Doc)]:
        kind = Annotated[kind, *marks]
    text = next((doc.documentation for doc in metadata if isinstance(doc, Doc)), None)
    if default is _BY_TYPE:
        default = None if is_nullable else ...
    return kind | None if is_nullable else kind, Field(default=default, description=text)


def _describe(hint: Any) -> Any:
    """Return the type of a field: enumerations become words, records become models."""
    if hint in WORDS:
        return WORDS[hint]
    if hint in _models:
        return _models[hint]
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return describe_struct(hint)
    origin = get_origin(hint)
    if origin is Annotated:
        plain, *marks = get_args(hint)
        return Annotated[_describe(plain), *marks]
    if origin is tuple:
        return list[_describe(get_args(hint)[0])]  # type: ignore[misc]  # made at run time
    if origin in (Union, types.UnionType):
        return Union[tuple(_describe(part) for part in get_args(hint))]  # noqa: UP007 - of a tuple
    if origin in (list, dict):
        return origin[tuple(_describe(part) for part in get_args(hint))]
    return hint
