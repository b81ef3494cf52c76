from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.member_list import MemberList
from ...types import UNSET, Unset


def build_request(
    *,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["offset"] = offset

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/members",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> MemberList:
    if response.status_code == 200:
        response_200 = MemberList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
