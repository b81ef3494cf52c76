from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.media_file import MediaFile
from ...types import UNSET, File, Unset


def build_request(
    *,
    body: File,
    file_name: None | str | Unset = UNSET,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    params: dict[str, Any] = {}

    json_file_name: None | str | Unset
    if isinstance(file_name, Unset):
        json_file_name = UNSET
    else:
        json_file_name = file_name
    params["file_name"] = json_file_name

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/media",
        "params": params,
    }
    _kwargs["content"] = body.payload

    headers["Content-Type"] = body.mime_type or "application/octet-stream"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> MediaFile:
    if response.status_code == 201:
        response_201 = MediaFile.from_dict(response.json())

        return response_201

    raise UnexpectedStatus(response.status_code, response.content)
