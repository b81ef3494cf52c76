"""What only arrives fits its schema too, and is told as a text."""

import pytest

from heliograph.core.messages.serializers import typed_content
from heliograph.faces.api.schemas.typed_content import TypedContent
from heliograph.networks.content import (
    Content,
    Order,
    OrderItem,
    System,
    decode_content,
    encode_content,
    not_understood,
)

ORDER = Order(
    "1",
    "Two, please",
    item_count=2,
    total="25.00",
    currency="BRL",
    items=(OrderItem("sku-1", "Cake", 2, "12.50"),),
)


@pytest.mark.parametrize("content", [ORDER, Order("1"), not_understood("hologram")])
def test_what_only_arrives_fits_its_schema(content: Content) -> None:
    record = typed_content(content)
    assert record is not None

    shown = TypedContent.model_validate(record).model_dump()
    assert {name: shown[name] for name in record} == record
    assert decode_content(encode_content(content)) == content


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (Order("1"), "Order"),
        (Order("1", item_count=1, total="5.00"), "Order: 1 item, 5.00"),
        (ORDER, "Two, please\nOrder: 2 items, BRL 25.00"),
    ],
)
def test_an_order_is_a_text_too(order: Order, said: str) -> None:
    assert order.summary == said


def test_a_kind_of_a_later_release_is_not_understood() -> None:
    content = decode_content('{"type": "hologram", "bear": {"dances": true}}')

    assert isinstance(content, System)
    assert content.kind == "hologram"
    assert "Open it on the phone" in content.body


@pytest.mark.parametrize("broken", ['{"type": "text"}', '{"body": "x"}', "[]"])
def test_what_is_broken_is_not_taken_for_a_later_kind(broken: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode_content(broken)
