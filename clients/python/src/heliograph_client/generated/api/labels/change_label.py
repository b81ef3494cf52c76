from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.change_label import ChangeLabel
from ...models.label import Label


def build_request(
    label_id: UUID,
    *,
    body: ChangeLabel,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/labels/{label_id}".format(
            label_id=quote(str(label_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Label:
    if response.status_code == 200:
        response_200 = Label.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
