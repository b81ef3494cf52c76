"""Determines the media type of a file from its first bytes and its sender's claim.

Where several names are right, one is returned: an .mp4, an .m4a and a .3gp begin alike, as do all
formats that are ZIP archives inside. Before a file is refused there is a second opinion: formats
that begin in several ways, and all that `puremagic` takes it for. A file under a wrong name harms
nobody: files are served as downloads.
"""

import re

from heliograph.core.media.first_bytes import (
    HEAD,
    TAGGED,
    begins_as_heif,
    begins_as_office,
    begins_as_pdf,
    begins_as_quicktime,
    is_known,
    is_text,
    ogg_codec,
    second_opinion,
    sniff,
)
from heliograph.core.media.signatures import HTML, PDF
from heliograph.core.media.type_names import is_office, may_be, plain_name
from heliograph.errors import MediaTypeError

__all__ = [
    "GENERIC",
    "HEAD",
    "as_sent",
    "guess_media_type",
    "is_safe_to_show",
    "judge_media_type",
    "parse_media_type",
]

GENERIC = "application/octet-stream"
_PLAIN_TEXT = "text/plain"
_MAX_LENGTH = 127
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_GENERIC = frozenset({GENERIC, "binary/octet-stream", "application/binary"})
_STRICT = ("image", "audio", "video")
"""Kinds that a network shows or plays: their bytes have to be recognized."""


def parse_media_type(header: str | None) -> str:
    """Return the media type that a Content-Type header claims, `GENERIC` where there is none.

    Raises `MediaTypeError` for what is no media type, and for forms, which are no files.
    """
    if header is None or not header.strip():
        return GENERIC
    claimed = header.partition(";")[0].strip().lower()
    if len(claimed) > _MAX_LENGTH or not _MEDIA_TYPE.fullmatch(claimed):
        raise MediaTypeError(f"'{claimed[:_MAX_LENGTH]}' is no media type")
    if claimed in _FORMS:
        raise MediaTypeError(f"'{claimed}' is a form: send the file's own bytes and media type")
    return claimed


def judge_media_type(claimed: str, head: bytes) -> str:
    """Return the media type of a file that begins with `head` and is claimed to be `claimed`.

    Raises `MediaTypeError` when its bytes say otherwise.
    """
    found = sniff(head)
    if claimed in _GENERIC:
        return found or (_PLAIN_TEXT if is_text(head) else GENERIC)
    if found is not None and _agrees(claimed, found, head):
        return claimed
    if found is None and _claims_text(claimed):
        if not is_text(head):
            raise MediaTypeError(f"its declared type is {claimed}, but its bytes are not text")
        return claimed
    if _needs_proof(claimed, found) and not _may_yet_be(claimed, head):
        what = found or "not, or not of a known format"
        raise MediaTypeError(f"its declared type is {claimed}, but its bytes are {what}")
    return claimed


def guess_media_type(claimed: str, head: bytes) -> str:
    """Return the media type of a file whose type somebody's program guessed, mostly by its name:
    a picture, sound or video under the name of another format is what its bytes say.

    Raises `MediaTypeError` for any other file whose bytes say otherwise.
    """
    try:
        return judge_media_type(claimed, head)
    except MediaTypeError:
        found = sniff(head)
        if found is None or not is_safe_to_show(found):
            raise
        return found


def _agrees(claimed: str, found: str, head: bytes) -> bool:
    if may_be(claimed, found):
        return True
    if _claims_text(claimed):
        return found == HTML or is_text(head)
    if is_office(claimed):
        return found == HTML or (found == PDF and is_text(head))
    plain = plain_name(claimed)
    if head.startswith(b"ID3") and found in TAGGED:
        return plain in TAGGED
    return plain == "audio/flac" and ogg_codec(head) == "flac"


def _needs_proof(claimed: str, found: str | None) -> bool:
    """Return whether the type is one that would be recognized."""
    return found is not None or is_known(claimed) or claimed.partition("/")[0] in _STRICT


def _may_yet_be(claimed: str, head: bytes) -> bool:
    """Return whether a file may be of its type although its first bytes don't say so."""
    if is_office(claimed):  # CSV and XML, under the name of Excel
        return begins_as_office(head)
    if plain_name(claimed) == PDF:
        return begins_as_pdf(head)
    if may_be(claimed, "image/heif") and begins_as_heif(head):
        return True
    if may_be(claimed, "video/quicktime") and begins_as_quicktime(head):
        return True
    return any(may_be(claimed, each) for each in second_opinion(head))


def as_sent(media_type: str, head: bytes) -> str:
    """Return the type under which a file of this type is sent: of Ogg with its codec, since phones
    play Opus alone."""
    codec = ogg_codec(head)
    if codec == "theora":
        return "video/ogg" if media_type in _OGG_NAMES else media_type
    return f"audio/ogg; codecs={codec}" if codec else media_type


_OGG_NAMES = ("application/ogg", "audio/ogg", "audio/opus")


def _claims_text(claimed: str) -> bool:
    main, _, sub = claimed.partition("/")
    words = {"json", "xml", "javascript", "yaml", "x-yaml", "sql", "x-ndjson", "toml", "x-sh"}
    is_text = main == "text" and claimed != "text/rtf"
    return is_text or sub in words or sub.endswith(("+json", "+xml", "+yaml"))


def is_safe_to_show(media_type: str) -> bool:
    """Return whether a browser that is handed this type runs nothing that the file holds."""
    main, _, sub = media_type.partition("/")
    return main in _STRICT and not sub.endswith("+xml")
