from typing import Literal

ReplayStatus = Literal["canceled", "delivered", "failed"]

REPLAY_STATUS_VALUES: set[ReplayStatus] = {
    "canceled",
    "delivered",
    "failed",
}


def check_replay_status(value: str) -> ReplayStatus:
    if value in REPLAY_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REPLAY_STATUS_VALUES!r}")
