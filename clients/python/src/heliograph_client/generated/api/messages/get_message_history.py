from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.message_history import MessageHistory


def build_request(
    message_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/messages/{message_id}/history".format(
            message_id=quote(str(message_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> MessageHistory:
    if response.status_code == 200:
        response_200 = MessageHistory.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
