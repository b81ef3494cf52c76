from typing import Literal

ListedDeliveryStatus = Literal["canceled", "delivered", "delivering", "failed", "pending"]

LISTED_DELIVERY_STATUS_VALUES: set[ListedDeliveryStatus] = {
    "canceled",
    "delivered",
    "delivering",
    "failed",
    "pending",
}


def check_listed_delivery_status(value: str) -> ListedDeliveryStatus:
    if value in LISTED_DELIVERY_STATUS_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LISTED_DELIVERY_STATUS_VALUES!r}"
    )
