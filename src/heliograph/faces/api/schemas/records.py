"""Schemas of what the gateway answers, made from the records that the core's serializers return.

A record is a `TypedDict`: mypy holds its serializer to it, and what it says of its members is what
the API's description and the tool server say. A response is never validated.
"""

import types
from collections.abc import Callable, Mapping
from inspect import getdoc
from typing import Annotated, Any, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, create_model
from typing_extensions import Doc

from heliograph.faces.api.schemas.extensible_enums import WORDS
from heliograph.untrusted import Untrusted

M = TypeVar("M", bound=BaseModel)

_models: dict[Any, type[BaseModel]] = {}


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
            name: _field(name, hint, special, defaults)
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


def _field(
    name: str, hint: Any, special: Mapping[str, Any], defaults: Mapping[str, object]
) -> tuple[Any, Any]:
    is_absent = get_origin(hint) is NotRequired
    if is_absent:
        (hint,) = get_args(hint)
    described, *metadata = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    is_nullable = is_absent or type(None) in get_args(described)
    kind = special.get(name) or _describe(described)
    if Untrusted in metadata:
        kind = Annotated[kind, Untrusted]
    text = next((doc.documentation for doc in metadata if isinstance(doc, Doc)), None)
    default = defaults.get(name, None if is_nullable else ...)
    return kind | None if is_nullable else kind, Field(default=default, description=text)


def _describe(hint: Any) -> Any:
    """The type of a field: enumerations become words, records the models that describe them."""
    if hint in WORDS:
        return WORDS[hint]
    if hint in _models:
        return _models[hint]
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return Union[tuple(_describe(part) for part in get_args(hint))]  # noqa: UP007 - of a tuple
    if origin in (list, dict):
        return origin[tuple(_describe(part) for part in get_args(hint))]
    return hint
