"""Files that programs have really written, under the names that they are given."""

import io
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from debian_programs import need_program
from each_case import for_each
from heliograph.core.media.media_types import (
    GENERIC,
    as_sent,
    judge_media_type,
    parse_media_type,
)
from heliograph.core.media.signatures import _BEGINNINGS, RECOGNIZED, find
from heliograph.errors import MediaTypeError
from media_scene import archive

SOUND = ("-f", "lavfi", "-i", "sine=440:duration=1")
FILM = ("-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=0.4")
STILL = (*FILM, "-frames:v", "1")
MADE: dict[str, tuple[tuple[str, ...], str]] = {
    "a.aac": (SOUND, "audio/aac audio/aacp audio/x-aac audio/vnd.dlna.adts audio/x-hx-aac-adts"),
    "a.m4a": (SOUND, "audio/mp4 audio/m4a audio/x-m4a audio/aac audio/mp4a-latm"),
    "a.aiff": (SOUND, "audio/aiff audio/x-aiff audio/aif audio/x-aif sound/aiff"),
    "a.wav": (SOUND, "audio/wav audio/wave audio/x-wav audio/vnd.wave"),
    "a.flac": (SOUND, "audio/flac audio/x-flac"),
    "a.mp3": (SOUND, "audio/mpeg audio/mp3 audio/x-mp3 audio/mpg"),
    "crc.mp3": ((*SOUND, "-write_id3v2", "0", "-id3v2_version", "0"), "audio/mpeg audio/mp3"),
    "a.mp2": (SOUND, "audio/mpeg audio/mp2 audio/x-mp2"),
    "half.mp2": ((*SOUND, "-ar", "22050"), "audio/mpeg audio/mp2"),
    "tagged.aac": ((*SOUND, "-f", "adts", "-write_id3v2", "1"), "audio/aac audio/aacp audio/mpeg"),
    "a.m4b": ((*SOUND, "-f", "ipod"), "audio/m4b audio/x-m4b audio/mp4"),
    "flac.oga": ((*SOUND, "-c:a", "flac"), "audio/ogg audio/flac audio/x-flac"),
    "a.ac3": (SOUND, "audio/ac3"),
    "a.au": (SOUND, "audio/basic audio/x-au"),
    "a.caf": (SOUND, "audio/x-caf"),
    "a.mka": (SOUND, "audio/x-matroska audio/matroska"),
    "a.wma": (SOUND, "audio/x-ms-wma"),
    "v.mp4": (FILM, "video/mp4 video/x-m4v video/quicktime"),
    "v.m4v": (FILM, "video/m4v video/x-m4v video/mp4 application/mp4"),
    "v.ts": (FILM, "video/mp2t video/mpegts"),
    "v.m2ts": (FILM, "video/mp2t video/m2ts video/vnd.dlna.mpeg-tts"),
    "v.mov": (FILM, "video/quicktime video/mp4"),
    "v.avi": (FILM, "video/avi video/x-msvideo video/msvideo video/vnd.avi video/x-avi"),
    "v.mkv": (FILM, "video/x-matroska video/matroska video/mkv video/x-mkv"),
    "v.webm": (FILM, "video/webm"),
    "v.mpg": (FILM, "video/mpeg video/mpg"),
    "v.flv": (FILM, "video/x-flv video/flv"),
    "v.wmv": (FILM, "video/x-ms-wmv"),
    "v.gif": (FILM, "image/gif"),
    "v.apng": (FILM, "image/png image/apng image/vnd.mozilla.apng"),
    "v.png": (STILL, "image/png"),
    "v.jpg": (STILL, "image/jpeg image/jpg image/pjpeg"),
    "v.webp": (STILL, "image/webp"),
    "v.bmp": (STILL, "image/bmp image/x-ms-bmp image/x-windows-bmp"),
    "v.tiff": (STILL, "image/tiff image/tif"),
    "v.jp2": (STILL, "image/jp2"),
    "still.avif": (STILL, "image/avif image/heif"),
    "film.avif": (FILM, "image/avif image/avif-sequence"),
}
OGG = {
    "opus.ogg": ((*SOUND, "-c:a", "libopus"), "audio/ogg; codecs=opus"),
    "opus.opus": ((*SOUND, "-c:a", "libopus"), "audio/ogg; codecs=opus"),
    "vorbis.ogg": ((*SOUND, "-c:a", "libvorbis"), "audio/ogg; codecs=vorbis"),
    "flac.ogg": ((*SOUND, "-c:a", "flac"), "audio/ogg; codecs=flac"),
    "film.ogv": (FILM, "video/ogg"),
}
UNTYPED = {
    "a.m4a": (SOUND, "audio/mp4"),
    "sound.mp4": ((*SOUND, "-movflags", "+faststart"), "audio/mp4"),
    "a.mka": (SOUND, "audio/x-matroska"),
    "a.webm": ((*SOUND, "-c:a", "libopus"), "audio/webm"),
    "a.wma": (SOUND, "audio/x-ms-wma"),
    "a.3gp": ((*SOUND, "-c:a", "aac", "-movflags", "+faststart"), "audio/mp4"),
    "a.mp2": (SOUND, "audio/mpeg"),
    "tagged.aac": ((*SOUND, "-f", "adts", "-write_id3v2", "1"), "audio/aac"),
    "v.mp4": ((*FILM, "-movflags", "+faststart"), "video/mp4"),
    "both.mp4": ((*FILM, *SOUND, "-movflags", "+faststart"), "video/mp4"),
    "both.mkv": ((*FILM, *SOUND), "video/x-matroska"),
    "both.webm": ((*FILM, *SOUND, "-c:a", "libopus"), "video/webm"),
    "both.wmv": ((*FILM, *SOUND), "video/x-ms-wmv"),
    "v.ts": (FILM, "video/mp2t"),
    "v.m2ts": (FILM, "video/mp2t"),
}


def made(folder: Path, name: str, arguments: tuple[str, ...]) -> bytes:
    need_program("ffmpeg", "ffmpeg")
    file = folder / name
    if not file.exists():
        program = shutil.which("ffmpeg") or "ffmpeg"
        command = [program, "-loglevel", "error", *arguments, str(file)]
        subprocess.run(command, check=True, timeout=60)
    return file.read_bytes()[: 64 * 1024]


@for_each("name", MADE)
def test_a_file_is_taken_under_every_usual_name_and_refused_as_another(
    tmp_path: Path, name: str
) -> None:
    arguments, names = MADE[name]
    head = made(tmp_path, name, arguments)
    for claimed in names.split():
        assert judge_media_type(claimed, head) == claimed
    for other in ("application/pdf", "text/plain", "application/vnd.ms-excel"):
        with pytest.raises(MediaTypeError):
            judge_media_type(other, head)


@for_each("name", UNTYPED)
def test_a_sound_is_told_from_a_film_without_a_type(tmp_path: Path, name: str) -> None:
    arguments, found = UNTYPED[name]
    assert judge_media_type(parse_media_type(None), made(tmp_path, name, arguments)) == found


@for_each("name", OGG)
@for_each("claimed", ["audio/ogg", "application/ogg", "audio/opus", None])
def test_ogg_is_sent_with_its_codec_whatever_it_is_called(
    tmp_path: Path, name: str, claimed: str | None
) -> None:
    arguments, sent = OGG[name]
    head = made(tmp_path, name, arguments)
    judged = judge_media_type(parse_media_type(claimed), head)
    assert as_sent(judged, head) == sent


# --- what ffmpeg does not write ----------------------------------------------------------------


def box(brand: bytes, *others: bytes) -> bytes:
    body = brand + b"\0\0\0\0" + b"".join(others)
    return (8 + len(body)).to_bytes(4) + b"ftyp" + body + bytes(60)


OPENXML = "application/vnd.openxmlformats-officedocument"
DOCX = archive("[Content_Types].xml", "word/document.xml")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
CSV = b"\xef\xbb\xbfname;phone\r\nJos\xc3\xa9;+5511999990000\r\n"
OFFICE = (
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.spreadsheet",
)


@for_each("claimed", OFFICE)
@for_each(
    "head",
    [CSV, DOCX, OLE, b"<html><table>", b"<?xml version='1.0'?><Workbook/>", b"{\\rtf1 }"],
    ids=["csv", "docx", "ole", "html", "xml", "rtf"],
)
def test_what_office_programs_open_is_taken_under_their_names(claimed: str, head: bytes) -> None:
    assert judge_media_type(claimed, head) == claimed


@for_each("junk", [b"\r\n", bytes(900), b"HTTP/1.1 200 OK\r\n\r\n", b"\xef\xbb\xbf"])
def test_a_pdf_may_begin_within_its_first_1024_bytes(junk: bytes) -> None:
    pdf = junk + b"%PDF-1.4\n1 0 obj<<>>endobj\n%%EOF\n"
    assert judge_media_type("application/pdf", pdf) == "application/pdf"
    with pytest.raises(MediaTypeError):
        judge_media_type("application/pdf", bytes(1024) + pdf)


@for_each("before", [1, 1018, 1019, 1020, 1022, 1023])
def test_a_pdf_is_found_up_to_the_last_of_them(before: int) -> None:
    for junk in (b"x" * (before - 1) + b"\n", bytes(before - 1) + b"\n"):
        pdf = junk + b"%PDF-1.4\n1 0 obj<<>>endobj\n%%EOF\n" + bytes(60)
        for claimed in ("application/pdf", None):
            assert judge_media_type(parse_media_type(claimed), pdf) == "application/pdf"
    late = b"x" * 1023 + b"\n%PDF-1.4\n"
    assert judge_media_type(parse_media_type(None), late) == "text/plain"


def test_a_text_that_speaks_of_pdf_is_a_text() -> None:
    text = b"It begins with\n%PDF-1.4 in most cases."
    assert judge_media_type("text/plain", text) == "text/plain"


@for_each("brand", b"mif1 msf1 heic heix heim heis hevc hevx hevm hevs avif avis".split(), ids=repr)
@for_each("place", ["first", "further"])
def test_every_brand_of_heif_is_a_picture(brand: bytes, place: str) -> None:
    head = box(brand, b"mif1") if place == "first" else box(b"mif1", b"miaf", brand)
    for claimed in ("image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"):
        assert judge_media_type(claimed, head) == claimed
    assert judge_media_type(parse_media_type(None), head).startswith("image/")


@for_each("atom", [b"wide", b"mdat", b"moov", b"free", b"skip", b"pnot"])
def test_a_film_of_quicktime_may_have_no_file_type(atom: bytes) -> None:
    head = b"\0\0\0\x08" + atom + b"\0\0\x10\0mdat" + bytes(60)
    assert judge_media_type("video/quicktime", head) == "video/quicktime"
    assert judge_media_type(parse_media_type(None), head) == "video/quicktime"


FILM_BRANDS = b"iso2 iso4 iso5 iso6 iso8 iso9 cmfc cmf2 dash mmp4 3g2a KDDI avc1 f4v M4VH".split()


@for_each("brand", FILM_BRANDS, ids=repr)
@for_each("claimed", ["video/mp4", "audio/mp4", "video/3gpp2", "application/mp4"])
def test_a_film_may_name_any_of_its_brands(brand: bytes, claimed: str) -> None:
    assert judge_media_type(claimed, box(brand)) == claimed
    with pytest.raises(MediaTypeError):
        judge_media_type("image/heif", box(brand))


def test_a_sound_may_have_a_tag_in_front_that_is_longer_than_what_is_looked_at() -> None:
    for tag, sound, found in (
        (b"ID3\4\0\0\0\0\0\x05" + bytes(5), b"fLaC\0\0\0\x22", "audio/flac"),
        (b"ID3\4\0\x10\0\0\0\x05" + bytes(15), b"\xff\xf1\x50\x80", "audio/aac"),
        (b"ID3\4\0\0\0\0\0\x05" + bytes(5), b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"ID3\4\0\0\x7f\0\0\x05", bytes(500), "audio/mpeg"),
        (b"ID3\4\0", b"", "audio/mpeg"),
    ):
        head = tag + sound
        assert judge_media_type(parse_media_type(None), head) == found
        for claimed in ("audio/mpeg", "audio/aac", "audio/flac", "audio/mp3", "audio/x-flac"):
            assert judge_media_type(claimed, head) == claimed
        with pytest.raises(MediaTypeError):
            judge_media_type("audio/ogg", head)


@pytest.mark.parametrize("kind", [b"\x09\x00\x04\x00", b"\x09\x04\x06\x00", b"\x09\x08\x08\x00"])
def test_a_workbook_may_have_no_container_around_it(kind: bytes) -> None:
    head = kind + b"\0\5\5\0" + bytes(60)
    assert judge_media_type("application/vnd.ms-excel", head) == "application/vnd.ms-excel"


@for_each("claimed", ["font/ttf", "font/otf", "font/woff2", "font/collection"])
def test_a_font_is_no_text(claimed: str) -> None:
    for head in (b"Hello", b"<html><script>"):
        with pytest.raises(MediaTypeError):
            judge_media_type(claimed, head)


@for_each("start", [b"\0\1\0\0\0", b"OTTO\0", b"ttcf\0\1", b"true\0\x0a"])
def test_a_font_is_taken_under_its_names(start: bytes) -> None:
    for claimed in ("font/ttf", "font/otf", "font/sfnt", "application/x-font-ttf"):
        assert judge_media_type(claimed, start + bytes(60)) == claimed


@for_each("claimed", ["audio/amr", "audio/amr-wb", "audio/AMR-WB", "audio/3gpp"])
def test_both_kinds_of_amr_are_sounds(claimed: str) -> None:
    for head in (b"#!AMR\n" + bytes(60), b"#!AMR-WB\n" + bytes(60)):
        assert judge_media_type(parse_media_type(claimed), head) == claimed.lower()
    assert judge_media_type(parse_media_type(None), b"#!AMR-WB\n" + bytes(60)) == "audio/amr-wb"


def tar(name: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as file:
        file.addfile(tarfile.TarInfo(name))
    return packed.getvalue()


def document(stream: str) -> bytes:
    return OLE[:512] + bytes(1024) + stream.encode("utf-16-le") + bytes(100)


def stated(media_type: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("mimetype", media_type)
        file.writestr("content.xml", "<x/>")
    return packed.getvalue()


HELD = {
    "a workbook": (document("Workbook"), "application/vnd.ms-excel"),
    "slides": (document("PowerPoint Document"), "application/vnd.ms-powerpoint"),
    "a letter": (document("WordDocument"), "application/msword"),
    "a mail": (document("__properties_version1.0"), GENERIC),
    "word": (DOCX, f"{OPENXML}.wordprocessingml.document"),
    "a workbook in XML": (
        archive("_rels/.rels", "docProps/app.xml", "a", "b", "c", "xl/workbook.xml"),
        f"{OPENXML}.spreadsheetml.sheet",
    ),
    "a folder": (archive("readme.txt", "word/a.txt"), "application/zip"),
    "a drawing": (
        stated("application/vnd.oasis.opendocument.graphics"),
        "application/vnd.oasis.opendocument.graphics",
    ),
    "a book": (stated("application/epub+zip"), "application/epub+zip"),
    "what it says alone": (stated("text/html"), "application/zip"),
    "BMW": (tar("BMW.txt"), "application/x-tar"),
    "a picture of a camera": (box(b"crx ", b"isom"), GENERIC),
    "pictures in a row": (box(b"hevc", b"isom", b"mif1"), "image/heif"),
    "a film of QuickTime": (box(b"qt  ", b"isom"), "video/quicktime"),
    "a sound": (box(b"M4A ", b"isom"), "audio/mp4"),
    "a phone's film": (box(b"3gp4"), "video/3gpp"),
    "a film in a stream": (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska\0", "video/x-matroska"),
    "no film": (b"\x1a\x45\xdf\xa3\x93 it is webm\0", GENERIC),
    "a raw picture": (b"II*\0\x10\0\0\0CR\2\0" + bytes(60), "image/x-canon-cr2"),
    "a large TIFF": (b"II+\0\x08\0\0\0" + bytes(60), "image/tiff"),
    "a vehicle's sound": (b"RF64\xff\xff\xff\xffWAVEds64" + bytes(60), "audio/x-wav"),
}


@for_each("name", HELD)
def test_a_container_is_what_it_holds(name: str) -> None:
    head, found = HELD[name]
    assert judge_media_type(parse_media_type(None), head) == found


@for_each(("name", "mark"), [(name, mark) for name, marks in _BEGINNINGS.items() for mark in marks])
def test_no_signature_hides_another(name: str, mark: bytes) -> None:
    assert find(mark + bytes(300)) == name
    assert name in RECOGNIZED


@for_each("claimed", ["image/png", "audio/ogg", "video/mp4", "application/pdf"])
@for_each("head", [b"<script>alert(1)</script>", b"MZ\x90\0" + bytes(200), DOCX])
def test_what_is_nothing_of_the_kind_is_refused(claimed: str, head: bytes) -> None:
    with pytest.raises(MediaTypeError):
        judge_media_type(claimed, head)
