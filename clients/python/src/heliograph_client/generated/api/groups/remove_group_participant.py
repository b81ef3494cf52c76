from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus


def build_request(
    conversation_id: UUID,
    jid: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/api/v1/groups/{conversation_id}/participants/{jid}".format(
            conversation_id=quote(str(conversation_id), safe=""),
            jid=quote(str(jid), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> None:
    if response.status_code == 204:
        return None

    raise UnexpectedStatus(response.status_code, response.content)
