from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.message import Message
from ...types import UNSET, Unset


def build_request(
    message_id: UUID,
    *,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/messages/{message_id}/cancel".format(
            message_id=quote(str(message_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Message:
    if response.status_code == 200:
        response_200 = Message.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
