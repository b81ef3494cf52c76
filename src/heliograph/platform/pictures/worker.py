"""The process that decodes pictures: `python -m heliograph.platform.pictures.worker <parent's id>`.

Each picture has `MAX_CPU_TIME` and what `MEMORY` leaves. A picture over its time ends the process;
one that wants more memory, or more pixels than `MAX_PIXELS`, is refused. The end of standard input
is the end of the process.
"""

import io
import math
import os
import resource
import sys
import warnings
from contextlib import suppress
from typing import BinaryIO

from PIL import Image, ImageFile

from heliograph.platform.parent_death import die_with_parent
from heliograph.platform.pictures.protocol import ANSWER, READY, REQUEST

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MAX_PIXELS = 12_000_000
"""A phone's photograph. Of an animation the first frame is decoded, whatever else there is."""
MEMORY = 320 << 20
"""Bytes of address space beyond what the process has when it begins; a WebP of `MAX_PIXELS` needs
two thirds of it."""
MAX_CPU_TIME = 3
QUALITY = 85


class RefusedPictureError(ValueError):
    pass


def encode_picture(data: bytes, side: int) -> bytes:
    """Return a JPEG of at most `side` pixels a side. Raises `RefusedPictureError`."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise Image.DecompressionBombError
            return _as_jpeg(_small(image, side))
    except (Image.DecompressionBombError, MemoryError):
        raise RefusedPictureError(
            f"it has more than {MAX_PIXELS} pixels, or needs as much memory"
        ) from None
    except Exception:  # a decoder may raise anything for a stranger's bytes
        raise RefusedPictureError("these bytes are not a picture that can be shown") from None


def _small(image: ImageFile.ImageFile, side: int) -> Image.Image:
    image.draft("RGB", (2 * side, 2 * side))  # a JPEG is decoded at an eighth of its size, or more
    picture = image.convert("RGB")
    picture.thumbnail((side, side))
    return picture


def _as_jpeg(picture: Image.Image) -> bytes:
    picture.info.clear()  # a comment or profile would be copied unchanged
    encoded = io.BytesIO()
    picture.save(encoded, "JPEG", quality=QUALITY)
    return encoded.getvalue()


def limit_pictures() -> None:
    """Refuse pictures whose heads say more than `MAX_PIXELS`."""
    # Pillow warns of more than this, and refuses what has twice as many
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
    warnings.simplefilter("ignore", Image.DecompressionBombWarning)


def _limit_process() -> None:
    """Take from this process what a decoder does not need: memory, files, sockets, priority."""
    _load_decoders()
    _limit(resource.RLIMIT_AS, _address_space() + MEMORY)
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        _limit(kind, 0)
    os.nice(5)


def _load_decoders() -> None:
    """Make Pillow load its decoders now: later, no file can be opened."""
    for name in FORMATS:
        sample = io.BytesIO()
        Image.new("RGB", (2, 2)).save(sample, name)
        encode_picture(sample.getvalue(), 1)


def _limit(kind: int, most: int) -> None:
    with suppress(OSError, ValueError):  # macOS has some of these limits and enforces none
        resource.setrlimit(kind, (most, most))


def _address_space() -> int:
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 0


def _limit_time() -> None:
    """Allow `MAX_CPU_TIME` from now. The system counts whole seconds, and kills."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(used.ru_utime + used.ru_stime) + MAX_CPU_TIME
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def _answer(data: bytes, side: int) -> tuple[bool, bytes]:
    try:
        return True, encode_picture(data, side)
    except RefusedPictureError as error:
        return False, str(error).encode()


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request after the other until there is none."""
    answers.write(READY)
    answers.flush()
    while len(head := requests.read(REQUEST.size)) == REQUEST.size:
        side, length = REQUEST.unpack(head)
        data = requests.read(length)
        if len(data) < length:
            return
        _limit_time()
        is_picture, answer = _answer(data, side)
        answers.write(ANSWER.pack(is_picture, len(answer)) + answer)
        answers.flush()


def main() -> None:
    die_with_parent(int(sys.argv[1]))
    limit_pictures()
    _limit_process()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
