from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="NetworkFormField")


@_attrs_define
class NetworkFormField:
    """One field of the form that connects a device; its value is a string, whatever its kind.

    Attributes:
        name (str): The member of `settings`.
        label (str):
        kind (str): `text`, `password`, `number`, `integer`, `boolean` or `phone_number`. A number is written as one, an
            integer without a point, a boolean as `true` or `false`, a phone number as people write it; it is kept as `+`
            and digits.
        required (bool):
        secret (bool): Whether the value is encrypted, and never shown again.
        help_ (str):
        default (None | str | Unset):
        minimum (float | None | Unset): The least number; null is no bound.
        maximum (float | None | Unset): The largest number; null is no bound.
    """

    name: str
    label: str
    kind: str
    required: bool
    secret: bool
    help_: str
    default: None | str | Unset = UNSET
    minimum: float | None | Unset = UNSET
    maximum: float | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        label = self.label

        kind = self.kind

        required = self.required

        secret = self.secret

        help_ = self.help_

        default: None | str | Unset
        if isinstance(self.default, Unset):
            default = UNSET
        else:
            default = self.default

        minimum: float | None | Unset
        if isinstance(self.minimum, Unset):
            minimum = UNSET
        else:
            minimum = self.minimum

        maximum: float | None | Unset
        if isinstance(self.maximum, Unset):
            maximum = UNSET
        else:
            maximum = self.maximum

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "label": label,
                "kind": kind,
                "required": required,
                "secret": secret,
                "help": help_,
            }
        )
        if default is not UNSET:
            field_dict["default"] = default
        if minimum is not UNSET:
            field_dict["minimum"] = minimum
        if maximum is not UNSET:
            field_dict["maximum"] = maximum

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        label = d.pop("label")

        kind = d.pop("kind")

        required = d.pop("required")

        secret = d.pop("secret")

        help_ = d.pop("help")

        def _parse_default(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        default = _parse_default(d.pop("default", UNSET))

        def _parse_minimum(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        minimum = _parse_minimum(d.pop("minimum", UNSET))

        def _parse_maximum(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        maximum = _parse_maximum(d.pop("maximum", UNSET))

        network_form_field = cls(
            name=name,
            label=label,
            kind=kind,
            required=required,
            secret=secret,
            help_=help_,
            default=default,
            minimum=minimum,
            maximum=maximum,
        )

        network_form_field.additional_properties = d
        return network_form_field

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
