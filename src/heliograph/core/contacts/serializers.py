"""Profile pictures as clients see them."""

from typing import Any

from heliograph.core.contacts.model import ContactPicture


def picture_record(
    picture: ContactPicture, *, phone_number: str | None, url: str, cached: bool
) -> dict[str, Any]:
    return {
        "contact_id": picture.contact_id,
        "phone_number": phone_number,
        "url": url,
        "preview": picture.preview,
        "chat_account_id": picture.account_id,
        "picture_id": picture.picture_id,
        "picture_type": "preview" if picture.preview else "image",
        "cached": cached,
    }
