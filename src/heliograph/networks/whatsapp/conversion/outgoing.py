"""Converts outgoing messages to the library's form."""

import json
from typing import Any

from neonize.proto.Neonize_pb2 import SendResponse, UploadResponse
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    AudioMessage,
    ContactMessage,
    ContextInfo,
    DocumentMessage,
    ExtendedTextMessage,
    FutureProofMessage,
    ImageMessage,
    InteractiveMessage,
    LocationMessage,
    Message,
    StickerMessage,
    VideoMessage,
)

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


def message_to_send(content: Content, secret: bytes = b"") -> Message:
    """Convert a content without a file; votes in a poll are encrypted with the `secret`.

    Raises `NetworkError` for a kind that can't be sent on WhatsApp.
    """
    match content:
        case Text():
            return _text(content)
        case Buttons():
            return Message(interactiveMessage=_interactive(content))
        case Poll():
            return poll_to_send(content, secret)
        case Location():
            return Message(locationMessage=_location(content))
        case ContactCard():
            card = ContactMessage(displayName=content.name, vcard=content.vcard)
            return Message(contactMessage=card)
    raise NetworkError("Messages of this kind can't be sent on WhatsApp.", permanent=True)


def file_to_send(
    content: Media, upload: UploadResponse, *, file_name: str = "", seconds: int = 0
) -> Message:
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
            return Message(imageMessage=ImageMessage(**file, **caption))
        case Video():
            return Message(videoMessage=VideoMessage(**file, **caption))
        case Sticker():
            return Message(stickerMessage=StickerMessage(**file))
        case Audio() if is_voice(content):
            voice = AudioMessage(**file | {"mimetype": VOICE_TYPE}, PTT=True, seconds=seconds)
            return Message(audioMessage=voice)
        case Audio():
            return Message(audioMessage=AudioMessage(**file))
        case Document():
            name = content.file_name or file_name
            document = DocumentMessage(**file, **caption, fileName=name, title=name)
            message = Message(documentMessage=document)
            return _wrapped(message) if caption else message
    raise NetworkError("Files of this kind can't be sent on WhatsApp.", permanent=True)


def is_voice(content: Media) -> bool:
    """Return whether the file is sent as a voice message."""
    kind, _, parameters = content.media_type.partition(";")
    codec = parameters.partition("=")[2].strip(' "').lower()
    is_opus = kind.strip().lower() == "audio/ogg" and codec in ("", "opus")
    return isinstance(content, Audio) and content.voice and is_opus


def recaptioned(original: Message, caption: str) -> Message:
    """Return a message with a file under another caption.

    Raises `NetworkError` for one that has none.
    """
    changed = Message()
    changed.CopyFrom(original)
    for field, part in unwrapped(changed).ListFields():
        if field.message_type is not None and "caption" in field.message_type.fields_by_name:
            part.caption = caption
            return changed
    raise NetworkError("Messages of this kind have no caption on WhatsApp.", permanent=True)


def with_context(message: Message, context: ContextInfo) -> Message:
    """Return the message with its context: the quoted message and the mentions."""
    if not context.ListFields():
        return message
    if message.conversation:
        message = Message(extendedTextMessage=ExtendedTextMessage(text=message.conversation))
    for field, part in unwrapped(message).ListFields():
        if field.message_type is not None and "contextInfo" in field.message_type.fields_by_name:
            part.contextInfo.MergeFrom(context)
    return message


def quote_of(quoted: Quoted, remote_id: str, author: str) -> ContextInfo:
    """Return the context that shows the quoted message; phones show it as a text."""
    return ContextInfo(
        stanzaID=remote_id,
        participant=author,
        quotedMessage=Message(conversation=quoted.content.summary),
    )


def sent_of(response: SendResponse, recipient: str) -> Sent:
    return Sent(
        remote_jid=recipient,
        sent_at=at_of(response.Timestamp),
        phone_number=phone_number(recipient),
    )


def _text(content: Text) -> Message:
    if not content.mentions and content.preview is None:
        return Message(conversation=content.body)
    text = ExtendedTextMessage(text=content.body)
    if content.preview is not None:
        text.matchedText = content.preview.url
        text.title = content.preview.title
        text.description = content.preview.description
        text.previewType = ExtendedTextMessage.NONE
    if content.mentions:
        text.contextInfo.mentionedJID.extend(content.mentions)
    return Message(extendedTextMessage=text)


def _location(content: Location) -> LocationMessage:
    place = LocationMessage(degreesLatitude=content.latitude, degreesLongitude=content.longitude)
    if content.name:
        place.name = content.name
    if content.address:
        place.address = content.address
    return place


def _wrapped(message: Message) -> Message:
    """Wrap a document that has a caption, as phones do."""
    return Message(documentWithCaptionMessage=FutureProofMessage(message=message))


def _interactive(content: Buttons) -> InteractiveMessage:
    flow = InteractiveMessage.NativeFlowMessage(
        buttons=[_quick_reply(button) for button in content.buttons],
        messageVersion=_FLOW_VERSION,
    )
    message = InteractiveMessage(
        body=InteractiveMessage.Body(text=content.body), nativeFlowMessage=flow
    )
    if content.header:
        message.header.title = content.header
        message.header.hasMediaAttachment = False
    if content.footer:
        message.footer.text = content.footer
    return message


def _quick_reply(button: Button) -> InteractiveMessage.NativeFlowMessage.NativeFlowButton:
    params = {"display_text": button.title, "id": button.id}
    return InteractiveMessage.NativeFlowMessage.NativeFlowButton(
        name="quick_reply", buttonParamsJSON=json.dumps(params, ensure_ascii=False)
    )
