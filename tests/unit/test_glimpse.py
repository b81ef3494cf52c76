"""One look for many askers, kept a while, and nobody waits longer than is good."""

import asyncio

import pytest

from heliograph.errors import UnavailableError
from heliograph.services.glimpse import Glimpse


class Counted:
    def __init__(self) -> None:
        self.looks = 0
        self.now = 0.0
        self.open = asyncio.Event()
        self.open.set()
        self.fails = False

    async def look(self) -> int:
        self.looks += 1
        await self.open.wait()
        if self.fails:
            raise OSError("away")
        return self.looks


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def glimpse(counted: Counted) -> Glimpse[int]:
    return Glimpse(counted.look, keep=5, patience=0.05, now=lambda: counted.now)


async def test_many_askers_share_one_look(counted: Counted, glimpse: Glimpse[int]) -> None:
    assert set(await asyncio.gather(*(glimpse.latest() for _ in range(20)))) == {1}
    counted.now = 4.9
    assert await glimpse.latest() == 1
    counted.now = 5.0
    assert await glimpse.latest() == 2


async def test_a_failure_is_not_kept(counted: Counted, glimpse: Glimpse[int]) -> None:
    counted.fails = True
    with pytest.raises(OSError, match="away"):
        await glimpse.latest()
    counted.fails = False
    assert await glimpse.latest() == 2


async def test_a_look_that_hangs_is_one_look(counted: Counted, glimpse: Glimpse[int]) -> None:
    counted.open.clear()
    for _ in range(3):
        with pytest.raises(UnavailableError):
            await glimpse.latest()
    counted.open.set()
    assert await glimpse.latest() == 1
    assert counted.looks == 1
