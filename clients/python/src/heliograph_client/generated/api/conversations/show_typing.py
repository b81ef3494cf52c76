from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.show_typing import ShowTyping
from ...models.typing_shown import TypingShown
from ...types import UNSET, Unset


def build_request(
    conversation_id: UUID,
    *,
    body: ShowTyping | Unset = UNSET,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/conversations/{conversation_id}/typing".format(
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> TypingShown:
    if response.status_code == 200:
        response_200 = TypingShown.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
