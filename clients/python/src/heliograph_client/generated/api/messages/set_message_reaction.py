from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.change_result import ChangeResult
from ...models.reaction_input import ReactionInput


def build_request(
    message_id: UUID,
    *,
    body: ReactionInput,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/api/v1/messages/{message_id}/reaction".format(
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
