from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.media_file import MediaFile


def build_request(
    media_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/media/{media_id}".format(
            media_id=quote(str(media_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> MediaFile:
    if response.status_code == 200:
        response_200 = MediaFile.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
