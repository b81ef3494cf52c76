from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.delivery_list import DeliveryList
from ...types import UNSET, Unset


def build_request(
    subscription_id: UUID,
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/webhooks/subscriptions/{subscription_id}/deliveries".format(
            subscription_id=quote(str(subscription_id), safe=""),
        ),
        "params": params,
    }
    return _kwargs


def parse_response(response: httpx.Response) -> DeliveryList:
    if response.status_code == 200:
        response_200 = DeliveryList.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
