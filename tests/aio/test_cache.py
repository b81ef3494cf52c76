"""One read for all who ask, kept for a while: how long, how many and how often."""

import asyncio

import pytest

from heliograph.core.keys.model import ApiKeyCheck
from heliograph.errors import UnavailableError
from heliograph.platform.aio.cache import MAX_AGE, CachedValue, TtlCache


class Lookups:
    """A database that counts, answers nothing, and can be made to wait."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.time = 100.0
        self.began = asyncio.Event()
        self.gate: asyncio.Event | None = None
        self.failure: Exception | None = None

    async def look_up(self, key_id: str) -> ApiKeyCheck | None:
        self.asked.append(key_id)
        self.began.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return None

    def cache(self, max_entries: int = 10) -> TtlCache[str, ApiKeyCheck | None]:
        return TtlCache(self.look_up, clock=lambda: self.time, max_entries=max_entries)


async def test_an_answer_is_believed_for_900_ms() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    await cache.find("a")
    lookups.time += MAX_AGE - 0.001
    await cache.find("a")
    assert lookups.asked == ["a"]
    lookups.time += 0.002
    await cache.find("a")
    assert lookups.asked == ["a", "a"]


async def test_the_age_counts_from_the_start_of_the_query() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.gate = asyncio.Event()
    slow = asyncio.create_task(cache.find("a"))
    await lookups.began.wait()
    lookups.time += 2 * MAX_AGE
    lookups.gate.set()
    await slow
    await cache.find("a")
    assert lookups.asked == ["a", "a"]


async def test_askers_at_the_same_time_share_one_query() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    await asyncio.gather(*(cache.find("a") for _ in range(50)))
    assert lookups.asked == ["a"]


async def test_nobody_joins_a_query_that_began_too_long_ago() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.gate = asyncio.Event()
    first = asyncio.create_task(cache.find("a"))
    await lookups.began.wait()
    lookups.time += MAX_AGE + 0.1
    second = asyncio.create_task(cache.find("a"))
    await asyncio.sleep(0.01)
    assert lookups.asked == ["a", "a"]
    lookups.gate.set()
    await asyncio.gather(first, second)


async def test_one_asker_who_leaves_does_not_take_the_answer_from_the_others() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.gate = asyncio.Event()
    leaving, staying = (asyncio.create_task(cache.find("a")) for _ in range(2))
    await lookups.began.wait()
    leaving.cancel()
    await asyncio.sleep(0)
    lookups.gate.set()
    assert await staying is None


async def test_made_up_keys_do_not_fill_the_memory() -> None:
    lookups = Lookups()
    cache = lookups.cache(max_entries=10)
    for number in range(1000):
        await cache.find(f"key{number}")
    assert len(cache) == 10


async def test_what_was_being_read_when_the_cache_was_cleared_is_not_kept() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.gate = asyncio.Event()
    reading = asyncio.create_task(cache.find("a"))
    await lookups.began.wait()
    cache.clear()
    lookups.gate.set()
    await reading
    await cache.find("a")
    assert lookups.asked == ["a", "a"]


async def test_a_failure_reaches_every_asker_and_is_not_kept() -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.failure = ConnectionError("gone")
    results = await asyncio.gather(cache.find("a"), cache.find("a"), return_exceptions=True)
    assert all(isinstance(result, ConnectionError) for result in results)
    lookups.failure = None
    assert await cache.find("a") is None


@pytest.mark.parametrize("times", [1, 3])
async def test_a_failed_query_is_asked_again(times: int) -> None:
    lookups = Lookups()
    cache = lookups.cache()
    lookups.failure = ConnectionError("gone")
    for _ in range(times):
        with pytest.raises(ConnectionError):
            await cache.find("a")
    assert len(lookups.asked) == times


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
    return CachedValue(counted.read, ttl=5, timeout=60, now=lambda: counted.now)


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
    cache = CachedValue(counted.read, ttl=5, timeout=0.3, now=lambda: counted.now)
    counted.open.clear()
    for _ in range(3):
        with pytest.raises(UnavailableError):
            await cache.get()
    counted.open.set()
    assert await cache.get() == 1
    assert counted.reads == 1
