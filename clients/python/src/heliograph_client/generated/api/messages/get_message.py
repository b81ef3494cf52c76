from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.message import Message


def build_request(
    message_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/messages/{message_id}".format(
            message_id=quote(str(message_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> Message:
    if response.status_code == 200:
        response_200 = Message.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
