"""Defaults of requests, described in words.

`openapi-typescript` takes a member with a `default` in its schema for one that is always there, so
that every caller would have to give it, and `openapi-python-client` sends it with each request.
Both are right for answers, and wrong for what a request may leave out.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Schema = dict[str, Any]


def say_defaults(document: Mapping[str, Any]) -> None:
    """Move the defaults in the schemas of requests into the descriptions of their members."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    for name in _list_requested(document, schemas):
        for member in schemas[name].get("properties", {}).values():
            if "default" in member:
                default = json.dumps(member.pop("default"))
                said = member.get("description", "")
                member["description"] = f"{said} Default: `{default}`.".lstrip()


def _list_requested(document: Mapping[str, Any], schemas: Mapping[str, Schema]) -> set[str]:
    """List the schemas that requests refer to, and those that these refer to."""
    waiting = [
        name
        for item in document["paths"].values()
        for operation in item.values()
        for name in _references(operation.get("requestBody"))
    ]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_references(schemas[name]))
    return found


def _references(part: Any) -> Iterator[str]:
    """Yield the names of the schemas that are referred to in this part of the document."""
    if isinstance(part, dict) and isinstance(part.get("$ref"), str):
        yield part["$ref"].rpartition("/")[2]
    if isinstance(part, dict | list):
        for each in part.values() if isinstance(part, dict) else part:
            yield from _references(each)
