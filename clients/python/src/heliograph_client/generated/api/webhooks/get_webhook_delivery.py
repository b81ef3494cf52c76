from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.delivery_details import DeliveryDetails


def build_request(
    delivery_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/webhooks/deliveries/{delivery_id}".format(
            delivery_id=quote(str(delivery_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> DeliveryDetails:
    if response.status_code == 200:
        response_200 = DeliveryDetails.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
