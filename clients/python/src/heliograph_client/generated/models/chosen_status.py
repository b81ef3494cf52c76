from typing import Literal

ChosenStatus = Literal["closed", "open", "pending", "snoozed"]

CHOSEN_STATUS_VALUES: set[ChosenStatus] = {
    "closed",
    "open",
    "pending",
    "snoozed",
}


def check_chosen_status(value: str) -> ChosenStatus:
    if value in CHOSEN_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CHOSEN_STATUS_VALUES!r}")
