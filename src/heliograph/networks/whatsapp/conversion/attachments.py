"""Files and places: the content of a message, or the part above its text."""

from collections.abc import Callable
from typing import Any, TypeAlias

from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    AudioMessage,
    DocumentMessage,
    ImageMessage,
    StickerMessage,
    VideoMessage,
)

from heliograph.networks.content import (
    Audio,
    Content,
    Document,
    Image,
    Location,
    Sticker,
    Text,
    Video,
    is_on_globe,
)
from heliograph.networks.whatsapp.files import RemoteFile

_PLACE_WORDS = ("name", "address", "comment", "caption", "URL")

FileContent: TypeAlias = Image | Video | Audio | Document | Sticker

_FILES: dict[Any, tuple[Callable[..., FileContent], str, str]] = {
    ImageMessage.DESCRIPTOR: (Image, "image/jpeg", "Image"),
    VideoMessage.DESCRIPTOR: (Video, "video/mp4", "Video"),
    AudioMessage.DESCRIPTOR: (Audio, "audio/ogg", "Audio"),
    DocumentMessage.DESCRIPTOR: (Document, "application/octet-stream", "Document"),
    StickerMessage.DESCRIPTOR: (Sticker, "image/webp", "Image"),
}
"""The gateway's kind, the usual media type, and the `RemoteFile.purpose` of each."""

FILES = frozenset(_FILES)
"""The types of parts that are files."""


def media_of(part: Any) -> FileContent:
    kind, usual_type, _ = _FILES[part.DESCRIPTOR]
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


def remote_file_of(part: Any) -> RemoteFile:
    purpose = _FILES[part.DESCRIPTOR][2]
    return RemoteFile(part.directPath, part.mediaKey, purpose, part.fileSHA256, part.fileLength)


def location_of(part: Any) -> Content:
    """Return a place; a text if it has only a name, or impossible coordinates."""
    fields = part.DESCRIPTOR.fields_by_name
    words = {name: getattr(part, name) for name in _PLACE_WORDS if name in fields}
    address = words.pop("address", "")
    name = ", ".join(word for word in words.values() if word)
    is_placed = part.HasField("degreesLatitude") or part.HasField("degreesLongitude")
    if not is_placed or not is_on_globe(part.degreesLatitude, part.degreesLongitude):
        return Text(", ".join(word for word in (name, address) if word) or "[location]")
    return Location(part.degreesLatitude, part.degreesLongitude, name, address)
