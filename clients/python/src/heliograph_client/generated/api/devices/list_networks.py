from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.network_list import NetworkList


def build_request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/networks",
    }
    return _kwargs


def parse_response(response: httpx.Response) -> NetworkList:
    if response.status_code == 200:
        response_200 = NetworkList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
