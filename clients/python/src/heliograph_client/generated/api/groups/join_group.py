from typing import Any

import httpx

from ...errors import UnexpectedStatus
from ...models.join_group import JoinGroup
from ...models.joined_group import JoinedGroup
from ...types import UNSET, Unset


def build_request(
    *,
    body: JoinGroup,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/groups/join",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> JoinedGroup:
    if response.status_code == 200:
        response_200 = JoinedGroup.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
