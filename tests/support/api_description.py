"""The description of the API, read once for all tests of a process."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from heliograph.faces.api.openapi import read_description


@cache
def api_description() -> dict[str, Any]:
    """What `read_description` returns; to be read and left as it is."""
    return read_description()


def walk(part: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every object of a part of it, examples aside, with the way to it."""
    if isinstance(part, dict):
        yield way, part
    for key, each in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(each, dict | list) and key not in ("example", "examples"):
            yield from walk(each, (*way, str(key)))


def reachable(part: Any) -> set[str]:
    """The schemas that this part of it refers to, by whatever way."""
    schemas, found = api_description()["components"]["schemas"], set[str]()
    waiting = [part]
    while waiting:
        for _, each in walk(waiting.pop()):
            name = str(each.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def example_of(event_type: str) -> dict[str, Any]:
    """The event that the description shows of this type, without an id."""
    post = api_description()["webhooks"][event_type]["post"]
    example: dict[str, Any] = post["requestBody"]["content"]["application/json"]["example"]
    return example


def check(schema: dict[str, Any], value: Any) -> None:
    """Raises `ValidationError` of jsonschema where a value does not fit a schema of it."""
    whole = schema | {"components": api_description()["components"]}
    Draft202012Validator(whole, format_checker=FormatChecker()).validate(value)
