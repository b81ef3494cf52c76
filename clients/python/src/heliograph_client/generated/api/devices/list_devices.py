from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.device_list import DeviceList
from ...models.device_sort import DeviceSort
from ...models.sort_order import SortOrder
from ...types import UNSET, Unset


def build_request(
    *,
    limit: int | Unset = 50,
    offset: int | Unset = 0,
    status: None | str | Unset = UNSET,
    search: None | str | Unset = UNSET,
    sort_by: DeviceSort | Unset = UNSET,
    sort_order: SortOrder | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["offset"] = offset

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    json_search: None | str | Unset
    if isinstance(search, Unset):
        json_search = UNSET
    else:
        json_search = search
    params["search"] = json_search

    json_sort_by: str | Unset = UNSET
    if not isinstance(sort_by, Unset):
        json_sort_by = sort_by

    params["sort_by"] = json_sort_by

    json_sort_order: str | Unset = UNSET
    if not isinstance(sort_order, Unset):
        json_sort_order = sort_order

    params["sort_order"] = json_sort_order

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/devices",
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> DeviceList:
    if response.status_code == 200:
        response_200 = DeviceList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
