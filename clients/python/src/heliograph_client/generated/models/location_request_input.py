from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="LocationRequestInput")


@_attrs_define
class LocationRequestInput:
    """A request for somebody's location, with a button that answers with a `location`.

    Attributes:
        body (str): The text.
        type_ (Literal['location_request'] | Unset):  Default: 'location_request'.
    """

    body: str
    type_: Literal["location_request"] | Unset = "location_request"

    def to_dict(self) -> dict[str, Any]:
        body = self.body

        type_ = self.type_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "body": body,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        body = d.pop("body")

        type_ = cast(Literal["location_request"] | Unset, d.pop("type", UNSET))
        if type_ != "location_request" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'location_request', got '{type_}'")

        location_request_input = cls(
            body=body,
            type_=type_,
        )

        return location_request_input
