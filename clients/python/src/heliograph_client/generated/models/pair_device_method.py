from typing import Literal

PairDeviceMethod = Literal["code", "qr"]

PAIR_DEVICE_METHOD_VALUES: set[PairDeviceMethod] = {
    "code",
    "qr",
}


def check_pair_device_method(value: str) -> PairDeviceMethod:
    if value in PAIR_DEVICE_METHOD_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PAIR_DEVICE_METHOD_VALUES!r}")
