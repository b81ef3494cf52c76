from typing import Literal

DeviceSort = Literal["created_at", "last_connected_at", "name", "status", "updated_at"]

DEVICE_SORT_VALUES: set[DeviceSort] = {
    "created_at",
    "last_connected_at",
    "name",
    "status",
    "updated_at",
}


def check_device_sort(value: str) -> DeviceSort:
    if value in DEVICE_SORT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DEVICE_SORT_VALUES!r}")
