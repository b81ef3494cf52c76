from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.ping_sent import PingSent
from ...types import UNSET, Unset


def build_request(
    subscription_id: UUID,
    *,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/webhooks/subscriptions/{subscription_id}/ping".format(
            subscription_id=quote(str(subscription_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> PingSent:
    if response.status_code == 202:
        response_202 = PingSent.from_dict(response.json())

        return response_202

    raise UnexpectedStatus(response.status_code, response.content)
