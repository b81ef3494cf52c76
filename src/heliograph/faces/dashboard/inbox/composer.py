"""What a person fills in to send: each kind of content as the plain values of the API's schemas.

The forms are in `composer.html`; `read_content` checks the values, as it does for programs.
"""

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.datastructures import UploadFile

from heliograph.core.inbox.notes import MAX_NOTE
from heliograph.core.media.file_names import tidy_file_name
from heliograph.core.media.model import Media, MediaKind, Upload
from heliograph.core.media.type_names import plain_name
from heliograph.core.messages.accepting.content_input import (
    MAX_BUTTON_TITLE,
    MAX_BUTTONS,
    MAX_BUTTONS_BODY,
    MAX_CAPTION,
    MAX_FOOTER,
    MAX_HEADER,
    MAX_PLACE,
    MAX_QUESTION,
    MAX_TEXT,
    read_content,
)
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.forms import read_media_type
from heliograph.faces.dashboard.pages.middleware import LARGEST_FILE
from heliograph.faces.dashboard.pages.registry import Visit

LIMITS = {
    "text": MAX_TEXT,
    "body": MAX_BUTTONS_BODY,
    "header": MAX_HEADER,
    "footer": MAX_FOOTER,
    "title": MAX_BUTTON_TITLE,
    "caption": MAX_CAPTION,
    "question": MAX_QUESTION,
    "place": MAX_PLACE,
    "name": MAX_CAPTION,
    "note": MAX_NOTE,
    "file": LARGEST_FILE,
}
TITLES = tuple(f"button_{number}" for number in range(1, MAX_BUTTONS + 1))
FIELDS = {
    "text": ("text",),
    "buttons": ("body", "header", "footer", *TITLES),
    "list": ("list_body", "list_button", "rows", "list_footer"),
    "poll": ("question", "options", "several"),
    "location": ("latitude", "longitude", "place", "address"),
    "contact": ("card_name", "card_numbers"),
    "file": ("caption",),
    "note": ("note",),
    "edit": ("new_text",),
}
"""The fields of each kind's form."""

_PIECE = 256 * 1024  # bytes
_NO_WORD = re.compile(r"\W+")
_PICTURES = frozenset(f"image/{name}" for name in ("jpeg", "png", "gif", "webp", "heif", "bmp"))
"""What people see as a picture. Plans, raw photos and Photoshop's files have types that begin with
`image/`, but phones show nothing of them; as documents they have their names."""
_SOMEWHERE = "https://file.invalid/"
"""Stands for a file that is not stored yet, to check what is to be sent with it."""


def typed(visit: Visit, name: str) -> str:
    """Return a text with single-character line ends, where browsers send two."""
    value = visit.form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def read_form_of(visit: Visit, kind: str) -> dict[str, Any]:
    """Return the values of the form of this kind. Raises `InvalidInputError` for a kind that no
    form has."""
    read = _READERS.get(kind)
    if read is None:
        raise InvalidInputError.at(("kind",), "Choose what to send.")
    return {"type": kind, **read(visit)}


def has_form(kind: str) -> bool:
    """Whether there is a form for this kind of content, other than a file's."""
    return kind in _READERS


def _text(visit: Visit) -> dict[str, Any]:
    return {"body": typed(visit, "text")}


def _buttons(visit: Visit) -> dict[str, Any]:
    titles = [title for name in TITLES if (title := typed(visit, name))]
    return {
        "body": typed(visit, "body"),
        "header": typed(visit, "header") or None,
        "buttons": [{"id": id_, "title": title} for id_, title in _with_ids(titles, "button")],
        "footer": typed(visit, "footer") or None,
    }


def _list(visit: Visit) -> dict[str, Any]:
    """A row for each line: its title and, behind a bar, what stands under it."""
    lines = [line.partition("|") for line in _lines(visit, "rows")]
    rows = [
        {"id": id_, "title": title, "description": description.strip() or None}
        for (id_, title), (_, _, description) in zip(
            _with_ids([title.strip() for title, _, _ in lines], "row"), lines, strict=True
        )
    ]
    return {
        "body": typed(visit, "list_body"),
        "button": typed(visit, "list_button"),
        "sections": [{"rows": rows}],
        "footer": typed(visit, "list_footer") or None,
    }


def _poll(visit: Visit) -> dict[str, Any]:
    options = _lines(visit, "options")
    return {
        "question": typed(visit, "question"),
        "options": options,
        "max_choices": max(1, len(options)) if typed(visit, "several") else 1,
    }


def _location(visit: Visit) -> dict[str, Any]:
    return {
        "latitude": _degrees(visit, "latitude"),
        "longitude": _degrees(visit, "longitude"),
        "name": typed(visit, "place") or None,
        "address": typed(visit, "address") or None,
    }


def _degrees(visit: Visit, name: str) -> float | str:
    """Return a number, or what was written instead, for the check to refuse."""
    text = typed(visit, name).replace(",", ".")  # half the world writes 52,5
    try:
        return float(text)
    except ValueError:
        return text


def _contact(visit: Visit) -> dict[str, Any]:
    return {"name": typed(visit, "card_name"), "phones": _lines(visit, "card_numbers")}


_READERS: dict[str, Callable[[Visit], dict[str, Any]]] = {
    "text": _text,
    "buttons": _buttons,
    "list": _list,
    "poll": _poll,
    "location": _location,
    "contact": _contact,
}


def _lines(visit: Visit, name: str) -> list[str]:
    return [line.strip() for line in typed(visit, name).splitlines() if line.strip()]


def _with_ids(titles: list[str], what: str) -> list[tuple[str, str]]:
    """Return each title with an id made of it: in lower case, and unique."""
    found: dict[str, str] = {}
    for number, title in enumerate(titles, 1):
        name = _NO_WORD.sub("-", title.casefold()).strip("-") or what
        while name in found:
            name = f"{name}-{number}"
        found[name] = title
    return list(found.items())


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
    _check_caption_of_sound(media_type, caption)
    upload = Upload(media_type, tidy_file_name(given.filename), given.size, is_guess=True)
    uploads = visit.services.uploads
    uploads.check(visit.principal, upload)
    return await uploads.store(visit.principal, upload, _pieces(given))


def file_values(media: Media, caption: str) -> dict[str, Any]:
    """Return the values of a message with this file, as what its type can be shown as."""
    shown_as = (MediaKind.IMAGE, MediaKind.VIDEO, MediaKind.AUDIO)
    kind = next((kind for kind in shown_as if kind.takes(media.media_type)), MediaKind.DOCUMENT)
    if kind is MediaKind.IMAGE and plain_name(media.media_type) not in _PICTURES:
        kind = MediaKind.DOCUMENT
    values = {"type": kind.value, "media_id": media.id, "file_name": media.file_name}
    _check_caption_of_sound(media.media_type, caption)
    return values if kind is MediaKind.AUDIO else {**values, "caption": caption or None}


def _check_caption_of_sound(media_type: str, caption: str) -> None:
    if caption and MediaKind.AUDIO.takes(media_type):
        raise InvalidInputError.at(
            ("caption",), "A sound can't have text under it: leave it empty."
        )


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(_PIECE):
        yield piece
