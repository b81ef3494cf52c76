"""What a file is said to be, against what its first bytes say."""

import struct

import pytest

from each_case import for_each
from heliograph.core.media.media_types import (
    as_sent,
    guess_media_type,
    is_safe_to_show,
    judge_media_type,
    parse_media_type,
)
from heliograph.errors import MediaTypeError
from media_scene import HTML, PNG, archive

SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
MP4 = struct.pack(">I", 32) + b"ftypisom\0\0\2\0isomiso2avc1mp41" + b"\0" * 64
OGG = b"OggS\0\2" + b"\0" * 20 + b"\x01\x13OpusHead\x01\x01" + b"\0" * 64
MP3 = b"ID3\x04\0\0\0\0\0\x23" + b"\0" * 300
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
GZIP = b"\x1f\x8b\x08\0" + b"\0" * 60
NOISE = bytes((number * 97 + 13) % 256 for number in range(800))


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DOCX, ZIP = archive("[Content_Types].xml", "word/document.xml"), archive("a.txt")

TAKEN = [
    ("image/png", PNG),
    ("image/x-png", PNG),
    ("application/pdf", PDF),
    ("video/mp4", MP4),
    ("audio/mp4", MP4),
    ("video/3gpp", MP4),
    ("audio/ogg", OGG),
    ("audio/opus", OGG),
    ("audio/mpeg", MP3),
    ("audio/mp3", MP3),
    ("application/zip", ZIP),
    (WORD, DOCX),
    ("application/epub+zip", ZIP),
    ("application/zip", DOCX),
    ("application/msword", OLE),
    ("text/plain", b"Hello"),
    ("text/plain", HTML),
    ("text/plain", "Grüße".encode("latin-1")),
    ("text/csv", b"a,b\n1,2\n"),
    ("text/vcard", b"BEGIN:VCARD\nEND:VCARD\n"),
    ("application/json", b'{"a": 1}'),
    ("text/html", HTML),
    ("image/svg+xml", SVG),
    ("application/x-something-of-ours", NOISE),
    ("video/mov", MP4),
    ("video/3gp", MP4),
    ("audio/3gp", MP4),
    ("video/mpeg4", MP4),
    ("application/oxps", ZIP),
    ("model/3mf", ZIP),
    ("application/x-compressed-tar", GZIP),
    ("application/x-gtar", GZIP),
    ("application/x-tar", GZIP),
    ("application/x-compressed", GZIP),
    ("application/x-tgsticker", GZIP),
    ("application/postscript", PDF),
    ("application/illustrator", PDF),
    ("application/bzip2", b"BZh91AY&SY" + NOISE),
    ("application/x-photoshop", b"8BPS\0\1" + b"\0" * 60),
    ("application/acad", b"AC1027\0\0\0\0" + b"\0" * 60),
    ("application/vnd.sqlite3", b"SQLite format 3\0" + b"\0" * 80),
]
REFUSED = [
    ("image/png", HTML, "its bytes are text/html"),
    ("image/png", PDF, "its bytes are application/pdf"),
    ("image/jpeg", PNG, "its bytes are image/png"),
    ("image/png", b"Hello", "its bytes are not"),
    ("image/x-unheard-of", NOISE, "its bytes are not"),
    ("audio/mpeg", MP4, "its bytes are video/mp4"),
    ("application/pdf", b"Hello", "its bytes are not"),
    ("application/pdf", ZIP, "its bytes are application/zip"),
    ("application/pdf", b"%!PS-Adobe-3.0", "its bytes are application/postscript"),
    ("application/pdf", GZIP, "its bytes are application/gzip"),
    ("application/x-tar", PDF, "its bytes are application/pdf"),
    ("text/plain", PNG, "its bytes are image/png"),
    ("text/plain", NOISE, "its bytes are not text"),
    ("application/json", b"\x00\x01", "its bytes are not text"),
    ("application/x-something-of-ours", PNG, "its bytes are image/png"),
]


@for_each(("claimed", "head"), TAKEN, ids=[claimed for claimed, _ in TAKEN])
def test_what_agrees_is_taken_as_it_is_claimed(claimed: str, head: bytes) -> None:
    assert judge_media_type(claimed, head) == claimed


@for_each(("claimed", "head", "reason"), REFUSED)
def test_what_contradicts_is_refused_with_both_types(
    claimed: str, head: bytes, reason: str
) -> None:
    with pytest.raises(MediaTypeError, match=f"its declared type is {claimed}, but {reason}"):
        judge_media_type(claimed, head)


@for_each(
    ("guess", "head", "found"),
    [
        ("image/jpeg", PNG, "image/png"),
        ("video/mp4", PNG, "image/png"),
        ("audio/mp4", MP3, "audio/mpeg"),
        (WORD, PNG, "image/png"),
        ("text/plain", PNG, "image/png"),
        ("image/png", PNG, "image/png"),
        ("audio/x-m4a", MP4, "audio/x-m4a"),
    ],
)
def test_a_picture_or_a_sound_under_another_name_is_what_its_bytes_say(
    guess: str, head: bytes, found: str
) -> None:
    assert guess_media_type(guess, head) == found


@for_each("head", [HTML, SVG, PDF, ZIP, NOISE, b"Hello", b""])
@for_each("guess", ["image/png", "audio/mpeg", "video/mp4"])
def test_what_is_no_picture_is_none_by_anybodys_guess(guess: str, head: bytes) -> None:
    with pytest.raises(MediaTypeError):
        guess_media_type(guess, head)


@for_each(
    ("head", "found"),
    [
        (PNG, "image/png"),
        (DOCX, WORD),
        (HTML, "text/html"),
        (b"Hello", "text/plain"),
        ("Grüße".encode("utf-16"), "text/plain"),
        (NOISE, "application/octet-stream"),
    ],
)
def test_without_a_claim_the_bytes_decide(head: bytes, found: str) -> None:
    assert judge_media_type(parse_media_type(None), head) == found


LETTERS = [
    *(b"BMI,weight\n1,2\n", b"BM", b"MZ", b"MZ,a\n", b"ID3", b"ID3,a\n", b"GIF89a"),
    *(b"GIF87a is old", b"FWS", b"CWS;a", b"AC1015;x", b"MThd", b"8BPS", b"%!PS"),
    *(b"%!PS-Adobe-3.0\n", b"OggS OpusHead"),
    *(b"RIFF of WAVE", b"fLaC", b"#!AMR\n", b"FLV\t", b"LZIP", b"SQLite format 3", b"!<arch>\n"),
    *(b"wOFF", b"OTTO", b"true story", b"FORM AIFF", b"G" * 600, b"    ftypisom", b"Rar!"),
]


@for_each("head", LETTERS)
@for_each(
    "claimed",
    ["text/csv", "text/plain", "application/json", "text/vcard", "application/vnd.ms-excel"],
)
def test_a_text_may_begin_with_the_letters_of_another_format(claimed: str, head: bytes) -> None:
    assert judge_media_type(claimed, head) == claimed
    assert as_sent(claimed, head) == claimed


@for_each("head", LETTERS)
def test_letters_alone_are_a_text_and_no_picture_sound_or_program(head: bytes) -> None:
    written = "application/postscript" if head.startswith(b"%!PS") else "text/plain"
    assert judge_media_type(parse_media_type(None), head) == written
    for claimed in ("image/bmp", "image/gif", "audio/mpeg", "audio/ogg", "video/x-flv", "font/otf"):
        with pytest.raises(MediaTypeError):
            judge_media_type(claimed, head)


@for_each("letters", [b"BM", b"MZ", b"ID3", b"GIF89a", b"8BPS", b"OggS"])
def test_what_is_no_text_behind_the_letters_is_no_text(letters: bytes) -> None:
    with pytest.raises(MediaTypeError):
        judge_media_type("text/csv", letters + bytes(100))


def test_a_header_is_read_without_its_parameters() -> None:
    assert parse_media_type(" Text/Plain ; charset=utf-8") == "text/plain"


@for_each(
    "header",
    [
        "png",
        "image/",
        "image/p ng",
        "image/png, text/html",
        "*/*",
        "x/" + "y" * 200,
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
def test_what_is_no_media_type_of_a_file_is_refused(header: str) -> None:
    with pytest.raises(MediaTypeError):
        parse_media_type(header)


def test_only_what_runs_nothing_is_served_under_its_own_type() -> None:
    assert all(map(is_safe_to_show, ("image/png", "audio/ogg", "video/mp4")))
    assert not any(map(is_safe_to_show, ("image/svg+xml", "text/html", "application/pdf")))
