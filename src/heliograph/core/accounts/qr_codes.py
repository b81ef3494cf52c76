"""QR codes for pairing, as pictures and for terminals.

All are black on white with the quiet zone of four modules that ISO/IEC 18004 requires, even on a
dark page or terminal, where phones could not read any other.
"""

import io
from functools import lru_cache

import segno

PNG_SCALE = 8
"""Pixels of a module."""
_BORDER = 4


@lru_cache(maxsize=64)
def draw_svg(payload: str) -> str | None:
    """Return the code as a `data:` URI, or None if the payload is too long."""
    code = _make(payload)
    return None if code is None else code.svg_data_uri(border=_BORDER, light="white")


@lru_cache(maxsize=64)
def draw_png(payload: str) -> bytes | None:
    """Return the code as a PNG, or None if the payload is too long."""
    code = _make(payload)
    if code is None:
        return None
    image = io.BytesIO()
    code.save(image, kind="png", scale=PNG_SCALE, border=_BORDER, dark="black", light="white")
    return image.getvalue()


def list_modules(payload: str, error: str = "m") -> list[list[bool]] | None:
    """Return the rows of modules, True for dark, quiet zone included; None if it is too long.

    `error` is the level of error correction: `l`, `m`, `q` or `h`.
    """
    code = _make(payload, error)
    if code is None:
        return None
    return [[bool(module) for module in row] for row in code.matrix_iter(border=_BORDER)]


def _make(payload: str, error: str = "m") -> segno.QRCode | None:
    try:
        return segno.make(payload, error=error, micro=False)
    except segno.DataOverflowError:
        return None
