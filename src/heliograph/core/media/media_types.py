"""What a file is: what its first bytes say, against what its sender says.

`filetype` knows binary formats by their first bytes. It tells one answer where several names are
right: an .mp4, an .m4a and a .3gp begin alike, as do all formats that are a ZIP archive within.
"""

import re

import filetype

from heliograph.errors import MediaTypeError

HEAD = 64 * 1024
"""Bytes from a file's beginning that are looked at."""
GENERIC = "application/octet-stream"
_PLAIN_TEXT = "text/plain"
_MAX_LENGTH = 127
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_HTML = re.compile(rb"\s*<(!doctype html|html|head|body|script|iframe|svg)[\s>/]", re.IGNORECASE)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_GENERIC = frozenset({GENERIC, "binary/octet-stream", "application/binary"})
_SAME = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/heif": "image/heic",
    "image/heif-sequence": "image/heic",
    "image/heic-sequence": "image/heic",
    "image/vnd.microsoft.icon": "image/x-icon",
    "audio/mp3": "audio/mpeg",
    "audio/wav": "audio/x-wav",
    "audio/wave": "audio/x-wav",
    "audio/vnd.wave": "audio/x-wav",
    "audio/flac": "audio/x-flac",
    "audio/aacp": "audio/aac",
    "audio/x-aac": "audio/aac",
    "audio/midi": "audio/x-midi",
    "video/avi": "video/x-msvideo",
    "text/rtf": "application/rtf",
    "application/x-gzip": "application/gzip",
    "application/x-zip-compressed": "application/zip",
    "application/vnd.rar": "application/x-rar-compressed",
    "application/vnd.microsoft.portable-executable": "application/x-msdownload",
}
"""Names for a format, and the one that `filetype` has for it."""

_FAMILIES = (
    {"video/mp4", "audio/mp4", "audio/m4a", "audio/x-m4a", "video/x-m4v", "video/quicktime"}
    | {"video/3gpp", "audio/3gpp", "video/3gpp2", "audio/3gpp2"},
    {"audio/ogg", "video/ogg", "application/ogg", "audio/opus"},
    {"video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska"},
    {"video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma"},
    {"application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"},
    {"image/tiff", "image/dng", "image/x-canon-cr2"},
)
"""Formats that begin alike."""
_ARCHIVES = ("application/zip", "application/epub+zip", "application/vnd.")
_IN_ARCHIVES = ("application/vnd.", "application/java-archive", "application/x-", "application/zip")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_KNOWN = frozenset(kind.mime for kind in filetype.types)
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
    found = _sniff(head)
    if claimed in _GENERIC:
        return found or (_PLAIN_TEXT if _is_text(head) else GENERIC)
    if found is None:
        _check_unrecognized(claimed, head)
    elif not _may_be(claimed, found) and not (found == "text/html" and _claims_text(claimed)):
        raise MediaTypeError(f"its declared type is {claimed}, but its bytes are {found}")
    return claimed


def _sniff(head: bytes) -> str | None:
    guessed: str | None = filetype.guess_mime(head[:HEAD])
    if guessed is None and _HTML.match(head):
        return "text/html"
    return guessed


def _may_be(claimed: str, found: str) -> bool:
    plain, known = _SAME.get(claimed, claimed), _SAME.get(found, found)
    if plain == known or any({plain, known} <= family for family in _FAMILIES):
        return True
    is_archive = known.startswith(_ARCHIVES)
    return is_archive and (plain.endswith("+zip") or plain.startswith(_IN_ARCHIVES))


def _check_unrecognized(claimed: str, head: bytes) -> None:
    if _claims_text(claimed):
        if not _is_text(head):
            raise MediaTypeError(f"its declared type is {claimed}, but its bytes are not text")
        return
    is_office = head.startswith(_OLE) and claimed.startswith("application/")
    known = _SAME.get(claimed, claimed) in _KNOWN and not is_office
    if known or claimed.partition("/")[0] in _STRICT:
        raise MediaTypeError(
            f"its declared type is {claimed}, but its bytes are not, or not of a known format"
        )


def _claims_text(claimed: str) -> bool:
    main, _, sub = claimed.partition("/")
    words = {"json", "xml", "javascript", "yaml", "x-yaml", "sql", "x-ndjson", "toml", "x-sh"}
    is_text = main == "text" and claimed != "text/rtf"
    return is_text or sub in words or sub.endswith(("+json", "+xml", "+yaml"))


def _is_text(head: bytes) -> bool:
    """Return whether it may be text in UTF-8, in an older encoding of one byte, or in UTF-16."""
    return head.startswith(_BYTE_ORDER_MARKS) or _CONTROLS.search(head[:HEAD]) is None


def is_safe_to_show(media_type: str) -> bool:
    """Return whether a browser that is handed this type runs nothing that the file holds."""
    main, _, sub = media_type.partition("/")
    return main in _STRICT and not sub.endswith("+xml")
