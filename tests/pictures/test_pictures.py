"""What becomes of a stranger's picture: a JPEG that we have written, or nothing."""

import io
import random
import struct
import zlib

import pytest
from PIL import Image

from each_case import for_each
from heliograph.core.media.service import IMAGE_SIDE, PREVIEW_SIDE
from heliograph.platform.pictures.worker import MAX_PIXELS, RefusedPictureError, encode_picture

MARK = b"<script>alert(1)</script>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">' + MARK + b"</svg>"
HTML = b"<!doctype html><html>" + MARK + b"</html>"


def picture(kind: str = "PNG", size: tuple[int, int] = (300, 200), mode: str = "RGB") -> bytes:
    encoded = io.BytesIO()
    Image.new(mode, size, 200 if mode in ("L", "P") else None).save(encoded, kind)
    return encoded.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data), formats=("JPEG",))


def png_that_claims(width: int, height: int) -> bytes:
    """A small file whose head says that it is huge."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@for_each("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_usual_pictures_become_a_jpeg(kind: str) -> None:
    with opened(encode_picture(picture(kind), IMAGE_SIDE)) as written:
        assert (written.format, written.mode, written.size) == ("JPEG", "RGB", (300, 200))


@for_each("mode", ["RGBA", "LA", "L", "P", "1"])
def test_whatever_its_colours_are(mode: str) -> None:
    with opened(encode_picture(picture(mode=mode), IMAGE_SIDE)) as written:
        assert written.mode == "RGB"


def test_no_side_is_longer_than_is_asked_for_and_none_grows() -> None:
    for side in (PREVIEW_SIDE, IMAGE_SIDE):
        with opened(encode_picture(picture(size=(3000, 1500)), side)) as written:
            assert written.size == (side, side // 2)
    with opened(encode_picture(picture(size=(40, 30)), PREVIEW_SIDE)) as written:
        assert written.size == (40, 30)


def test_what_is_hidden_in_a_picture_is_gone() -> None:
    tagged = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = MARK.decode()
    Image.new("RGB", (50, 50)).save(tagged, "JPEG", exif=exif, comment=MARK)
    for data in (tagged.getvalue(), tagged.getvalue() + MARK, picture("GIF") + MARK):
        assert MARK in data or data != tagged.getvalue()
        assert MARK not in encode_picture(data, IMAGE_SIDE)


@for_each(
    "data",
    [
        SVG,
        HTML,
        b"GIF89a" + MARK,
        b"\x89PNG\r\n\x1a\n" + HTML,
        b"\xff\xd8\xff\xe0" + HTML,
        picture("BMP"),
        picture("TIFF"),
        picture("ICNS", size=(64, 64)),
        picture("EPS"),
        picture("AVIF"),
        b"%PDF-1.7" + MARK,
        b"",
        b"\0" * 1000,
        picture()[:60],
    ],
    ids=[
        "svg",
        "html",
        "gif",
        "png",
        "jpeg",
        "bmp",
        "tiff",
        "icns",
        "eps",
        "avif",
        "pdf",
        "empty",
        "zeros",
        "cut off",
    ],
)
def test_what_is_no_picture_of_a_usual_kind_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedPictureError):
        encode_picture(data, IMAGE_SIDE)


def test_one_that_is_too_large_to_decode_is_refused_by_its_head() -> None:
    for width, height in ((MAX_PIXELS + 1, 1), (20_000, 20_000), (65_535, 65_535)):
        with pytest.raises(RefusedPictureError):
            encode_picture(png_that_claims(width, height), IMAGE_SIDE)


def test_bytes_that_were_changed_end_in_a_picture_or_are_refused() -> None:
    chance = random.Random(7)  # noqa: S311 - the same each time
    for kind in ("JPEG", "PNG", "WEBP", "GIF"):
        for _ in range(60):
            data = bytearray(picture(kind, (60, 40)))
            for _ in range(chance.randrange(1, 12)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                written = encode_picture(bytes(data), PREVIEW_SIDE)
            except RefusedPictureError:
                continue
            assert opened(written).format == "JPEG"
