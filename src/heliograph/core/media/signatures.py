"""Recognizes file formats by their signatures, and containers by their contents."""

import re

HTML = "text/html"
PDF = "application/pdf"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What all documents of older office programs begin with."""

_POSTSCRIPT = "application/postscript"
_TIFF = "image/tiff"
_ZIP = "application/zip"
_OPENXML = "application/vnd.openxmlformats-officedocument."
_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    # pictures
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    _TIFF: (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
    "image/bmp": (b"BM",),
    "image/x-icon": (b"\0\0\1\0",),
    "image/jp2": (b"\0\0\0\x0cjP  \r\n\x87\n",),
    "image/jxl": (b"\0\0\0\x0cJXL \r\n\x87\n",),
    "image/vnd.ms-photo": (b"II\xbc",),
    "image/vnd.adobe.photoshop": (b"8BPS",),
    "image/x-xcf": (b"gimp xcf",),
    "image/vnd.dwg": (b"AC10",),
    # sounds and films
    "audio/amr": (b"#!AMR\n",),
    "audio/amr-wb": (b"#!AMR-WB\n",),
    "audio/flac": (b"fLaC",),
    "audio/midi": (b"MThd",),
    "audio/ogg": (b"OggS",),
    "video/mpeg": tuple(b"\0\0\1" + bytes([code]) for code in range(0xB0, 0xC0)),
    "video/x-flv": (b"FLV\1",),
    "video/x-ms-wmv": (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9",),
    # documents
    PDF: (b"%PDF-",),
    "application/rtf": (b"{\\rtf",),
    _POSTSCRIPT: (b"%!PS", b"\xc5\xd0\xd3\xc6"),
    # archives, and what is compressed
    "application/x-7z-compressed": (b"7z\xbc\xaf\x27\x1c",),
    "application/x-rar-compressed": (b"Rar!\x1a\x07\0", b"Rar!\x1a\x07\1"),
    "application/gzip": (b"\x1f\x8b\x08",),
    "application/x-bzip2": (b"BZh",),
    "application/x-xz": (b"\xfd7zXZ\0",),
    "application/zstd": (
        b"\x28\xb5\x2f\xfd",
        *(bytes([frame]) + b"\x2a\x4d\x18" for frame in range(0x50, 0x60)),
    ),
    "application/x-lz4": (b"\x04\x22\x4d\x18",),
    "application/x-lzip": (b"LZIP",),
    "application/x-lzop": (b"\x89LZO\0\r\n\x1a\n",),
    "application/x-compress": (b"\x1f\x9d", b"\x1f\xa0"),
    "application/x-brotli": (b"\xce\xb2\xcf\x81",),
    "application/vnd.ms-cab-compressed": (b"MSCF", b"ISc("),
    "application/x-unix-archive": (b"!<arch>\n",),
    "application/x-deb": (b"!<arch>\ndebian-binary",),
    "application/x-rpm": (b"\xed\xab\xee\xdb",),
    # programs, fonts and data
    "application/x-msdownload": (b"MZ",),
    "application/x-executable": (b"\x7fELF",),
    "application/wasm": (b"\0asm",),
    "application/x-google-chrome-extension": (b"Cr24",),
    "application/x-shockwave-flash": (b"FWS", b"CWS", b"ZWS"),
    "application/x-nintendo-nes-rom": (b"NES\x1a",),
    "application/x-sqlite3": (b"SQLite format 3\0",),
    "application/font-sfnt": (b"\0\1\0\0\0", b"OTTO", b"ttcf", b"true\0"),
    "application/font-woff": (b"wOFF", b"wOF2"),
}
_BY_BEGINNING = sorted(
    ((mark, name) for name, marks in _BEGINNINGS.items() for mark in marks),
    key=lambda each: len(each[0]),
    reverse=True,
)
_WITHIN = {"application/x-tar": (257, b"ustar"), "application/dicom": (128, b"DICM")}
_CHUNKED = {
    (b"RIFF", b"WEBP"): "image/webp",
    (b"RIFF", b"AVI "): "video/x-msvideo",
    (b"RIFF", b"WAVE"): "audio/x-wav",
    (b"RF64", b"WAVE"): "audio/x-wav",
    (b"FORM", b"AIFF"): "audio/x-aiff",
    (b"FORM", b"AIFC"): "audio/x-aiff",
}
_EBML = b"\x1a\x45\xdf\xa3"
_EBML_TYPE = re.compile(rb"\x42\x82(?:[\x80-\xff]|\x01.{7})(webm|matroska)", re.DOTALL)
_EBML_TYPES = {b"webm": "video/webm", b"matroska": "video/x-matroska"}
_ANIMATED = re.compile(rb"acTL|IDAT")
"""Chunks of a PNG: what has pictures that follow each other says so before the first."""

# --- archives and containers of documents ------------------------------------------------------

_ENTRY = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_STATED = re.compile(rb"application/(?:epub\+zip|vnd\.oasis\.opendocument\.[a-z-]+)")
"""What the first file of an archive, called `mimetype`, may say of all of it."""
_FOLDERS = {
    b"word/": f"{_OPENXML}wordprocessingml.document",
    b"xl/": f"{_OPENXML}spreadsheetml.sheet",
    b"ppt/": f"{_OPENXML}presentationml.presentation",
}
_FIRST_IN_OPENXML = (b"[Content_Types].xml", b"_rels/", b"docProps/", *_FOLDERS)
_OLE_TYPES = {
    "application/msword": ("WordDocument", (b"\xec\xa5\xc1\0",)),
    "application/vnd.ms-excel": ("Workbook", (b"\x09\x08\x10\0\0\6\5\0",)),
    "application/vnd.ms-powerpoint": (
        "PowerPoint Document",
        (b"\xa0\x46\x1d\xf0", b"\0\x6e\x1e\xf0", b"\x0f\0\xe8\3"),
    ),
}
"""By the name of a stream, or by what the first sector begins with."""
_FIRST_SECTOR = 512

# --- ISO's base media format -------------------------------------------------------------------

_BRANDS_WITHIN = 4096
HEIF_BRANDS = frozenset(
    b"mif1 mif2 msf1 miaf heic heix heim heis hevc hevx hevm hevs avif avis avio MA1A MA1B".split()
)
_AVIF_BRANDS = frozenset((b"avif", b"avis"))
_OTHER_PICTURES = frozenset((b"crx ",))
_FILM_BRANDS = frozenset((b"isom", b"mp41", b"mp42"))
_SOUND_BRANDS = frozenset((b"M4A ", b"M4B ", b"M4P "))

RECOGNIZED = frozenset(
    {
        *(*_BEGINNINGS, *_WITHIN, *_CHUNKED.values(), *_EBML_TYPES.values(), *_FOLDERS.values()),
        *(*_OLE_TYPES, _ZIP, "application/epub+zip", "image/apng", "image/x-canon-cr2"),
        *(f"application/vnd.oasis.opendocument.{kind}" for kind in ("text", "spreadsheet")),
        "application/vnd.oasis.opendocument.presentation",
        *("image/avif", "image/heic", "image/heif", "audio/mp4", "video/mp4", "video/3gpp"),
        "video/quicktime",
    }
)
"""All that `find` may say, but for the rarer documents of OpenOffice."""


def find(head: bytes) -> str | None:
    """Return the media type of a file that begins like this; None for what has no signature."""
    if head.startswith(_ZIPS):
        return _find_in_archive(head)
    if head.startswith(OLE):
        return _find_in_ole(head)
    if brands := brands_of(head):
        return _find_by_brands(head[8:12], brands)
    if head.startswith(_EBML):
        match = _EBML_TYPE.search(head, 0, _BRANDS_WITHIN)
        return _EBML_TYPES[match[1]] if match else None
    if (chunked := _CHUNKED.get((head[:4], head[8:12]))) is not None:
        return chunked
    for name, (place, mark) in _WITHIN.items():  # what stands before may be any letters
        if head.startswith(mark, place):
            return name
    return _find_by_beginning(head)


def _find_by_beginning(head: bytes) -> str | None:
    found = next((name for mark, name in _BY_BEGINNING if head.startswith(mark)), None)
    if found == _TIFF and head[8:10] == b"CR":
        return "image/x-canon-cr2"
    if found == "image/png" and (chunk := _ANIMATED.search(head)) and chunk[0] == b"acTL":
        return "image/apng"
    return found


def _find_in_archive(head: bytes) -> str:
    names = [
        head[entry.end() : entry.end() + int.from_bytes(entry[1], "little")]
        for entry in _ENTRY.finditer(head)
    ]
    first = names[0] if names else b""
    if first == b"mimetype" and (stated := _STATED.match(head, 30 + len(first) + _extra(head))):
        return stated[0].decode()
    if first.startswith(_FIRST_IN_OPENXML):
        for folder, name in _FOLDERS.items():
            if any(each.startswith(folder) for each in names):
                return name
    return _ZIP


def _extra(head: bytes) -> int:
    """Return how long the field is that stands between the first file's name and its bytes."""
    return int.from_bytes(head[28:30], "little")


def _find_in_ole(head: bytes) -> str | None:
    for name, (stream, marks) in _OLE_TYPES.items():
        if head.startswith(marks, _FIRST_SECTOR) or stream.encode("utf-16-le") in head:
            return name
    return None


def brands_of(head: bytes) -> set[bytes]:
    """Return the brands that a file of ISO's base media format names, the first one among them."""
    if head[4:8] != b"ftyp":
        return set()
    end = min(int.from_bytes(head[:4]), len(head), _BRANDS_WITHIN)
    return {head[place : place + 4] for place in (8, *range(16, end - 3, 4))}


def _find_by_brands(major: bytes, brands: set[bytes]) -> str | None:
    """Return the type by the first brand, and else by what the file is compatible with."""
    if major == b"qt  ":
        return "video/quicktime"
    if major in _SOUND_BRANDS:
        return "audio/mp4"
    if brands & _FILM_BRANDS and major not in HEIF_BRANDS | _OTHER_PICTURES:
        return "video/mp4"
    if brands & _AVIF_BRANDS:
        return "image/avif"
    if brands & HEIF_BRANDS:
        return "image/heic" if b"heic" in brands else "image/heif"
    if brands & _OTHER_PICTURES:
        return None
    return "video/3gpp" if major.startswith(b"3g") else "video/mp4"
