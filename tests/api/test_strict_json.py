"""What request bodies must not hold, refused in FastAPI's shape."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.errors import InvalidInputError, UnsupportedMediaTypeError
from heliograph.faces.api.request_body import (
    MAX_DEPTH,
    MAX_VALUES,
    PIECE,
    check_content_type,
    read_json,
)

NOT_JSON = [
    b"{",
    b"nonsense",
    b'{"a": NaN}',
    b'{"a": [Infinity]}',
    b"-Infinity",
    b"\xff\xfe{}",
    b'{"a": "\xc3"}',
    '{"a": 1}'.encode("utf-16"),
    b"\xef\xbb\xbf{}",
    b'{"a": "\x00"}',
    b"1" * 5000,
    b"[" * 100_000,
    b'{"a":' * 2000 + b"1" + b"}" * 2000,
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b"[" + b"0," * MAX_VALUES + b"0]",
    b"[" + b'{"a":0},' * (MAX_VALUES // 3) + b"0]",
]
UNFIT_VALUES = [
    (rb'{"a": {"b": ["\u0000"]}}', ["body", "a", "b", 0]),
    (rb'{"a": "\ud800"}', ["body", "a"]),
    (rb'{"a": "\udc00\ud800"}', ["body", "a"]),
    (rb'{"a": {"\ud800": 1}}', ["body", "a"]),
    (rb'{"\u0000": 1}', ["body"]),
    (b'{"a": 1e999}', ["body", "a"]),
    (b'{"a": [1, -1e400]}', ["body", "a", 1]),
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
)


@for_each("body", NOT_JSON, ids=lambda body: repr(body[:20]))
async def test_what_is_not_json_is_json_invalid(body: bytes) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await read_json(body)
    [problem] = caught.value.problems
    assert problem.type == "json_invalid"
    assert problem.loc[0] == "body"


@for_each(("body", "loc"), UNFIT_VALUES)
async def test_a_value_that_cannot_be_kept_is_named(body: bytes, loc: list[str | int]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await read_json(body)
    [problem] = caught.value.problems
    assert problem.type == "value_error"
    assert list(problem.loc) == loc


async def test_nesting_up_to_the_limit_passes() -> None:
    await read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)


@given(JSON, st.booleans())
def test_plain_json_passes(value: object, ascii_only: bool) -> None:
    body = json.dumps([value], ensure_ascii=ascii_only).encode()
    assert asyncio.run(read_json(body)) == [value]


async def test_others_have_their_turn_while_a_body_is_checked() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await read_json(b"[" + b"[]," * (MAX_VALUES - 2) + b"0]")
    counting.cancel()
    assert turns >= MAX_VALUES // PIECE


@for_each(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/a+json",
    ],
)
def test_json_content_types_pass(content_type: str) -> None:
    check_content_type([content_type])


@for_each(
    "content_types",
    [
        [],
        [""],
        ["text/plain"],
        ["application/xml"],
        ["multipart/form-data"],
        ["json"],
        ["%"],
        ["application/json", "application/json"],
    ],
)
def test_other_content_types_are_unsupported(content_types: list[str]) -> None:
    with pytest.raises(UnsupportedMediaTypeError):
        check_content_type(content_types)
