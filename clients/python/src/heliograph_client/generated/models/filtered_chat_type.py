from typing import Literal

FilteredChatType = Literal["group", "individual"]

FILTERED_CHAT_TYPE_VALUES: set[FilteredChatType] = {
    "group",
    "individual",
}


def check_filtered_chat_type(value: str) -> FilteredChatType:
    if value in FILTERED_CHAT_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {FILTERED_CHAT_TYPE_VALUES!r}")
