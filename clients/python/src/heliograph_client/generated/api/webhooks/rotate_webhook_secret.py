from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.created_subscription import CreatedSubscription
from ...models.rotate_secret import RotateSecret
from ...types import UNSET, Unset


def build_request(
    subscription_id: UUID,
    *,
    body: RotateSecret | Unset = UNSET,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/webhooks/subscriptions/{subscription_id}/rotate-secret".format(
            subscription_id=quote(str(subscription_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> CreatedSubscription:
    if response.status_code == 201:
        response_201 = CreatedSubscription.from_dict(response.json())

        return response_201

    raise UnexpectedStatus(response.status_code, response.content)
