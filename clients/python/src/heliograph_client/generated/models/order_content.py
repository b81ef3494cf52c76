from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.ordered_item import OrderedItem


T = TypeVar("T", bound="OrderContent")


@_attrs_define
class OrderContent:
    """A customer's order.

    Attributes:
        type_ (Literal['order']):
        order_id (str):
        items (list[OrderedItem]): Empty if the network gives only the number of items.
        text (None | str | Unset): The customer's note.
        title (None | str | Unset):
        item_count (int | None | Unset):
        total (None | str | Unset): A decimal number, such as `25.00`.
        currency (None | str | Unset): The currency of all prices (ISO 4217).
    """

    type_: Literal["order"]
    order_id: str
    items: list[OrderedItem]
    text: None | str | Unset = UNSET
    title: None | str | Unset = UNSET
    item_count: int | None | Unset = UNSET
    total: None | str | Unset = UNSET
    currency: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        order_id = self.order_id

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        title: None | str | Unset
        if isinstance(self.title, Unset):
            title = UNSET
        else:
            title = self.title

        item_count: int | None | Unset
        if isinstance(self.item_count, Unset):
            item_count = UNSET
        else:
            item_count = self.item_count

        total: None | str | Unset
        if isinstance(self.total, Unset):
            total = UNSET
        else:
            total = self.total

        currency: None | str | Unset
        if isinstance(self.currency, Unset):
            currency = UNSET
        else:
            currency = self.currency

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "order_id": order_id,
                "items": items,
            }
        )
        if text is not UNSET:
            field_dict["text"] = text
        if title is not UNSET:
            field_dict["title"] = title
        if item_count is not UNSET:
            field_dict["item_count"] = item_count
        if total is not UNSET:
            field_dict["total"] = total
        if currency is not UNSET:
            field_dict["currency"] = currency

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ordered_item import OrderedItem  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["order"], d.pop("type"))
        if type_ != "order":
            raise ValueError(f"type must match const 'order', got '{type_}'")

        order_id = d.pop("order_id")

        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = OrderedItem.from_dict(items_item_data)

            items.append(items_item)

        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))

        def _parse_title(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        title = _parse_title(d.pop("title", UNSET))

        def _parse_item_count(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        item_count = _parse_item_count(d.pop("item_count", UNSET))

        def _parse_total(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        total = _parse_total(d.pop("total", UNSET))

        def _parse_currency(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        currency = _parse_currency(d.pop("currency", UNSET))

        order_content = cls(
            type_=type_,
            order_id=order_id,
            items=items,
            text=text,
            title=title,
            item_count=item_count,
            total=total,
            currency=currency,
        )

        order_content.additional_properties = d
        return order_content

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
