"""`typed_content` has the whole of what a message says, in the form that the API describes."""

from typing import get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from heliograph.core.messages.serializers import typed_content
from heliograph.faces.api.schemas.typed_content import TypedContent
from heliograph.networks.content import (
    NOTHING,
    Button,
    Content,
    LinkPreview,
    OrderItem,
    Row,
    Section,
    Text,
    is_on_globe,
    message_type,
)
from heliograph.networks.content.kinds import Unsearched
from heliograph.untrusted import Untrusted

KINDS = get_args(Content)
contents = st.one_of([st.from_type(kind) for kind in KINDS])


@given(contents)
@example(Text("", preview=LinkPreview("", "", "")))
def test_each_kind_is_as_described_and_has_nothing_beyond(content: Content) -> None:
    shown = typed_content(content)
    if shown is None:
        assert content == NOTHING
        return
    assert shown["type"] == message_type(content)
    read = TypedContent.model_validate(shown, strict=True, extra="forbid")
    assert read.model_dump(exclude_unset=True) == shown


def test_each_kind_is_described() -> None:
    mapping = TypedContent.model_json_schema()["discriminator"]["mapping"]
    assert sorted(mapping) == sorted(kind.__struct_config__.tag for kind in KINDS)


@pytest.mark.parametrize("struct", [*KINDS, Button, LinkPreview, OrderItem, Row, Section])
def test_every_text_that_a_stranger_may_have_written_is_marked(
    struct: type[msgspec.Struct],
) -> None:
    marked = f"Annotated[str, {Untrusted}"
    hints = {field.name: repr(field.type) for field in msgspec.structs.fields(struct)}
    assert [name for name in hints if "str" in hints[name].replace(marked, "")] == []


def test_members_of_one_name_are_all_searched_or_none() -> None:
    structs: list[type[msgspec.Struct]] = [*KINDS, Button, LinkPreview, OrderItem, Row, Section]
    fields = [field for struct in structs for field in msgspec.structs.fields(struct)]
    marked = {field.name for field in fields if Unsearched in get_args(field.type)}
    assert marked == {"id", "media_id", "media_type", "url", "vcard", "phones"}
    assert not marked & {field.name for field in fields if Unsearched not in get_args(field.type)}


def test_of_what_was_not_kept_there_is_nothing() -> None:
    assert typed_content(Text("")) is None


@given(st.floats(), st.floats())
def test_a_place_is_on_the_globe(latitude: float, longitude: float) -> None:
    there = is_on_globe(latitude, longitude)
    assert there is (-90 <= latitude <= 90 and -180 <= longitude <= 180)
