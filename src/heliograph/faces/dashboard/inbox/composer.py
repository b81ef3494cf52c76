"""What a person fills in to send: the values of the forms, and how a file is shown."""

from collections.abc import AsyncIterator
from typing import Any

from starlette.datastructures import UploadFile

from heliograph.core.inbox.notes import MAX_NOTE
from heliograph.core.media.model import Media, Upload
from heliograph.core.media.type_names import plain_name
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.inbox.content_forms import FORMS, NAMES, typed
from heliograph.faces.dashboard.pages.forms import read_media_type
from heliograph.faces.dashboard.pages.middleware import MAX_FILE_SIZE
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.networks.content import (
    CAPTION_KINDS,
    Audio,
    Document,
    Image,
    MediaKind,
    Video,
    message_type,
    read_content,
)
from heliograph.networks.content.inputs import MAX_CAPTION
from heliograph.networks.content.texts import MAX_TEXT
from heliograph.platform.file_names import tidy_file_name

LIMITS = {"text": MAX_TEXT, "caption": MAX_CAPTION, "note": MAX_NOTE, "file": MAX_FILE_SIZE}
_NAMES = (*NAMES, "caption", "note", "new_text")

_PIECE = 256 * 1024  # bytes
_PICTURES = frozenset(f"image/{name}" for name in ("jpeg", "png", "gif", "webp", "heif", "bmp"))
"""What people see as a picture. CAD drawings, raw photos and Photoshop files have types that begin
with `image/`, but phones can't show them; as documents they keep their names."""
_SENT_AS: tuple[MediaKind, ...] = (Image, Video, Audio, Document)
"""The kinds that say nothing but a caption; a file is sent as the first that takes it."""
_SOMEWHERE = "https://file.invalid/"
"""Stands for a file that is not stored yet, to check what is to be sent with it."""


def form_values(visit: Visit, kind: str) -> dict[str, Any]:
    """Return the values that the forms are shown with: as filled in, with that of `kind` open."""
    return {
        "forms_of_kinds": FORMS,
        "typed": {name: typed(visit, name) for name in _NAMES},
        "kind": kind,
        "limits": LIMITS,
        "form_id": visit.new_form_id(),
    }


async def upload_file(visit: Visit, caption: str) -> Media:
    """Store the file of a form. Raises `InvalidInputError` where none was chosen or the caption
    can't be sent, and what `UploadService.store` raises."""
    given = visit.form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise InvalidInputError.at(("file",), "Choose a file first.")
    if given.size == 0:
        raise InvalidInputError.at(("file",), "The file is empty.")
    media_type = read_media_type(given.content_type or "")
    read_content({"type": "document", "url": _SOMEWHERE, "caption": caption or None})
    _check_caption(_kind_of(media_type), caption)
    upload = Upload(media_type, tidy_file_name(given.filename), given.size, is_guess=True)
    uploads = visit.services.uploads
    uploads.check(visit.principal, upload)
    return await uploads.store(visit.principal, upload, _pieces(given))


def file_values(media: Media, caption: str) -> dict[str, Any]:
    """Return the values of a message with this file, as a kind that can show its type."""
    kind = _kind_of(media.media_type)
    _check_caption(kind, caption)
    values = {"type": message_type(kind), "media_id": media.id, "file_name": media.file_name}
    return {**values, "caption": caption} if caption else values


def _kind_of(media_type: str) -> MediaKind:
    kind = next(kind for kind in _SENT_AS if kind.takes(media_type))
    return Document if kind is Image and plain_name(media_type) not in _PICTURES else kind


def _check_caption(kind: MediaKind, caption: str) -> None:
    if caption and message_type(kind) not in CAPTION_KINDS:
        raise InvalidInputError.at(
            ("caption",), "A sound can't have text under it: leave it empty."
        )


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(_PIECE):
        yield piece
