"""The description's words for people: what each part is, and examples that fit their schemas."""

from collections.abc import Iterator
from typing import Any

from api_description import api_description, check
from each_case import for_each

DOCUMENT = api_description()
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    operation["operationId"]: operation
    for item in (*DOCUMENT["paths"].values(), *DOCUMENT["webhooks"].values())
    for operation in item.values()
}
NO_TEXT = {"application/octet-stream", "image/png"}
"""Bytes, of which a document in JSON can show none."""


def examples_of(media_types: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Schemas and what is shown of them."""
    for media_type, content in media_types.items():
        shown = [example["value"] for example in content.get("examples", {}).values()]
        if "example" in content:
            shown.append(content["example"])
        assert bool(shown) != (media_type in NO_TEXT), media_type
        for example in shown:
            yield content["schema"], example


@for_each("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_what_is_sent_and_answered_has_examples_that_fit(operation: dict[str, Any]) -> None:
    sent = operation.get("requestBody", {}).get("content", {})
    answered = [answer.get("content", {}) for answer in operation["responses"].values()]
    for media_types in (sent, *answered):
        for schema, example in examples_of(media_types):
            check(schema, example)


@for_each("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_the_example_of_an_answer_has_no_member_that_is_not_described(
    operation: dict[str, Any],
) -> None:
    success = next(answer for status, answer in operation["responses"].items() if status < "3")
    for schema, example in examples_of(success.get("content", {})):
        if isinstance(example, dict):
            assert not set(example) - set(SCHEMAS[schema["$ref"].rpartition("/")[2]]["properties"])


@for_each("name", SCHEMAS)
def test_the_examples_of_a_schema_fit_it(name: str) -> None:
    for example in SCHEMAS[name].get("examples", ()):
        check({"$ref": f"#/components/schemas/{name}"}, example)


def test_an_example_of_a_parameter_fits_it() -> None:
    for operation in OPERATIONS.values():
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                check(parameter["schema"], parameter["example"])


@for_each("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_says_what_it_does(operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"].endswith(".")
    for parameter in operation.get("parameters", ()):
        assert parameter.get("description"), parameter["name"]


OF_FASTAPI = {"HTTPValidationError", "ValidationError"}


def test_a_schema_says_what_it_is_of() -> None:
    assert {name for name, schema in SCHEMAS.items() if not schema.get("description")} == OF_FASTAPI


def test_a_member_has_no_title_which_is_its_name_again() -> None:
    titled = [
        f"{name}.{key}"
        for name, schema in SCHEMAS.items()
        for key, member in schema.get("properties", {}).items()
        if "title" in member and name not in OF_FASTAPI
    ]
    assert not titled
    assert not [
        parameter["name"]
        for operation in OPERATIONS.values()
        for parameter in operation.get("parameters", ())
        if "title" in parameter.get("schema", {})
    ]
