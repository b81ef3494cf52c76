from typing import Any
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.conversation_list import ConversationList
from ...types import UNSET, Unset


def build_request(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
    assignee_user_id: None | Unset | UUID = UNSET,
    label_id: None | Unset | UUID = UNSET,
    chat_account_id: None | Unset | UUID = UNSET,
    contact_id: None | Unset | UUID = UNSET,
    phone_number: None | str | Unset = UNSET,
    unread: bool | None | Unset = UNSET,
    is_group: bool | None | Unset = UNSET,
    search: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    json_assignee_user_id: None | str | Unset
    if isinstance(assignee_user_id, Unset):
        json_assignee_user_id = UNSET
    elif isinstance(assignee_user_id, UUID):
        json_assignee_user_id = str(assignee_user_id)
    else:
        json_assignee_user_id = assignee_user_id
    params["assignee_user_id"] = json_assignee_user_id

    json_label_id: None | str | Unset
    if isinstance(label_id, Unset):
        json_label_id = UNSET
    elif isinstance(label_id, UUID):
        json_label_id = str(label_id)
    else:
        json_label_id = label_id
    params["label_id"] = json_label_id

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

    json_unread: bool | None | Unset
    if isinstance(unread, Unset):
        json_unread = UNSET
    else:
        json_unread = unread
    params["unread"] = json_unread

    json_is_group: bool | None | Unset
    if isinstance(is_group, Unset):
        json_is_group = UNSET
    else:
        json_is_group = is_group
    params["is_group"] = json_is_group

    json_search: None | str | Unset
    if isinstance(search, Unset):
        json_search = UNSET
    else:
        json_search = search
    params["search"] = json_search

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/conversations",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> ConversationList:
    if response.status_code == 200:
        response_200 = ConversationList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
