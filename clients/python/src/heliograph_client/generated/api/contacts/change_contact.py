from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...errors import UnexpectedStatus
from ...models.change_contact import ChangeContact
from ...models.contact import Contact


def build_request(
    contact_id: UUID,
    *,
    body: ChangeContact,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/v1/contacts/{contact_id}".format(
            contact_id=quote(str(contact_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(response: httpx.Response) -> Contact:
    if response.status_code == 200:
        response_200 = Contact.from_dict(response.json())

        return response_200

    raise UnexpectedStatus(response.status_code, response.content)
