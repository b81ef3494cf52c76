"""The Device record and its list."""

from enum import StrEnum

from pydantic import BaseModel

from heliograph.core.accounts.serializers import DeviceRecord
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.records import describes

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
}


class DeviceSort(StrEnum):
    """What a list of devices can be sorted by."""

    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    NAME = "name"
    STATUS = "status"
    LAST_CONNECTED_AT = "last_connected_at"


class SortOrder(StrEnum):
    ASC = "asc"
    DESC = "desc"


@describes(DeviceRecord)
class Device(BaseModel):
    pass


class DeviceList(BaseModel):
    """One page of devices; `total` counts what the filter matches."""

    model_config = with_example({"devices": [_DEVICE], "total": 1, "limit": 50, "offset": 0})

    devices: list[Device]
    total: int
    limit: int
    offset: int
