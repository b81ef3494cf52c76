from typing import Any
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.event_page import EventPage
from ...types import UNSET, Unset


def build_request(
    *,
    after: None | str | Unset = UNSET,
    types: None | str | Unset = UNSET,
    chat_account_id: None | Unset | UUID = UNSET,
    limit: int | Unset = 50,
    wait: int | Unset = 0,
    last_event_id: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    params: dict[str, Any] = {}

    json_after: None | str | Unset
    if isinstance(after, Unset):
        json_after = UNSET
    else:
        json_after = after
    params["after"] = json_after

    json_types: None | str | Unset
    if isinstance(types, Unset):
        json_types = UNSET
    else:
        json_types = types
    params["types"] = json_types

    json_chat_account_id: None | str | Unset
    if isinstance(chat_account_id, Unset):
        json_chat_account_id = UNSET
    elif isinstance(chat_account_id, UUID):
        json_chat_account_id = str(chat_account_id)
    else:
        json_chat_account_id = chat_account_id
    params["chat_account_id"] = json_chat_account_id

    params["limit"] = limit

    params["wait"] = wait

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/events",
        "params": params,
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> EventPage:
    if response.status_code == 200:
        response_200 = EventPage.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
