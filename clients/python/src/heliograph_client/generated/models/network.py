from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.network_capabilities import NetworkCapabilities
    from ..models.network_form_field import NetworkFormField
    from ..models.network_limits import NetworkLimits


T = TypeVar("T", bound="Network")


@_attrs_define
class Network:
    """A chat network that a device can be connected to.

    Attributes:
        name (str):
        title (str): The name of the network for people.
        capabilities (NetworkCapabilities): The capabilities of a chat network.
        limits (NetworkLimits): The limits of a network.
        form (list[NetworkFormField]):
    """

    name: str
    title: str
    capabilities: NetworkCapabilities
    limits: NetworkLimits
    form: list[NetworkFormField]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        title = self.title

        capabilities = self.capabilities.to_dict()

        limits = self.limits.to_dict()

        form = []
        for form_item_data in self.form:
            form_item = form_item_data.to_dict()
            form.append(form_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "title": title,
                "capabilities": capabilities,
                "limits": limits,
                "form": form,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.network_capabilities import NetworkCapabilities  # noqa: PLC0415
        from ..models.network_form_field import NetworkFormField  # noqa: PLC0415
        from ..models.network_limits import NetworkLimits  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        title = d.pop("title")

        capabilities = NetworkCapabilities.from_dict(d.pop("capabilities"))

        limits = NetworkLimits.from_dict(d.pop("limits"))

        form = []
        _form = d.pop("form")
        for form_item_data in _form:
            form_item = NetworkFormField.from_dict(form_item_data)

            form.append(form_item)

        network = cls(
            name=name,
            title=title,
            capabilities=capabilities,
            limits=limits,
            form=form,
        )

        network.additional_properties = d
        return network

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
