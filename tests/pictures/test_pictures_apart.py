"""Strangers' pictures at their worst: what decoding them takes, and from whom."""

import asyncio
import io
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import pytest
from PIL import Image

from heliograph.platform.pictures import worker
from heliograph.platform.pictures.encoder import MAX_BYTES, PictureEncoder, UnusablePictureError
from processes import is_alive

ACME, EVIL = UUID(int=1), UUID(int=2)
SIDE = 640
MEBIBYTE = 1 << 20
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@asynccontextmanager
async def encoding(*, timeout: float = 60, idle: float = 60) -> AsyncIterator[PictureEncoder]:
    encoder = PictureEncoder(timeout=timeout, idle=idle)
    try:
        yield encoder
    finally:
        await encoder.close()


def picture(kind: str = "PNG", width: int = 60, height: int = 40) -> bytes:
    encoded = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 30)).save(encoded, kind)
    return encoded.getvalue()


def lossless_webp(width: int, height: int) -> bytes:
    """A few bytes that are any number of pixels of one colour."""
    encoded = io.BytesIO()
    Image.new("RGBA", (width, height), (9, 9, 9, 128)).save(
        encoded, "WEBP", lossless=True, quality=0, method=0
    )
    return encoded.getvalue()


def webp_that_claims(width: int, height: int) -> bytes:
    data = bytearray(lossless_webp(1, 1))
    bits = int.from_bytes(data[21:25], "little") & ~0xFFFFFFF  # the size is in the low 28
    data[21:25] = (bits | (height - 1) << 14 | (width - 1)).to_bytes(4, "little")
    return bytes(data)


def animated_gif(frames: int) -> bytes:
    encoded = io.BytesIO()
    first, *others = (Image.new("P", (500, 500), number % 256) for number in range(frames))
    first.save(encoded, "GIF", save_all=True, append_images=others)
    return encoded.getvalue()


def jpeg_of_many_scans(count: int) -> bytes:
    """A progressive JPEG whose last scan comes again and again: each is a walk over all of it."""
    encoded = io.BytesIO()
    gradient = Image.radial_gradient("L").resize((3400, 3400)).convert("RGB")
    gradient.save(encoded, "JPEG", progressive=True, quality=20)
    data = encoded.getvalue()
    scans = [at for at in _markers(data) if data[at + 1] == 0xDA]
    end = len(data) - 2
    shortest = min(pairwise([*scans, end]), key=lambda pair: pair[1] - pair[0])
    return data[:end] + data[slice(*shortest)] * count + data[end:]


def _markers(data: bytes) -> list[int]:
    found, at = [], 2
    while at < len(data) - 2:
        found.append(at)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        while not (data[at] == 0xFF and data[at + 1] not in (0, *range(0xD0, 0xD8))):
            at += 1
    return found


def peak(process_id: int | None) -> int:
    """The most memory that a process ever had, in bytes."""
    status = Path(f"/proc/{process_id}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) * 1024


async def refusal(encoder: PictureEncoder, data: bytes, owner: UUID = EVIL) -> str:
    with pytest.raises(UnusablePictureError) as refused:
        await encoder.encode(owner, data, SIDE)
    return str(refused.value)


async def test_usual_pictures_come_back_as_jpegs_from_one_process() -> None:
    async with encoding() as encoder:
        for kind in worker.FORMATS:
            encoded = await encoder.encode(ACME, picture(kind), SIDE)
            with Image.open(io.BytesIO(encoded), formats=("JPEG",)) as opened:
                assert opened.size == (60, 40)
            first = encoder.process_id
        assert encoder.process_id == first


@on_linux
@pytest.mark.parametrize(
    "make",
    [
        lambda: webp_that_claims(16_383, 16_383),
        lambda: lossless_webp(4_001, 3_000),
        lambda: picture("PNG", 4_001, 3_000),
        lambda: picture("JPEG", 4_001, 3_000),
        lambda: picture("GIF", 4_001, 3_000),
    ],
    ids=["largest webp", "webp", "png", "jpeg", "gif"],
)
async def test_a_small_file_that_is_huge_is_refused_by_its_head(make: Callable[[], bytes]) -> None:
    async with encoding() as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        before = peak(encoder.process_id)
        data = make()
        assert "pixels" in await refusal(encoder, data)
        assert peak(encoder.process_id) - before < 4 * MEBIBYTE + 3 * len(data)


@on_linux
@pytest.mark.parametrize(
    "make",
    [
        lambda: lossless_webp(4_000, 3_000),
        lambda: picture("PNG", 4_000, 3_000),
        lambda: picture("JPEG", 4_000, 3_000),
        lambda: picture("GIF", 4_000, 3_000),
        lambda: animated_gif(300),
    ],
    ids=["webp", "png", "jpeg", "gif", "animation"],
)
async def test_the_largest_that_are_taken_stay_within_the_memory(
    make: Callable[[], bytes],
) -> None:
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data = make()
    made = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with encoding() as encoder:
        await encoder.encode(ACME, data, SIDE)
        assert peak(encoder.process_id) < worker.MEMORY
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - max(ours, made) < 16 * 1024


async def test_one_that_takes_too_long_ends_its_process_and_no_other_picture() -> None:
    async with encoding() as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        first = encoder.process_id
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime

        data = await asyncio.to_thread(jpeg_of_many_scans, 200_000)
        assert "time" in await refusal(encoder, data)

        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
        assert spent < worker.MAX_CPU_TIME + 2
        assert await encoder.encode(ACME, picture(), SIDE)
        assert encoder.process_id != first


@on_linux
async def test_one_that_stands_still_is_left_after_a_while() -> None:
    async with encoding(timeout=0.5) as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        stopped = encoder.process_id
        assert stopped is not None
        os.kill(stopped, signal.SIGSTOP)
        assert "time" in await refusal(encoder, picture())
        assert not await until(lambda: is_alive(stopped), False)


async def test_an_organization_with_many_waits_behind_others_with_one() -> None:
    ended: list[UUID] = []

    async def encode(owner: UUID) -> None:
        await encoder.encode(owner, data, SIDE)
        ended.append(owner)

    data = picture("PNG", 1000, 1000)
    async with encoding() as encoder:
        many = [asyncio.create_task(encode(EVIL)) for _ in range(20)]
        await asyncio.sleep(0)
        await encode(ACME)
        assert ended.count(EVIL) <= 2
        await asyncio.gather(*many)


async def test_one_who_gives_up_leaves_no_answer_to_the_next() -> None:
    async with encoding() as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        assert encoder.process_id is not None
        os.kill(encoder.process_id, signal.SIGSTOP)
        given_up = asyncio.create_task(encoder.encode(EVIL, picture("PNG", 90, 90), SIDE))
        await asyncio.wait([given_up], timeout=0.2)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        with Image.open(io.BytesIO(await encoder.encode(ACME, picture(), SIDE))) as opened:
            assert opened.size == (60, 40)


async def test_what_is_too_long_is_not_even_handed_over() -> None:
    async with encoding() as encoder:
        assert "bytes" in await refusal(encoder, bytes(MAX_BYTES + 1))
        assert encoder.process_id is None


@on_linux
async def test_the_process_is_ended_when_nothing_comes_and_begun_anew() -> None:
    async with encoding(idle=0.05) as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        assert await until(lambda: encoder.process_id, None) is None
        assert await encoder.encode(ACME, picture(), SIDE)


@on_linux
async def test_the_process_knows_nothing_of_ours_and_opens_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HELIOGRAPH_SECRET_KEYS", "canary")
    async with encoding() as encoder:
        await encoder.encode(ACME, picture(), SIDE)
        proc = Path(f"/proc/{encoder.process_id}")
        assert b"canary" not in (proc / "environ").read_bytes()
        assert {int(link.name) for link in (proc / "fd").iterdir()} == {0, 1, 2}
        limits = (proc / "limits").read_text()
        assert next(line for line in limits.splitlines() if "open files" in line).split()[3] == "0"


_PARENT = """
import asyncio, os, sys
from uuid import UUID
from heliograph.platform.pictures.encoder import PictureEncoder
async def run():
    encoder = PictureEncoder()
    await encoder.encode(UUID(int=1), sys.stdin.buffer.read(), 640)
    print(encoder.process_id, flush=True)
    os.kill(os.getpid(), 9)
asyncio.run(run())
"""


@on_linux
async def test_the_process_dies_with_the_one_that_started_it() -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _PARENT],
        input=picture(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    child = int(done.stdout)
    assert not await until(lambda: is_alive(child), False)


async def until(look: Callable[[], object], wanted: object, seconds: float = 20) -> object:
    """What `look` sees, once it is what is wanted or the time is over."""
    ends_at = time.monotonic() + seconds
    while look() != wanted and time.monotonic() < ends_at:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.02)
    return look()
