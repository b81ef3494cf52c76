"""Converts outgoing messages to the library's form."""

import json
from typing import Any

from neonize.proto.Neonize_pb2 import SendResponse, UploadResponse
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as e2e

from heliograph.networks.content import (
    Audio,
    Button,
    Buttons,
    ContactCard,
    Content,
    Document,
    Image,
    Location,
    Media,
    Poll,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Quoted, Sent
from heliograph.networks.whatsapp.addresses import phone_number
from heliograph.networks.whatsapp.conversion.arrivals import at_of
from heliograph.networks.whatsapp.conversion.polls import poll_to_send
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped

VOICE_TYPE = "audio/ogg; codecs=opus"
"""The only format in which phones play a voice message."""
_FLOW_VERSION = 1


def message_to_send(content: Content, secret: bytes = b"") -> e2e.Message:
    """Convert a content without a file; votes in a poll are encrypted with the `secret`.

    Raises `NetworkError` for a kind that can't be sent on WhatsApp.
    """
    match content:
        case Text():
            return _text(content)
        case Buttons():
            return e2e.Message(interactiveMessage=_interactive(content))
        case Poll():
            return poll_to_send(content, secret)
        case Location():
            return e2e.Message(locationMessage=_location(content))
        case ContactCard():
            card = e2e.ContactMessage(displayName=content.name, vcard=content.vcard)
            return e2e.Message(contactMessage=card)
    raise NetworkError("Messages of this kind can't be sent on WhatsApp.", permanent=True)


def file_to_send(
    content: Media, upload: UploadResponse, *, file_name: str = "", seconds: int = 0
) -> e2e.Message:
    """Convert a content with its file, as it was uploaded; `seconds` is how long a voice is."""
    file: dict[str, Any] = {
        "URL": upload.url,
        "directPath": upload.DirectPath,
        "mediaKey": upload.MediaKey,
        "fileEncSHA256": upload.FileEncSHA256,
        "fileSHA256": upload.FileSHA256,
        "fileLength": upload.FileLength,
        "mimetype": content.media_type,
    }
    caption = {"caption": content.caption} if content.caption else {}
    match content:
        case Image():
            return e2e.Message(imageMessage=e2e.ImageMessage(**file, **caption))
        case Video():
            return e2e.Message(videoMessage=e2e.VideoMessage(**file, **caption))
        case Sticker():
            return e2e.Message(stickerMessage=e2e.StickerMessage(**file))
        case Audio() if is_voice(content):
            voice = e2e.AudioMessage(**file | {"mimetype": VOICE_TYPE}, PTT=True, seconds=seconds)
            return e2e.Message(audioMessage=voice)
        case Audio():
            return e2e.Message(audioMessage=e2e.AudioMessage(**file))
        case Document():
            name = content.file_name or file_name
            document = e2e.DocumentMessage(**file, **caption, fileName=name, title=name)
            message = e2e.Message(documentMessage=document)
            return _wrapped(message) if caption else message
    raise NetworkError("Files of this kind can't be sent on WhatsApp.", permanent=True)


def is_voice(content: Media) -> bool:
    """Return whether the file is sent as a voice message."""
    kind, _, parameters = content.media_type.partition(";")
    codec = parameters.partition("=")[2].strip(' "').lower()
    is_opus = kind.strip().lower() == "audio/ogg" and codec in ("", "opus")
    return isinstance(content, Audio) and content.voice and is_opus


def recaptioned(original: e2e.Message, caption: str) -> e2e.Message:
    """Return a message with a file under another caption.

    Raises `NetworkError` for one that has none.
    """
    changed = e2e.Message()
    changed.CopyFrom(original)
    for field, part in unwrapped(changed).ListFields():
        if field.message_type is not None and "caption" in field.message_type.fields_by_name:
            part.caption = caption
            return changed
    raise NetworkError("Messages of this kind have no caption on WhatsApp.", permanent=True)


def with_context(message: e2e.Message, context: e2e.ContextInfo) -> e2e.Message:
    """Return the message with its context: the quoted message and the mentions."""
    if not context.ListFields():
        return message
    if message.conversation:
        message = e2e.Message(
            extendedTextMessage=e2e.ExtendedTextMessage(text=message.conversation)
        )
    for field, part in unwrapped(message).ListFields():
        if field.message_type is not None and "contextInfo" in field.message_type.fields_by_name:
            part.contextInfo.MergeFrom(context)
    return message


def quote_of(quoted: Quoted, remote_id: str, author: str) -> e2e.ContextInfo:
    """Return the context that shows the quoted message; phones show it as a text."""
    return e2e.ContextInfo(
        stanzaID=remote_id,
        participant=author,
        quotedMessage=e2e.Message(conversation=quoted.content.summary),
    )


def sent_of(response: SendResponse, recipient: str) -> Sent:
    return Sent(
        remote_jid=recipient,
        sent_at=at_of(response.Timestamp),
        phone_number=phone_number(recipient),
    )


def _text(content: Text) -> e2e.Message:
    if not content.mentions and content.preview is None:
        return e2e.Message(conversation=content.body)
    text = e2e.ExtendedTextMessage(text=content.body)
    if content.preview is not None:
        text.matchedText = content.preview.url
        text.title = content.preview.title
        text.description = content.preview.description
        text.previewType = e2e.ExtendedTextMessage.NONE
    if content.mentions:
        text.contextInfo.mentionedJID.extend(content.mentions)
    return e2e.Message(extendedTextMessage=text)


def _location(content: Location) -> e2e.LocationMessage:
    place = e2e.LocationMessage(
        degreesLatitude=content.latitude, degreesLongitude=content.longitude
    )
    if content.name:
        place.name = content.name
    if content.address:
        place.address = content.address
    return place


def _wrapped(message: e2e.Message) -> e2e.Message:
    """Wrap a document that has a caption, as phones do."""
    return e2e.Message(documentWithCaptionMessage=e2e.FutureProofMessage(message=message))


def _interactive(content: Buttons) -> e2e.InteractiveMessage:
    flow = e2e.InteractiveMessage.NativeFlowMessage(
        buttons=[_quick_reply(button) for button in content.buttons],
        messageVersion=_FLOW_VERSION,
    )
    message = e2e.InteractiveMessage(
        body=e2e.InteractiveMessage.Body(text=content.body), nativeFlowMessage=flow
    )
    if content.header:
        message.header.title = content.header
        message.header.hasMediaAttachment = False
    if content.footer:
        message.footer.text = content.footer
    return message


def _quick_reply(button: Button) -> e2e.InteractiveMessage.NativeFlowMessage.NativeFlowButton:
    params = {"display_text": button.title, "id": button.id}
    return e2e.InteractiveMessage.NativeFlowMessage.NativeFlowButton(
        name="quick_reply", buttonParamsJSON=json.dumps(params, ensure_ascii=False)
    )
