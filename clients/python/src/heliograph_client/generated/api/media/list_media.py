from typing import Any
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.media_list import MediaList
from ...types import UNSET, Unset


def build_request(
    *,
    media_type: None | str | Unset = UNSET,
    origin: None | str | Unset = UNSET,
    chat_account_id: None | Unset | UUID = UNSET,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_media_type: None | str | Unset
    if isinstance(media_type, Unset):
        json_media_type = UNSET
    else:
        json_media_type = media_type
    params["media_type"] = json_media_type

    json_origin: None | str | Unset
    if isinstance(origin, Unset):
        json_origin = UNSET
    else:
        json_origin = origin
    params["origin"] = json_origin

    json_chat_account_id: None | str | Unset
    if isinstance(chat_account_id, Unset):
        json_chat_account_id = UNSET
    elif isinstance(chat_account_id, UUID):
        json_chat_account_id = str(chat_account_id)
    else:
        json_chat_account_id = chat_account_id
    params["chat_account_id"] = json_chat_account_id

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/media",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> MediaList:
    if response.status_code == 200:
        response_200 = MediaList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
