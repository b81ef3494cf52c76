from typing import Literal

SortOrder = Literal["asc", "desc"]

SORT_ORDER_VALUES: set[SortOrder] = {
    "asc",
    "desc",
}


def check_sort_order(value: str) -> SortOrder:
    if value in SORT_ORDER_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SORT_ORDER_VALUES!r}")
