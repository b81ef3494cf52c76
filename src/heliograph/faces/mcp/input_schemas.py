"""A tool's input in the subset of JSON Schema that every model's client accepts.

Some clients refuse all tools because of a single keyword that they don't know. Gemini's takes the
keywords of an OpenAPI schema: no `additionalProperties`, `$ref`, `const` or `oneOf`, no `format` of
a string but `date-time`, an `anyOf` only by itself, an object only with properties. OpenAI's strict
mode takes no `default`, no length of a string, and no pattern that looks ahead. The description
says what the schema leaves out, and the tool's input itself decides what may be sent.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = ("type", "enum", "minimum", "maximum", "minItems", "maxItems", "required")
_FORMATS = {"uuid": "A UUID.", "uri": "A URL."}


def describe_input(model: type[BaseModel]) -> Schema:
    """Return the schema of a tool's input."""
    schema = model.model_json_schema()
    described = _Reader(schema.get("$defs", {})).read(schema)
    described.pop("description", None)  # the tool has its own
    return described


def without_nulls(value: Any) -> Any:
    """Return the value without the members that are null.

    In OpenAI's strict mode each member is required, and null where a model has nothing to say.
    """
    if isinstance(value, dict):
        given = {name: member for name, member in value.items() if member is not None}
        return {name: without_nulls(member) for name, member in given.items()}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


class _Reader:
    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions

    def read(self, schema: Schema) -> Schema:
        schema = self._resolve(schema)
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return {"anyOf": _put_together(self.read(choice) for choice in choices)}
        if "const" in schema:
            schema = schema | {"enum": [schema["const"]]}
        read = {name: schema[name] for name in _KEPT if name in schema}
        if schema.get("format") == "date-time":
            read["format"] = "date-time"
        if description := " ".join(_sentences(schema)):
            read["description"] = description
        if schema.get("type") == "object":
            members = schema.get("properties") or _example(schema)
            read["properties"] = {name: self.read(member) for name, member in members.items()}
        if "items" in schema:
            read["items"] = self.read(schema["items"])
        return read

    def _resolve(self, schema: Schema) -> Schema:
        """Insert what the schema refers to, and the only choice besides null: whatever need not be
        given may always be null."""
        while True:
            if "$ref" in schema:
                found = self._definitions[schema["$ref"].rpartition("/")[2]]
            else:
                choices = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
                if len(choices) != 1:
                    return schema
                found = choices[0]
            schema = found | {
                name: value for name, value in schema.items() if name not in ("$ref", "anyOf")
            }


def _put_together(choices: Iterable[Schema]) -> list[Schema]:
    """Merge the choices that differ only in the word that names them: pictures, videos."""
    found: dict[str, Schema] = {}
    for choice in choices:
        members = {**choice.get("properties", {})}
        tag = members.pop("type", {"enum": []})
        alike = json.dumps([members, choice.get("required")])
        if alike in found and tag["enum"]:
            found[alike]["properties"]["type"]["enum"] += tag["enum"]
            found[alike]["description"] += f" {choice['description']}"
        else:
            found[alike] = choice
    return list(found.values())


def _sentences(schema: Schema) -> Iterator[str]:
    if description := schema.get("description"):
        yield description.rstrip(".") + "."
    if (form := schema.get("format")) in _FORMATS and "enum" not in schema:
        yield _FORMATS[form]
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if most is not None and least > 1:
        yield f"{least} to {most} characters."
    elif most is not None:
        yield f"At most {most} characters."
    if (default := schema.get("default")) not in (None, "", []):
        yield f"Default: {default if isinstance(default, str) else json.dumps(default)}."


def _example(schema: Schema) -> Schema:
    """Return a member for an object whose members may have any name."""
    members = schema.get("additionalProperties")
    if not isinstance(members, dict):
        return {}
    return {"example": members | {"description": "In place of `example`, any name."}}
