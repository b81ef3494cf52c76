"""Formats by their first bytes.

Most have a signature (`signatures`). Added are those that begin in several ways, and what is sound
alone: it begins as a video does in MP4, Matroska and ASF. Where all bytes are text, letters that a
binary format begins with are only letters: a table may have a column `BMI`.
"""

import re

import puremagic

from heliograph.core.media import signatures
from heliograph.core.media.signatures import HEIF_BRANDS, HTML, OLE, PDF, brands_of
from heliograph.core.media.type_names import may_be, plain_name

HEAD = 64 * 1024
"""Bytes from a file's beginning that are looked at."""
_TEXTS = frozenset({HTML, PDF, "application/rtf", "application/postscript"})
"""Formats that may be all text."""

_HTML_BEGINS = re.compile(
    rb"\s*<(!doctype html|html|head|body|script|iframe|svg)[\s>/]", re.IGNORECASE
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PDF_BEGINS = re.compile(rb"(?:\A|[\r\n])%PDF-[0-9]")
_PDF_WITHIN = 1024
"""Bytes in which readers look for the beginning of a PDF."""
_SPREADSHEET = re.compile(rb"\x09[\x00\x02\x04\x08][\x04\x06\x08\x10]\x00")
"""A workbook of Excel without a container around it, as older programs write it."""
_QUICKTIME_ATOMS = frozenset((b"wide", b"mdat", b"moov", b"free", b"skip", b"pnot"))
_SECOND_OPINION = 4096
"""Bytes that `puremagic` looks at."""
TAGGED = ("audio/mpeg", "audio/aac", "audio/flac")
"""Sounds that may have a tag (ID3) in front of them."""
_KNOWN = frozenset(map(plain_name, (*signatures.RECOGNIZED, *TAGGED, "video/mp2t")))


def is_text(head: bytes) -> bool:
    """Return whether it may be text in UTF-8, in an older encoding of one byte, or in UTF-16."""
    return head.startswith(_BYTE_ORDER_MARKS) or _CONTROLS.search(head[:HEAD]) is None


def is_known(media_type: str) -> bool:
    """Return whether a file of this type would be recognized."""
    return plain_name(media_type) in _KNOWN


def sniff(head: bytes) -> str | None:
    """Return the media type of a file that begins like this; None for what is not recognized."""
    found = _guess(head)
    return found if found in _TEXTS or not is_text(head) else None


def _guess(head: bytes) -> str | None:
    if head.startswith(b"ID3"):
        return _tagged_sound(head)
    guessed = signatures.find(head[:HEAD]) or _guess_again(head)
    return _AS_SOUND[guessed] if guessed in _AS_SOUND and _is_only_sound(head) else guessed


def _guess_again(head: bytes) -> str | None:
    """Return the type of what has no signature of its own, or not at its beginning."""
    if _HTML_BEGINS.match(head):
        return HTML
    if _is_transport_stream(head):
        return "video/mp2t"
    if (sound := _mpeg_sound(head)) is not None:
        return sound
    if _PDF_BEGINS.search(head, 0, _PDF_WITHIN + len(b"PDF-1")):
        return PDF
    return "video/quicktime" if begins_as_quicktime(head) else None


def begins_as_office(head: bytes) -> bool:
    """Return whether it is a document of an older office program, or text: CSV, or XML."""
    return head.startswith(OLE) or _SPREADSHEET.match(head) is not None or is_text(head)


def begins_as_pdf(head: bytes) -> bool:
    return head.find(b"%PDF-", 0, _PDF_WITHIN + len(b"PDF-")) >= 0


def begins_as_heif(head: bytes) -> bool:
    return bool(brands_of(head) & HEIF_BRANDS)


def begins_as_quicktime(head: bytes) -> bool:
    """Return whether it is a QuickTime video as older programs write it, without `ftyp`."""
    size = int.from_bytes(head[:4])
    return head[4:8] in _QUICKTIME_ATOMS and (size < 2 or size >= 8) and not is_text(head)


def second_opinion(head: bytes) -> set[str]:
    """Return all that `puremagic` takes it for; of what is text, no format that would have been
    recognized."""
    try:
        matches = puremagic.magic_string(head[:_SECOND_OPINION])
    except (puremagic.PureError, ValueError):
        return set()
    found = {match.mime_type for match in matches if match.mime_type}
    return {each for each in found if not _is_binary(each)} if is_text(head) else found


def _is_binary(media_type: str) -> bool:
    return media_type not in _TEXTS and any(may_be(media_type, known) for known in _KNOWN)


# --- sounds and videos ------------------------------------------------------------------------

_FLAC = b"fLaC"
_AS_SOUND = {
    "video/mp4": "audio/mp4",
    "video/x-m4v": "audio/mp4",
    "video/3gpp": "audio/3gpp",
    "video/webm": "audio/webm",
    "video/x-matroska": "audio/x-matroska",
    "video/x-ms-wmv": "audio/x-ms-wma",
}
_SOUND_TRACK = re.compile(
    rb"hdlr.{8}soun|\x86[\x80-\xff]A_|\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b",
    re.DOTALL,
)
_FILM_TRACK = re.compile(
    rb"hdlr.{8}vide|\x86[\x80-\xff]V_|\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b",
    re.DOTALL,
)
"""How MP4 (a handler), Matroska (a codec) and ASF (a type of stream) announce a track."""
_PACKET, _TIMED_PACKET = 188, 192
_SYNC = b"GGG"
_LAYERS = frozenset(b"\xe2\xe3\xe4\xe5\xf2\xf3\xf4\xf5\xfa\xfb\xfc\xfd")
_RATES = frozenset(rate for rate in range(0x10, 0xF0) if rate & 0x0C != 0x0C)
"""Second bytes of frames of MPEG's layers II and III, and third ones, which say how fast it is."""
_ADTS = frozenset(b"\xf0\xf1\xf8\xf9")
_OGG_CODECS = (
    (b"\x80theora", "theora"),
    (b"OpusHead", "opus"),
    (b"\x01vorbis", "vorbis"),
    (b"\x7fFLAC", "flac"),
    (b"Speex   ", "speex"),
)
"""What the first page of a stream begins with (RFC 5334), videos first."""


def ogg_codec(head: bytes) -> str | None:
    """Return the codec of an Ogg file; None for any other file."""
    if not head.startswith(b"OggS") or is_text(head):
        return None
    return next((name for mark, name in _OGG_CODECS if mark in head[:_SECOND_OPINION]), None)


def _is_only_sound(head: bytes) -> bool:
    return bool(_SOUND_TRACK.search(head)) and not _FILM_TRACK.search(head)


def _tagged_sound(head: bytes) -> str:
    """Return what follows a tag; MP3 where that is beyond the head."""
    flags, *size = head[5:10].ljust(5, b"\0")
    length = sum(part << shift for part, shift in zip(size, (21, 14, 7, 0), strict=True))
    footer = 10 if flags & 0x10 else 0
    sound = head[10 + length + footer :].lstrip(b"\0")
    if sound.startswith(_FLAC):
        return "audio/flac"
    return _mpeg_sound(sound) or "audio/mpeg"


def _mpeg_sound(head: bytes) -> str | None:
    """Return the type of a stream of frames: AAC in ADTS, or MPEG's layers II and III."""
    if len(head) < 3 or head[0] != 0xFF:
        return None
    if head[1] in _ADTS:
        return "audio/aac"
    return "audio/mpeg" if head[1] in _LAYERS and head[2] in _RATES else None


def _is_transport_stream(head: bytes) -> bool:
    """Return whether each packet begins with its mark, after the time that cameras put there."""
    return any(
        head[first : first + 2 * length + 1 : length] == _SYNC
        for first, length in ((0, _PACKET), (4, _TIMED_PACKET))
    )
