from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.delivery import Delivery
from ...types import UNSET, Unset


def build_request(
    delivery_id: UUID,
    *,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/webhooks/deliveries/{delivery_id}/redeliver".format(
            delivery_id=quote(str(delivery_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Delivery:
    if response.status_code == 202:
        response_202 = Delivery.from_dict(response.json())

        return response_202

    raise UnexpectedStatus(response.status_code, response.content)
