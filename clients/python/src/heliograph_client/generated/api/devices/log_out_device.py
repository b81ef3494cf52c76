from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.device import Device
from ...types import UNSET, Unset


def build_request(
    device_id: UUID,
    *,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/devices/{device_id}/log-out".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Device:
    if response.status_code == 200:
        response_200 = Device.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
