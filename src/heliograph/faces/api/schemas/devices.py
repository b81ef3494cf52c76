"""Devices: the records, their list, and the bodies that connect, change and pair one."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StrictBool, StrictInt, StringConstraints

from heliograph.core.accounts import model
from heliograph.core.accounts.devices import MAX_SEND_RATE, DeviceUpdate
from heliograph.core.accounts.form import MAX_NAME_LENGTH, MAX_SETTING_LENGTH
from heliograph.core.accounts.pairing import PairingRecord
from heliograph.core.accounts.serializers import DeviceDetailsRecord, DeviceRecord
from heliograph.core.accounts.service import DevicePage
from heliograph.faces.api.schemas.fields import NO_NUL, StrictBody, with_example
from heliograph.faces.api.schemas.records import describe_part, describes
from heliograph.platform.json_numbers import AS_INTEGER

_DEVICE = {
    "id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
    "name": "Front desk",
    "session_name": "main",
    "status": "connected",
    "is_primary": True,
    "message_logging_enabled": True,
    "auto_warmer_enabled": False,
    "total_messages_sent": 2,
    "total_messages_received": 1,
    "contacts_synced_count": 12,
    "created_at": "2025-12-06T09:00:00.000000Z",
    "updated_at": "2025-12-06T09:00:10.000000Z",
    "phone_number": "+5511988887777",
    "last_connected_at": "2025-12-06T09:00:10.000000Z",
    "network": "whatsapp",
    "restriction": {
        "kind": "new_conversations",
        "until": "2025-12-07T09:00:00.000000Z",
        "reason": "WhatsApp does not let the account write to people it has not talked with.",
    },
}
_DETAILS = _DEVICE | {
    "queued_messages": 3,
    "held_messages": 2,
    "disconnected_since": None,
    "send_rate": 30,
    "settings": {},
}
_NEW = _DEVICE | {
    "status": "pairing",
    "phone_number": None,
    "last_connected_at": None,
    "restriction": None,
}
_MAX_SETTINGS = 100
_LEFT_OUT: Any = None
"""Stands for a member that was not sent; nobody reads it."""


class DeviceSort(StrEnum):
    """The fields by which devices can be sorted."""

    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    NAME = "name"
    STATUS = "status"
    LAST_CONNECTED_AT = "last_connected_at"


class SortOrder(StrEnum):
    """The order: ascending or descending."""

    ASC = "asc"
    DESC = "desc"


describe_part(model.Restriction, "DeviceRestriction")


@describes(DeviceRecord)
class Device(BaseModel):
    model_config = with_example(_DEVICE)


@describes(DeviceDetailsRecord)
class DeviceDetails(Device):
    model_config = with_example(_DETAILS)


@describes(DevicePage)
class DeviceList(BaseModel):
    model_config = with_example({"devices": [_DETAILS], "total": 1, "limit": 50, "offset": 0})


Setting = Annotated[str, StringConstraints(max_length=MAX_SETTING_LENGTH)]
Settings = Annotated[
    dict[str, Setting],
    Field(
        max_length=_MAX_SETTINGS,
        description="Values of the network's form, by the field's name, all as strings. Secret "
        "values are encrypted, and never shown again.",
    ),
]
DeviceName = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH, pattern=r"\S")
]


class CreateDevice(StrictBody):
    """A device to connect."""

    model_config = with_example(
        {
            "network": "sandbox",
            "name": "Front desk",
            "session_name": "front-desk",
            "settings": {"contacts": "12"},
        }
    ) | {"extra": "forbid"}

    network: str = Field(
        min_length=1, max_length=100, description="The network's name.", json_schema_extra=NO_NUL
    )
    name: DeviceName = Field(description="The name that people see.")
    session_name: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="Its name in requests, unique in the organization; default: made from `name`.",
    )
    settings: Settings = Field(default_factory=dict)


class ChangeDevice(StrictBody):
    """The fields of a device to change; those left out stay."""

    model_config = with_example({"name": "Front desk", "send_rate": 20}) | {"extra": "forbid"}

    name: DeviceName = Field(default=_LEFT_OUT, description="The name that people see.")
    is_primary: StrictBool = Field(
        default=_LEFT_OUT, description="True makes it the one used when a request names none."
    )
    message_logging_enabled: StrictBool = Field(
        default=_LEFT_OUT, description="Whether the contents of its messages are kept."
    )
    auto_warmer_enabled: StrictBool = Field(
        default=_LEFT_OUT, description="Whether its daily limit grows over its first days."
    )
    send_rate: Annotated[StrictInt | None, Field(ge=1, le=MAX_SEND_RATE), AS_INTEGER] = Field(
        default=None, description="Maximum messages a minute; null is no limit."
    )
    settings: Settings = Field(default=_LEFT_OUT)

    def update_of_device(self) -> DeviceUpdate:
        return DeviceUpdate(**{name: getattr(self, name) for name in self.model_fields_set})


class PairDevice(StrictBody):
    """The method of pairing a device."""

    model_config = with_example({"method": "code", "phone_number": "+5511988887777"}) | {
        "extra": "forbid"
    }

    method: Literal["qr", "code"] = Field(
        description="`qr`: scan a QR code. `code`: type a code on the phone."
    )
    phone_number: str | None = Field(
        default=None,
        min_length=5,
        max_length=50,
        description="The number of the phone on which the code is typed; default: the one given "
        "before.",
    )


@describes(PairingRecord)
class Pairing(BaseModel):
    model_config = with_example(
        {
            "chat_account_id": _DEVICE["id"],
            "status": "pairing",
            "kind": "qr",
            "payload": "2@k3Zp…",
            "expires_at": "2025-12-06T09:00:20.000000Z",
            "reason": None,
        }
    )
