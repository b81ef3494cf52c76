import datetime
from typing import Any
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.message_list import MessageList
from ...types import UNSET, Unset


def build_request(
    *,
    conversation_id: None | Unset | UUID = UNSET,
    chat_account_id: None | Unset | UUID = UNSET,
    contact_id: None | Unset | UUID = UNSET,
    phone_number: None | str | Unset = UNSET,
    direction: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
    message_type: None | str | Unset = UNSET,
    batch_id: None | Unset | UUID = UNSET,
    chat_message_id: None | str | Unset = UNSET,
    run_id: None | str | Unset = UNSET,
    since: datetime.datetime | None | Unset = UNSET,
    until: datetime.datetime | None | Unset = UNSET,
    search: None | str | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_conversation_id: None | str | Unset
    if isinstance(conversation_id, Unset):
        json_conversation_id = UNSET
    elif isinstance(conversation_id, UUID):
        json_conversation_id = str(conversation_id)
    else:
        json_conversation_id = conversation_id
    params["conversation_id"] = json_conversation_id

    json_chat_account_id: None | str | Unset
    if isinstance(chat_account_id, Unset):
        json_chat_account_id = UNSET
    elif isinstance(chat_account_id, UUID):
        json_chat_account_id = str(chat_account_id)
    else:
        json_chat_account_id = chat_account_id
    params["chat_account_id"] = json_chat_account_id

    json_contact_id: None | str | Unset
    if isinstance(contact_id, Unset):
        json_contact_id = UNSET
    elif isinstance(contact_id, UUID):
        json_contact_id = str(contact_id)
    else:
        json_contact_id = contact_id
    params["contact_id"] = json_contact_id

    json_phone_number: None | str | Unset
    if isinstance(phone_number, Unset):
        json_phone_number = UNSET
    else:
        json_phone_number = phone_number
    params["phone_number"] = json_phone_number

    json_direction: None | str | Unset
    if isinstance(direction, Unset):
        json_direction = UNSET
    else:
        json_direction = direction
    params["direction"] = json_direction

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    json_message_type: None | str | Unset
    if isinstance(message_type, Unset):
        json_message_type = UNSET
    else:
        json_message_type = message_type
    params["message_type"] = json_message_type

    json_batch_id: None | str | Unset
    if isinstance(batch_id, Unset):
        json_batch_id = UNSET
    elif isinstance(batch_id, UUID):
        json_batch_id = str(batch_id)
    else:
        json_batch_id = batch_id
    params["batch_id"] = json_batch_id

    json_chat_message_id: None | str | Unset
    if isinstance(chat_message_id, Unset):
        json_chat_message_id = UNSET
    else:
        json_chat_message_id = chat_message_id
    params["chat_message_id"] = json_chat_message_id

    json_run_id: None | str | Unset
    if isinstance(run_id, Unset):
        json_run_id = UNSET
    else:
        json_run_id = run_id
    params["run_id"] = json_run_id

    json_since: None | str | Unset
    if isinstance(since, Unset):
        json_since = UNSET
    elif isinstance(since, datetime.datetime):
        json_since = since.isoformat()
    else:
        json_since = since
    params["since"] = json_since

    json_until: None | str | Unset
    if isinstance(until, Unset):
        json_until = UNSET
    elif isinstance(until, datetime.datetime):
        json_until = until.isoformat()
    else:
        json_until = until
    params["until"] = json_until

    json_search: None | str | Unset
    if isinstance(search, Unset):
        json_search = UNSET
    else:
        json_search = search
    params["search"] = json_search

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
        "url": "/api/v1/messages",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> MessageList:
    if response.status_code == 200:
        response_200 = MessageList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
