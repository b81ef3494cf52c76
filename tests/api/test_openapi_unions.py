"""The description's unions, which later versions may add to, and the names of what is in them."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import ValidationError

from api_description import api_description, check, example_of, walk
from each_case import for_each
from heliograph.core.events.model import EventType

DOCUMENT = api_description()
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPEN = {
    "PostedEvent": "UnknownEvent",
    "LoggedEvent": "LoggedUnknownEvent",
    "TypedContent": "UnknownContent",
}
"""Each with its member for words that are not known yet."""
EVENT_ID = "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40"


def validate(name: str, value: Any) -> None:
    check({"$ref": f"#/components/schemas/{name}"}, value)


def logged(event: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": EVENT_ID, **event}


def unions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every union of schemas with its name, those with null aside."""
    for way, part in walk(DOCUMENT):
        several = part.get("oneOf") or part.get("anyOf") or ()
        if sum("$ref" in member for member in several) > 1:
            yield way[-1], part


def test_a_union_has_a_name_and_a_discriminator_for_each_of_its_members() -> None:
    found = dict(unions())
    assert set(found) == {*OPEN, "ContentInput"}
    for union in found.values():
        members = [member["$ref"] for member in union["oneOf"]]
        assert union["discriminator"]["propertyName"] == "type"
        assert sorted(union["discriminator"]["mapping"].values()) == sorted(members)


def test_the_word_of_a_member_is_a_constant_of_its_schema() -> None:
    for _, union in unions():
        for word, reference in union["discriminator"]["mapping"].items():
            member = SCHEMAS[reference.rpartition("/")[2]]
            assert "type" in member["required"]
            if word != "unknown":
                assert member["properties"]["type"]["const"] == word


@pytest.mark.parametrize("name", OPEN)
def test_what_is_added_later_fits_the_member_for_all_others_alone(name: str) -> None:
    later = logged({"type": "added.later", "timestamp": "2026-01-02T00:00:00Z", "data": {}})
    validate(name, later)
    validate(OPEN[name], later)
    known = [word for word in SCHEMAS[name]["discriminator"]["mapping"] if word != "unknown"]
    for word in known:
        with pytest.raises(ValidationError):
            validate(OPEN[name], later | {"type": word})


@for_each("event_type", EventType)
def test_an_event_is_the_same_in_the_log_and_in_a_batch_and_has_an_id(event_type: str) -> None:
    event = example_of(event_type)
    validate("PostedEvent", event)
    validate("LoggedEvent", logged(event))
    with pytest.raises(ValidationError):
        validate("LoggedEvent", event)
    page = SCHEMAS["EventPage"]["properties"]["events"]["items"]
    body = DOCUMENT["webhooks"]["batch"]["post"]["requestBody"]["content"]["application/json"]
    batch = body["schema"]["properties"]["data"]["properties"]["events"]["items"]
    assert page == batch == {"$ref": "#/components/schemas/LoggedEvent"}


def test_every_type_of_event_is_in_the_unions() -> None:
    for name in ("PostedEvent", "LoggedEvent"):
        assert list(SCHEMAS[name]["discriminator"]["mapping"]) == [*EventType, "unknown"]


def test_an_event_of_the_log_with_the_data_of_another_is_none() -> None:
    wrong = logged(example_of("device.connected")) | {"type": "message.received"}
    with pytest.raises(ValidationError):
        validate("LoggedEvent", wrong)


def test_a_map_that_may_be_null_has_a_name() -> None:
    unnamed = [
        f"{name}.{key}"
        for name, schema in SCHEMAS.items()
        for key, member in schema.get("properties", {}).items()
        if any(part.get("type") == "object" for part in member.get("anyOf", ()))
    ]
    assert not unnamed
