from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.sync_state import SyncState


def build_request(
    job_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/contacts/sync/{job_id}".format(
            job_id=quote(str(job_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> SyncState:
    if response.status_code == 200:
        response_200 = SyncState.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
