from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus


def build_request(
    label_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/api/v1/labels/{label_id}".format(
            label_id=quote(str(label_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> None:
    if response.status_code == 204:
        return None

    raise UnexpectedStatus(response.status_code, response.content)
