"""Whatever strangers wrote, in any kind of message, can be stored, and its record can be read."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from core_scene import ADA, AT, arrival
from heliograph.core.ingest.storable import storable
from heliograph.core.messages.search.words import texts_of
from heliograph.core.messages.serializers import typed_content
from heliograph.networks.choices import as_text
from heliograph.networks.content import (
    ButtonReply,
    Content,
    ListReply,
    Order,
    OrderItem,
    PollVote,
    Referral,
    System,
    Text,
    encode_content,
)
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.testing.contents import EXAMPLES
from heliograph.platform.characters import has_controls

ARRIVING: list[Content] = [
    *(content for content, _ in EXAMPLES.values()),
    ButtonReply("a", "b"),
    ListReply("a", "b", "c"),
    PollVote(("a",)),
    Order("1", "a", "b", 1, "2", "BRL", (OrderItem("1", "a"),)),
    System("a", "b"),
]


def said(content: Content, text: str) -> Content:
    """The same content with another text wherever it has one."""

    def written(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: written(each, key) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [written(each) for each in value]
        return text if isinstance(value, str) and name not in ("type", "media_id") else value

    changed: Content = msgspec.convert(written(msgspec.to_builtins(content)), Content)
    return changed


@pytest.mark.parametrize("content", ARRIVING, ids=lambda content: type(content).__name__)
@given(text=st.one_of(st.text(st.characters()), st.sampled_from(["\0", "\ud800", "a\0\udfffb"])))
def test_every_kind_that_arrives_can_be_stored_and_read(content: Content, text: str) -> None:
    event = replace(
        arrival("A1", sender_name=text, group_subject=text, referral=Referral(headline=text)),
        content=said(content, text),
    )
    kept = storable(event)
    assert isinstance(kept, Inbound)
    stored = encode_content(kept.content)
    shown = msgspec.json.encode([typed_content(kept.content), kept.content.summary, kept.referral])
    for written in (stored, shown.decode(), as_text(kept.content), texts_of(stored)):
        written.encode()
        assert "\0" not in written
    for written in (stored, shown.decode()):  # as JSON escapes it, and not as somebody writes it
        assert "\\u0000" not in written.replace("\\\\", "")
    assert kept.sender_name is None or not has_controls(kept.sender_name)


def test_what_a_change_may_be_told_as_can_be_stored() -> None:
    told = replace(arrival("C1", text="a\0b"), sender_name="Ada\0")
    change = storable(Changed("edited", ADA, ADA, "C1", "A1", ADA, AT, Text("c"), otherwise=told))
    assert isinstance(change, Changed)
    assert change.otherwise == storable(told) != told
