"""The API's description in parts that a model can read: an index, and each operation by itself."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from heliograph.faces.api.app import encode_description

INDEX = "heliograph://openapi.json"
_COMPONENTS = "#/components/"


def uri_of(operation_id: str) -> str:
    """Return the URI of the resource that describes an operation."""
    return f"heliograph://openapi/{operation_id}.json"


@cache
def describe_parts(public_url: str) -> Mapping[str, str]:
    """Return the index and the description of each operation by their URIs, in JSON.

    They are made once in a process, as the tool server is loaded: that takes a moment.
    """
    described: dict[str, Any] = msgspec.json.decode(encode_description(public_url))
    operations = list(_operations(described))
    parts = {INDEX: _index(described, operations)}
    for operation in operations:
        parts[uri_of(operation.about["operationId"])] = _describe(described, operation)
    return {uri: msgspec.json.encode(part).decode() for uri, part in parts.items()}


def _index(described: dict[str, Any], operations: Sequence["_Operation"]) -> dict[str, Any]:
    listed = [
        {
            "operation_id": about["operationId"],
            "method": method.upper(),
            "path": path,
            "summary": about["summary"],
            "scope": about.get("x-required-scope"),
            "resource": uri_of(about["operationId"]),
        }
        for path, method, about in operations
    ]
    head = {name: described[name] for name in ("info", "servers") if name in described}
    return head | {"operations": listed}


def _describe(described: dict[str, Any], operation: "_Operation") -> dict[str, Any]:
    """Return an OpenAPI document of one operation and what it refers to."""
    paths = {operation.path: {operation.method: operation.about}}
    whole = described | {"paths": paths, "components": _components(described, paths)}
    return {name: part for name, part in whole.items() if name not in ("tags", "webhooks")}


class _Operation(NamedTuple):
    path: str
    method: str
    about: dict[str, Any]


def _operations(described: dict[str, Any]) -> Iterator[_Operation]:
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            yield _Operation(path, method, about)


def _components(described: dict[str, Any], start: object) -> dict[str, Any]:
    """Return the components that something refers to, with those that they refer to."""
    components: dict[str, Any] = described["components"]
    found: dict[str, Any] = {"securitySchemes": components["securitySchemes"]}
    to_read = list(_references(start))
    while to_read:
        kind, _, name = to_read.pop().removeprefix(_COMPONENTS).partition("/")
        if name not in found.setdefault(kind, {}):
            found[kind][name] = components[kind][name]
            to_read += _references(components[kind][name])
    return found


def _references(value: object) -> Iterator[str]:
    match value:
        case dict():
            for name, member in value.items():
                if name == "$ref" and isinstance(member, str):
                    yield member
                elif name == "mapping" and isinstance(member, dict):
                    yield from (each for each in member.values() if isinstance(each, str))
                else:
                    yield from _references(member)
        case list():
            for member in value:
                yield from _references(member)
