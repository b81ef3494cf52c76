from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.group_invite_link import GroupInviteLink


def build_request(
    conversation_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/groups/{conversation_id}/invite-link".format(
            conversation_id=quote(str(conversation_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(response: httpx.Response) -> GroupInviteLink:
    if response.status_code == 200:
        response_200 = GroupInviteLink.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
