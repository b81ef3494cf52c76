from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.pair_device import PairDevice
from ...models.pairing import Pairing
from ...types import UNSET, Unset


def build_request(
    device_id: UUID,
    *,
    body: PairDevice,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/devices/{device_id}/pairing".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Pairing:
    if response.status_code == 202:
        response_202 = Pairing.from_dict(response.json())

        return response_202

    raise UnexpectedStatus(response.status_code, response.content)
