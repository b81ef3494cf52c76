from typing import Any
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.contact_list import ContactList
from ...types import UNSET, Unset


def build_request(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    search: None | str | Unset = UNSET,
    label_id: None | Unset | UUID = UNSET,
    phone_number: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_search: None | str | Unset
    if isinstance(search, Unset):
        json_search = UNSET
    else:
        json_search = search
    params["search"] = json_search

    json_label_id: None | str | Unset
    if isinstance(label_id, Unset):
        json_label_id = UNSET
    elif isinstance(label_id, UUID):
        json_label_id = str(label_id)
    else:
        json_label_id = label_id
    params["label_id"] = json_label_id

    json_phone_number: None | str | Unset
    if isinstance(phone_number, Unset):
        json_phone_number = UNSET
    else:
        json_phone_number = phone_number
    params["phone_number"] = json_phone_number

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/contacts",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> ContactList:
    if response.status_code == 200:
        response_200 = ContactList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
