from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.add_participants import AddParticipants
from ...models.added_participants import AddedParticipants
from ...types import UNSET, Unset


def build_request(
    conversation_id: UUID,
    *,
    body: AddParticipants,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/groups/{conversation_id}/participants".format(
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> AddedParticipants:
    if response.status_code == 200:
        response_200 = AddedParticipants.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
