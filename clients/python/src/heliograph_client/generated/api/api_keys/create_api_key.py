from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.create_api_key import CreateApiKey
from ...models.created_api_key import CreatedApiKey
from ...types import UNSET, Unset


def build_request(
    *,
    body: CreateApiKey,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/api-keys",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> CreatedApiKey:
    if response.status_code == 201:
        response_201 = CreatedApiKey.from_dict(response.json())

        return response_201

    raise UnexpectedStatus(response.status_code, response.content)
