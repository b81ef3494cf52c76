"""Unions that later versions may extend, for the API's description alone: events and contents.

Each has a member for words that are not known yet, so that generated clients can read them. As
models the unions of events would take memory in each process and be of no use: the gateway answers
what was stored.
"""

from collections.abc import Mapping
from typing import Any

from heliograph.faces.api.schemas.events import EVENTS

Schema = dict[str, Any]

OTHER = "unknown"
"""The word for the member that stands for all others. TypeScript generators give that member this
word as its type, so that a comparison with a known word leaves one member; no event has it."""
_LOGGED = "Logged"
_ADDED = (
    f" A `type` that is not listed here was added later: in TypeScript handle it in `default`, as "
    f"the word `{OTHER}` itself never occurs."
)


def with_open_unions(schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return these schemas with `PostedEvent`, `LoggedEvent` (the same with its id) and
    `TypedContent` as open unions, and with their members."""
    posted = {event.event_type.value: event.schema.__name__ for event in EVENTS}
    identity = schemas["LoggedEvent"]["properties"]["id"]
    logged = {_LOGGED + name: _with_id(schemas[name], identity) for name in posted.values()}
    contents = [part["$ref"].rpartition("/")[2] for part in schemas["TypedContent"]["oneOf"]]
    kinds = {schemas[name]["properties"]["type"]["const"]: name for name in contents}
    return (
        dict(schemas)
        | logged
        | _open(schemas["PostedEvent"], "UnknownEvent", schemas["PostedEvent"], posted)
        | _open(
            schemas["LoggedEvent"],
            f"{_LOGGED}UnknownEvent",
            schemas["LoggedEvent"],
            {word: _LOGGED + name for word, name in posted.items()},
        )
        | _open(schemas["TypedContent"], "UnknownContent", schemas["UnknownContent"], kinds)
    )


def _with_id(event: Schema, identity: Schema) -> Schema:
    """Return the schema of an event of the log, whose body has this schema."""
    return event | {
        "title": _LOGGED + event["title"],
        "properties": {"id": identity, **event["properties"]},
        "required": ["id", *event["required"]],
    }


def _open(union: Schema, name: str, other: Schema, members: Mapping[str, str]) -> dict[str, Schema]:
    """Return the schema of the union, and under `name` that of `other`: its member for words that
    are not among `members`, the names of its schemas by word."""
    names = {**members, OTHER: name}
    word = {
        "description": f"Any value except the known ones; TypeScript's types say `{OTHER}`.",
        "type": "string",
        "not": {"enum": list(members)},
    }
    return {
        union["title"]: {
            "title": union["title"],
            "description": union["description"] + _ADDED,
            "oneOf": [{"$ref": _reference(each)} for each in names.values()],
            "discriminator": {
                "propertyName": "type",
                "mapping": {word: _reference(each) for word, each in names.items()},
            },
        },
        name: other
        | {
            "title": name,
            "description": "Added later than this description.",
            "properties": other["properties"] | {"type": word},
        },
    }


def _reference(name: str) -> str:
    return f"#/components/schemas/{name}"
