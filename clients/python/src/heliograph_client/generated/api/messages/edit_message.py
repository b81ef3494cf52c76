from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.change_result import ChangeResult
from ...models.edit_message_input import EditMessageInput


def build_request(
    message_id: UUID,
    *,
    body: EditMessageInput,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/messages/{message_id}".format(
            message_id=quote(str(message_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> ChangeResult:
    if response.status_code == 202:
        response_202 = ChangeResult.from_dict(response.json())

        return response_202

    raise UnexpectedStatus(response.status_code, response.content)
