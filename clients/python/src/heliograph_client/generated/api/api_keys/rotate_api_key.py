from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.created_api_key import CreatedApiKey
from ...models.rotate_api_key import RotateApiKey
from ...types import UNSET, Unset


def build_request(
    key_id: UUID,
    *,
    body: RotateApiKey | Unset = UNSET,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/api-keys/{key_id}/rotate".format(
            key_id=quote(str(key_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> CreatedApiKey:
    if response.status_code == 200:
        response_200 = CreatedApiKey.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
