"""What a message says: the library's many kinds to ours."""

import json
from collections.abc import Callable
from typing import Any

from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ContextInfo, Message

from heliograph.networks.content import (
    Audio,
    Button,
    ButtonReply,
    ContactCard,
    Content,
    Document,
    Image,
    LinkPreview,
    ListReply,
    Location,
    Media,
    Sticker,
    Text,
    Video,
    is_on_globe,
)
from heliograph.networks.whatsapp.conversion.polls import POLLS, poll_of
from heliograph.networks.whatsapp.files import RemoteFile

_WRAPPERS = (
    "deviceSentMessage",
    "botInvokeMessage",
    "ephemeralMessage",
    "viewOnceMessage",
    "viewOnceMessageV2",
    "viewOnceMessageV2Extension",
    "lottieStickerMessage",
    "documentWithCaptionMessage",
    "groupMentionedMessage",
    "associatedChildMessage",
    "editedMessage",
)
_PLACE_WORDS = ("name", "address", "comment", "caption")
_LIST_FLOWS = ("single_select", "menu_options")


def unwrapped(message: Message) -> Message:
    """Return the message itself, out of whatever it is wrapped in."""
    for name in _WRAPPERS:
        if message.HasField(name) and getattr(message, name).HasField("message"):
            return unwrapped(getattr(message, name).message)
    return message


def content_of(message: Message) -> Content | None:
    """Return what an unwrapped message says; None for what is no message to a person."""
    for name, convert in _CONVERTERS.items():
        if message.HasField(name):
            content = convert(getattr(message, name))
            if content is not None:
                return content
    return Text(message.conversation) if message.conversation else None


def context_of(message: Message) -> ContextInfo | None:
    """Return the context of an unwrapped message: which one it answers."""
    for field, value in message.ListFields():
        if field.message_type is not None and "contextInfo" in field.message_type.fields_by_name:
            return value.contextInfo if value.HasField("contextInfo") else None
    return None


def file_of(message: Message) -> RemoteFile | None:
    """Return the file that an unwrapped message leads to."""
    for name, (_, _, purpose) in _FILES.items():
        if message.HasField(name):
            part = getattr(message, name)
            return RemoteFile(
                part.directPath, part.mediaKey, purpose, part.fileSHA256, part.fileLength
            )
    return None


def kinds_of(message: Message) -> str:
    """Return the names of a message's parts, for a log."""
    return ", ".join(field.name for field, _ in message.ListFields())


# --- texts -----------------------------------------------------------------------------------


def _lines(*lines: str) -> Content | None:
    """Return a text of these lines, without the empty ones; None if all are."""
    text = "\n".join(line for line in lines if line)
    return Text(text) if text else None


def _text(part: Any) -> Content | None:
    if not part.text:
        return None
    has_preview = bool(part.matchedText and part.title)
    preview = LinkPreview(part.matchedText, part.title, part.description) if has_preview else None
    mentions = tuple(part.contextInfo.mentionedJID)
    return Text(part.text, mentions, preview)


def _choices(body: str, footer: str, titles: list[str]) -> Content | None:
    """Return a question with choices as one text: the account can't answer it."""
    return _lines(body, *(f"- {title}" for title in titles if title), footer)


def _list(part: Any) -> Content | None:
    rows = [row.title for section in part.sections for row in section.rows]
    return _choices(part.description or part.title, part.footerText, rows)


def _old_buttons(part: Any) -> Content | None:
    titles = [button.buttonText.displayText for button in part.buttons]
    return _choices(part.contentText, part.footerText, titles)


def _interactive(part: Any) -> Content | None:
    titles = [
        str(_params(button.buttonParamsJSON).get("display_text", ""))
        for button in part.nativeFlowMessage.buttons
    ]
    return _choices(part.body.text, part.footer.text, titles)


def _template(part: Any) -> Content | None:
    filled = part.hydratedTemplate
    return _lines(filled.hydratedContentText, filled.hydratedFooterText)


# --- answers ---------------------------------------------------------------------------------


def _list_response(part: Any) -> Content | None:
    row = part.singleSelectReply.selectedRowID
    return ListReply(Button(row, part.title or row), part.description or None)


def _interactive_response(part: Any) -> Content | None:
    flow = part.nativeFlowResponseMessage
    params = _params(flow.paramsJSON)
    chosen = str(params.get("id", "") or "")
    title = part.body.text or str(params.get("title") or params.get("display_text") or chosen)
    if not chosen:
        return _lines(title)
    if flow.name in _LIST_FLOWS:
        return ListReply(Button(chosen, title), str(params.get("description") or "") or None)
    return _pressed(chosen, title)


def _pressed(button_id: str, title: str) -> Content:
    return ButtonReply(Button(button_id, title or button_id))


def _params(text: str) -> dict[str, Any]:
    """Return the parameters of a native flow, which a stranger wrote."""
    try:
        params = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return params if isinstance(params, dict) else {}


# --- files, places, cards --------------------------------------------------------------------


def _file(kind: Callable[..., Media], usual_type: str) -> Callable[[Any], Any]:
    def convert(part: Any) -> Media:
        fields = part.DESCRIPTOR.fields_by_name
        name = (part.fileName or part.title) if "fileName" in fields else ""
        voice = {"voice": True} if "PTT" in fields and part.PTT else {}
        return kind(
            **voice,
            media_type=part.mimetype or usual_type,
            caption=part.caption if "caption" in fields else "",
            file_name=name or None,
            size=part.fileLength or None,
        )

    return convert


def _location(part: Any) -> Content | None:
    fields = part.DESCRIPTOR.fields_by_name
    words = {name: getattr(part, name) for name in _PLACE_WORDS if name in fields}
    address = words.pop("address", "")
    name = ", ".join(word for word in words.values() if word)
    if not is_on_globe(part.degreesLatitude, part.degreesLongitude):
        return Text(", ".join(word for word in (name, address) if word) or "[location]")
    return Location(part.degreesLatitude, part.degreesLongitude, name, address)


def _cards(part: Any) -> Content | None:
    names = ", ".join(card.displayName for card in part.contacts)
    vcards = "\n".join(card.vcard for card in part.contacts)
    return ContactCard(names or part.displayName, vcards)


_FILES: dict[str, tuple[type[Media], str, str]] = {
    "imageMessage": (Image, "image/jpeg", "Image"),
    "videoMessage": (Video, "video/mp4", "Video"),
    "ptvMessage": (Video, "video/mp4", "Video"),
    "audioMessage": (Audio, "audio/ogg", "Audio"),
    "documentMessage": (Document, "application/octet-stream", "Document"),
    "stickerMessage": (Sticker, "image/webp", "Image"),
}
"""What each is here, its usual type, and `RemoteFile.purpose`."""

_CONVERTERS: dict[str, Callable[[Any], Content | None]] = {
    "extendedTextMessage": _text,
    "buttonsResponseMessage": lambda part: _pressed(
        part.selectedButtonID, part.selectedDisplayText
    ),
    "templateButtonReplyMessage": lambda part: _pressed(part.selectedID, part.selectedDisplayText),
    "interactiveResponseMessage": _interactive_response,
    "listResponseMessage": _list_response,
    **{name: _file(kind, usual_type) for name, (kind, usual_type, _) in _FILES.items()},
    "locationMessage": _location,
    "liveLocationMessage": _location,
    "contactMessage": lambda part: ContactCard(part.displayName, part.vcard),
    "contactsArrayMessage": _cards,
    **dict.fromkeys(POLLS, poll_of),
    "listMessage": _list,
    "buttonsMessage": _old_buttons,
    "interactiveMessage": _interactive,
    "templateMessage": _template,
    "groupInviteMessage": lambda part: _lines(
        part.caption, f"Invitation to the group {part.groupName!r}"
    ),
    "eventMessage": lambda part: _lines(part.name, part.description),
    "orderMessage": lambda part: _lines(part.message or part.orderTitle),
    "productMessage": lambda part: _lines(part.product.title),
}
