from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus


def build_request(
    media_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/api/v1/media/{media_id}".format(
            media_id=quote(str(media_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> None:
    if response.status_code == 204:
        return None

    raise UnexpectedStatus(response.status_code, response.content)
