from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.note import Note
from ...models.write_note import WriteNote
from ...types import UNSET, Unset


def build_request(
    conversation_id: UUID,
    *,
    body: WriteNote,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/conversations/{conversation_id}/notes".format(
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Note:
    if response.status_code == 201:
        response_201 = Note.from_dict(response.json())

        return response_201

    raise UnexpectedStatus(response.status_code, response.content)
