from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.change_device import ChangeDevice
from ...models.device_details import DeviceDetails


def build_request(
    device_id: UUID,
    *,
    body: ChangeDevice,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/devices/{device_id}".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> DeviceDetails:
    if response.status_code == 200:
        response_200 = DeviceDetails.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
