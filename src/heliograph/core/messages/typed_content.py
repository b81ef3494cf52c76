"""What a message says, as clients see it: an object for each kind, told apart by `type`."""

from typing import Any

from heliograph.networks.content import (
    NOTHING,
    Button,
    ButtonReply,
    Buttons,
    ContactCard,
    Content,
    ListReply,
    Location,
    Text,
    message_type,
)


def typed_content(content: Content) -> dict[str, Any] | None:
    """JSON-ready; None where nothing of it was kept."""
    if content == NOTHING:
        return None
    return {"type": message_type(content), **_members(content)}


def _members(content: Content) -> dict[str, Any]:
    match content:
        case Text(body):
            return {"body": body}
        case Buttons(body, buttons, footer):
            return {"body": body, "buttons": [_choice(each) for each in buttons], "footer": footer}
        case ButtonReply(button):
            return _choice(button)
        case ListReply(row, description):
            return {**_choice(row), "description": description}
        case Location(latitude, longitude, name, address):
            place = {"latitude": latitude, "longitude": longitude}
            return {**place, "name": name or None, "address": address or None}
        case ContactCard(name, vcard):
            return {"name": name, "vcard": vcard}
        case media:
            return {
                "media_type": media.media_type,
                "caption": media.caption or None,
                "file_name": media.file_name,
                "size": media.size,
            }


def _choice(button: Button) -> dict[str, Any]:
    return {"id": button.id, "title": button.title}
