"""The description and generators that tests don't run: what each of them stumbles over.

OpenAPI Generator needs Java, oapi-codegen and kin-openapi need Go. What they make was compiled and
used by hand; `docs/api.md` says with which versions.
"""

from typing import Annotated, Any

import pytest
from pydantic import StringConstraints, TypeAdapter

from api_description import api_description, reachable, walk
from each_case import for_each

DOCUMENT = api_description()
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPERATIONS = [each for item in DOCUMENT["paths"].values() for each in item.values()]
BEFORE = ("", "new", "nullable", "newnullable", "nulled", "api", "model")
BEHIND = (
    "",
    "request",
    "response",
    "params",
    "body",
    "jsonbody",
    "jsonrequestbody",
    "withdefaults",
)
"""What generators put before and behind a name to make another, such as Go's `NewApiKey`."""


def test_no_schema_has_the_name_that_a_generator_makes_of_another() -> None:
    names = {name.lower() for name in SCHEMAS}
    assert len(names) == len(SCHEMAS)
    calls = {operation["operationId"].lower() for operation in OPERATIONS}
    made = {
        f"{before}{name}{behind}": name
        for name in names | calls
        for before in BEFORE
        for behind in BEHIND
        if before or behind
    }
    assert {name: made[name] for name in names if name in made} == {}


def test_an_operation_leads_to_every_schema_that_a_webhook_leads_to() -> None:
    assert reachable(DOCUMENT["webhooks"]) - reachable(DOCUMENT["paths"]) == set()


PATTERNS = {each["pattern"] for _, each in walk(DOCUMENT) if isinstance(each.get("pattern"), str)}


@for_each("pattern", sorted(PATTERNS))
def test_a_pattern_is_one_for_go_and_rust(pattern: str) -> None:
    """Neither looks around; pydantic's are Rust's."""
    TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])


@for_each(
    ("name", "fits"),
    [
        ("a", True),
        ('"', True),
        ('""', False),
        ('"a"', True),
        ('a"', True),
        ('"a', True),
        ('"""', True),
        ("order 7", True),
        (" a", False),
        ("a ", False),
        ("", False),
        ("é", False),
    ],
)
def test_the_pattern_of_an_idempotency_key_fits_what_is_taken(name: str, fits: bool) -> None:
    [key] = {
        choice["pattern"]
        for operation in OPERATIONS
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "Idempotency-Key"
        for _, choice in walk(parameter["schema"])
        if "pattern" in choice
    }
    one = TypeAdapter(Annotated[str, StringConstraints(pattern=key)])
    if fits:
        assert one.validate_python(name) == name
    else:
        with pytest.raises(ValueError, match="pattern"):
            one.validate_python(name)
