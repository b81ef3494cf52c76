from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.replay_events import ReplayEvents
from ...models.replay_progress import ReplayProgress
from ...types import UNSET, Unset


def build_request(
    subscription_id: UUID,
    *,
    body: ReplayEvents,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/webhooks/subscriptions/{subscription_id}/replay".format(
            subscription_id=quote(str(subscription_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> ReplayProgress:
    if response.status_code == 202:
        response_202 = ReplayProgress.from_dict(response.json())

        return response_202

    raise UnexpectedStatus(response.status_code, response.content)
