"""Names of media types: many formats have several, and some begin alike."""

_NAMES = {
    "image/jpeg": "image/jpg image/pjpeg image/jfif image/x-citrix-jpeg",
    "image/png": "image/x-png image/apng image/vnd.mozilla.apng image/x-citrix-png",
    "image/bmp": "image/x-ms-bmp image/x-bmp image/x-windows-bmp image/ms-bmp",
    "image/heif": "image/heic image/heif-sequence image/heic-sequence image/avif"
    " image/avif-sequence",
    "image/x-icon": "image/vnd.microsoft.icon image/ico",
    "image/jp2": "image/jpx image/jpm image/jpeg2000",
    "image/webp": "image/x-webp",
    "image/tiff": "image/tif image/x-tiff image/dng image/x-adobe-dng image/x-canon-cr2",
    "audio/mpeg": "audio/mp3 audio/mpeg3 audio/x-mpeg-3 audio/x-mp3 audio/x-mpeg"
    " audio/mpg audio/x-mpg audio/mp2 audio/x-mp2 audio/mpa audio/x-mpeg-2",
    "audio/wav": "audio/x-wav audio/wave audio/vnd.wave audio/x-pn-wav",
    "audio/flac": "audio/x-flac",
    "audio/aac": "audio/aacp audio/x-aac audio/x-hx-aac-adts audio/vnd.dlna.adts audio/aac-adts",
    "audio/aiff": "audio/x-aiff audio/aif audio/x-aif sound/aiff audio/x-pn-aiff",
    "audio/midi": "audio/x-midi audio/mid audio/x-mid audio/sp-midi",
    "audio/amr": "audio/amr-wb audio/amr-nb audio/x-amr audio/amr-wb+",
    "audio/basic": "audio/x-au audio/au",
    "video/x-msvideo": "video/avi video/msvideo video/vnd.avi video/x-avi video/avs-video",
    "video/x-flv": "video/flv",
    "video/mpeg": "video/mpg video/x-mpeg video/x-mpg",
    "video/mp2t": "video/mpeg2 video/vnd.dlna.mpeg-tts video/m2ts video/x-m2ts video/mts"
    " video/x-mpegts video/mpegts video/mpeg-ts video/avchd-stream",
    "font/sfnt": "application/font-sfnt font/ttf font/otf font/collection application/x-font-ttf"
    " application/x-font-otf application/x-font-truetype application/x-font-opentype"
    " application/vnd.ms-opentype",
    "font/woff": "application/font-woff application/x-font-woff font/woff2 application/font-woff2",
    "application/pdf": "application/x-pdf application/acrobat",
    "application/rtf": "text/rtf application/x-rtf text/richtext",
    "application/gzip": "application/x-gzip application/x-gtar application/x-compressed-tar"
    " application/x-tgz application/tar+gzip",
    "application/x-bzip2": "application/bzip2 application/x-bzip",
    "application/x-sqlite3": "application/vnd.sqlite3",
    "image/vnd.adobe.photoshop": "image/psd image/x-psd application/x-photoshop",
    "image/vnd.dwg": "application/acad application/x-acad application/dwg application/x-dwg"
    " image/x-dwg",
    "application/zip": "application/x-zip-compressed application/x-zip",
    "application/x-rar-compressed": "application/vnd.rar application/x-rar application/rar",
    "application/x-7z-compressed": "application/7z",
    "application/x-msdownload": "application/vnd.microsoft.portable-executable",
}
_PLAIN = {other: name for name, others in _NAMES.items() for other in others.split()}
"""Names for a format, and the one that stands for all of them here."""

_FAMILIES = (
    {"video/mp4", "audio/mp4", "audio/m4a", "audio/x-m4a", "audio/mp4a-latm", "video/x-m4v"}
    | {"audio/m4b", "audio/x-m4b", "audio/m4p", "audio/x-m4p", "audio/m4r", "audio/x-m4r"}
    | {"video/m4v", "application/mp4", "video/mpeg4", "video/x-f4v"}
    | {"video/quicktime", "video/mov", "video/x-quicktime"}
    | {"audio/aac", "video/3gpp", "audio/3gpp", "video/3gpp2", "audio/3gpp2"}
    | {"video/3gp", "audio/3gp", "video/3g2", "audio/3g2"},
    {"audio/amr", "audio/3gpp", "audio/3gpp2", "audio/3gp"},
    {"audio/ogg", "video/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/x-opus+ogg"}
    | {"audio/x-vorbis+ogg", "audio/speex", "audio/x-speex", "audio/x-ogg", "video/x-ogg"},
    {"video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska", "video/matroska"}
    | {"audio/matroska", "video/mkv", "video/x-mkv", "application/x-matroska"}
    | {"video/x-matroska-3d", "video/matroska-3d"},
    {"video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma", "video/x-ms-wm", "audio/x-ms-asf"},
)
"""Formats that begin alike."""
_OFFICE = (
    "application/msword",
    "application/msexcel",
    "application/x-msexcel",
    "application/x-excel",
    "application/excel",
    "application/mspowerpoint",
    "application/powerpoint",
    "application/vnd.ms-",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
    "application/vnd.visio",
)
_ARCHIVES = ("application/zip", "application/epub+zip", "application/vnd.")
_COMPRESSED = ("application/gzip", "application/x-bzip2", "application/x-xz", "application/zstd")
_DRAWINGS = (
    "application/postscript",
    "application/illustrator",
    "application/vnd.adobe.illustrator",
)
"""Names of Illustrator's files, which are PDFs inside."""
_IN_ARCHIVES = (
    "application/vnd.",
    "application/java-archive",
    "application/x-",
    "application/zip",
    "application/oxps",
    "model/3mf",
)


def plain_name(media_type: str) -> str:
    """Return the name that stands for all names of a format."""
    return _PLAIN.get(media_type, media_type)


def is_office(media_type: str) -> bool:
    """Return whether it is a document of an office program. Programs take many formats under these
    names: text, pages, and each other's documents."""
    return media_type.startswith(_OFFICE)


def may_be(claimed: str, found: str) -> bool:
    """Return whether a file that was found to be of one type may be of the other."""
    plain, known = plain_name(claimed), plain_name(found)
    if plain == known or any({plain, known} <= family for family in _FAMILIES):
        return True
    if is_office(plain) and (is_office(known) or known == "application/rtf"):
        return True
    if known == "application/pdf" and plain in _DRAWINGS:
        return True
    is_packed = known.startswith(_ARCHIVES) or known in _COMPRESSED
    may_hold = is_office(plain) or plain.endswith("+zip") or plain.startswith(_IN_ARCHIVES)
    return is_packed and may_hold
