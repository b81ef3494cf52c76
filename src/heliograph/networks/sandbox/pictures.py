"""Profile pictures: a pattern of colored squares that follows from the phone's number."""

import asyncio
import base64
import hashlib
import zlib
from io import BytesIO
from uuid import uuid4

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import FetchedPicture
from heliograph.platform.extras import how_to_install, is_installed

FULL_SIZE = 640
PREVIEW_SIZE = 96
_GRID = 5

HARMFUL = FetchedPicture(
    picture_id="harmful",
    data=b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(document.domain)</script></svg>',
)
"""A script that an attacker sets as a profile picture."""


_HUGE = (
    "c-jl{baUfiVqge&bqWXzu<-fK$iSfAem0SrJz(vkDI5PM>L@xk{oj6DS!rui)3)3hp"
    "VIedYcBdP%%F1e|9{7h4v)Q`=Kufq`@Q}DpXclUeV+gS&-48t{wOg7311!t0P<wTSO"
)
"""A WebP of one color, 3,464 pixels wide and high, compressed: few bytes, but as many pixels as the
gateway ever decodes."""


def huge_picture() -> FetchedPicture:
    """Make a picture of many pixels: the same bytes each time, under an id never seen before."""
    data = zlib.decompress(base64.b85decode(_HUGE))
    return FetchedPicture(picture_id=uuid4().hex, data=data)


def picture_id(jid: str, version: int) -> str:
    """Return the id of a phone's picture: another one each time the picture is changed."""
    return _digest(jid, version).hex()[:16]


async def picture(jid: str, version: int, *, preview: bool) -> FetchedPicture:
    """Return the picture as PNG, 640 pixels wide and high, or 96 as a preview.

    Raises `NetworkError` where the library that draws it is not installed.
    """
    if not is_installed("PIL"):
        raise NetworkError(
            f"The library that draws pictures is missing: {how_to_install('pictures')}."
        )
    size = PREVIEW_SIZE if preview else FULL_SIZE
    data = await asyncio.to_thread(_draw, _digest(jid, version), size)
    return FetchedPicture(picture_id=picture_id(jid, version), data=data)


def _digest(jid: str, version: int) -> bytes:
    return hashlib.sha256(f"{jid}/{version}".encode()).digest()


def _draw(digest: bytes, size: int) -> bytes:
    from PIL import Image  # an extra, which an installation may lack

    ink = (digest[0] // 2 + 40, digest[1] // 2 + 40, digest[2] // 2 + 40)
    image = Image.new("RGB", (_GRID, _GRID), (238, 240, 242))
    for row in range(_GRID):
        for column in range(_GRID // 2 + 1):
            if digest[3 + row * 3 + column] % 2:
                image.putpixel((column, row), ink)
                image.putpixel((_GRID - 1 - column, row), ink)
    out = BytesIO()
    image.resize((size, size), Image.Resampling.NEAREST).save(out, "PNG", optimize=False)
    return out.getvalue()
