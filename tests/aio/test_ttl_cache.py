"""One read for many askers, kept a while, and nobody waits longer than is good."""

import asyncio

import pytest

from heliograph.errors import UnavailableError
from heliograph.platform.aio.cached_value import CachedValue


class Counted:
    def __init__(self) -> None:
        self.reads = 0
        self.now = 0.0
        self.open = asyncio.Event()
        self.open.set()
        self.fails = False

    async def read(self) -> int:
        self.reads += 1
        await self.open.wait()
        if self.fails:
            raise OSError("away")
        return self.reads


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def cache(counted: Counted) -> CachedValue[int]:
    return CachedValue(counted.read, ttl=5, patience=60, now=lambda: counted.now)


async def test_many_askers_share_one_read(counted: Counted, cache: CachedValue[int]) -> None:
    assert set(await asyncio.gather(*(cache.get() for _ in range(20)))) == {1}
    counted.now = 4.9
    assert await cache.get() == 1
    counted.now = 5.0
    assert await cache.get() == 2


async def test_a_failure_is_not_kept(counted: Counted, cache: CachedValue[int]) -> None:
    counted.fails = True
    with pytest.raises(OSError, match="away"):
        await cache.get()
    counted.fails = False
    assert await cache.get() == 2


async def test_a_read_that_hangs_is_one_read(counted: Counted) -> None:
    cache = CachedValue(counted.read, ttl=5, patience=0.3, now=lambda: counted.now)
    counted.open.clear()
    for _ in range(3):
        with pytest.raises(UnavailableError):
            await cache.get()
    counted.open.set()
    assert await cache.get() == 1
    assert counted.reads == 1
