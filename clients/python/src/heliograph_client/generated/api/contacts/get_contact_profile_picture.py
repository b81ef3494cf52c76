from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.profile_picture import ProfilePicture
from ...types import UNSET, Unset


def build_request(
    contact_id: UUID,
    *,
    chat_account_id: None | Unset | UUID = UNSET,
    preview: bool | Unset = False,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_chat_account_id: None | str | Unset
    if isinstance(chat_account_id, Unset):
        json_chat_account_id = UNSET
    elif isinstance(chat_account_id, UUID):
        json_chat_account_id = str(chat_account_id)
    else:
        json_chat_account_id = chat_account_id
    params["chat_account_id"] = json_chat_account_id

    params["preview"] = preview

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/contacts/{contact_id}/profile-picture".format(
            contact_id=quote(str(contact_id), safe=""),
        ),
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> ProfilePicture:
    if response.status_code == 200:
        response_200 = ProfilePicture.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
