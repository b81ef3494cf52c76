"""Time limits that one timer looks after, against what `asyncio.timeout` would do."""

import asyncio

import pytest

from heliograph.platform.aio.watchdog import Watchdog


async def test_a_block_that_takes_too_long_ends_and_its_task_goes_on() -> None:
    dog = Watchdog(0.05)
    with pytest.raises(TimeoutError):
        async with dog.limit():
            await asyncio.sleep(60)
    await asyncio.sleep(0)  # nothing of it is left behind
    task = asyncio.current_task()
    assert task is not None
    assert not task.cancelling()


async def test_a_block_that_ends_in_time_is_left_alone_and_forgotten() -> None:
    dog = Watchdog(0.2)
    async with dog.limit(), dog.limit():
        await asyncio.sleep(0.01)
    assert not vars(dog)["_watched"]
    await asyncio.sleep(0.3)
    assert vars(dog)["_timer"] is None


async def test_many_blocks_end_each_by_itself() -> None:
    dog = Watchdog(1)

    async def work(seconds: float) -> str:
        try:
            async with dog.limit():
                await asyncio.sleep(seconds)
        except TimeoutError:
            return "too long"
        return "in time"

    short, long = [work(0.05) for _ in range(20)], [work(60) for _ in range(20)]
    assert await asyncio.gather(*short, *long) == ["in time"] * 20 + ["too long"] * 20


async def test_a_block_ends_at_its_own_time_also_if_it_began_later() -> None:
    dog, loop = Watchdog(0.3), asyncio.get_running_loop()

    async def work() -> float:
        began = loop.time()
        with pytest.raises(TimeoutError):
            async with dog.limit():
                await asyncio.sleep(60)
        return loop.time() - began

    first = asyncio.create_task(work())
    await asyncio.sleep(0.2)
    second = asyncio.create_task(work())
    assert await first >= 0.29
    assert await second >= 0.29
    assert vars(dog)["_timer"] is None


@pytest.mark.parametrize("has_expired", [False, True])
async def test_who_is_cancelled_by_somebody_else_stays_cancelled(has_expired: bool) -> None:
    dog, begun = Watchdog(60), asyncio.Event()
    limit = dog.limit()

    async def work() -> None:
        async with limit:
            begun.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await begun.wait()
    if has_expired:
        limit.expire()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_inner_of_two_limits_is_told_apart_from_the_outer() -> None:
    short, long = Watchdog(0.05), Watchdog(60)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60), short.limit():
            await asyncio.sleep(60)
    with pytest.raises(TimeoutError):
        async with short.limit(), asyncio.timeout(60):
            await asyncio.sleep(60)
    async with long.limit():
        with pytest.raises(TimeoutError):
            async with short.limit():
                await asyncio.sleep(60)
