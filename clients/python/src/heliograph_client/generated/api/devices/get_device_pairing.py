from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.pairing import Pairing
from ...types import UNSET, Unset


def build_request(
    device_id: UUID,
    *,
    accept: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(accept, Unset):
        headers["accept"] = accept

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/devices/{device_id}/pairing".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Pairing:
    if response.status_code == 200:
        response_200 = Pairing.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
