from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.send_message_input import SendMessageInput
from ...models.send_result import SendResult
from ...types import UNSET, Unset


def build_request(
    *,
    body: SendMessageInput,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/messages",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> SendResult:
    if response.status_code == 200:
        response_200 = SendResult.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
