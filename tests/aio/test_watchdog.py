"""Time limits that one timer looks after, against what `asyncio.timeout` would do."""

import asyncio
import time

import pytest

from heliograph.platform.aio.watchdog import Watchdog


async def test_a_block_that_takes_too_long_ends_and_its_task_goes_on() -> None:
    dog = Watchdog(look_interval=0.01)
    with pytest.raises(TimeoutError):
        async with dog.limit(0.05):
            await asyncio.sleep(60)
    await asyncio.sleep(0)  # nothing of it is left behind
    task = asyncio.current_task()
    assert task is not None
    assert not task.cancelling()


async def test_a_block_that_ends_in_time_is_left_alone_and_forgotten() -> None:
    dog = Watchdog(look_interval=0.01)
    async with dog.limit(60), dog.limit(60):
        await asyncio.sleep(0.05)
    assert not vars(dog)["_watched"]
    await asyncio.sleep(0.05)
    assert not vars(dog)["_is_looking"]


async def test_many_blocks_end_each_by_itself() -> None:
    dog = Watchdog(look_interval=0.01)

    async def work(limit: float, seconds: float) -> str:
        try:
            async with dog.limit(limit):
                await asyncio.sleep(seconds)
        except TimeoutError:
            return "too long"
        return "in time"

    short, long = [work(0.05, 60) for _ in range(20)], [work(60, 0.1) for _ in range(20)]
    assert await asyncio.gather(*short, *long) == ["too long"] * 20 + ["in time"] * 20


async def test_a_block_may_be_given_more_time() -> None:
    dog = Watchdog(look_interval=0.01)
    limit = dog.limit(0.05)
    async with limit:
        limit.reschedule(None)
        await asyncio.sleep(0.1)
        limit.reschedule(time.monotonic() + 60)
        await asyncio.sleep(0.05)
    assert limit.when() is not None


@pytest.mark.parametrize("has_expired", [False, True])
async def test_who_is_cancelled_by_somebody_else_stays_cancelled(has_expired: bool) -> None:
    dog, begun = Watchdog(look_interval=60), asyncio.Event()
    limit = dog.limit(60)

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
    dog = Watchdog(look_interval=0.01)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60), dog.limit(0.05):
            await asyncio.sleep(60)
    with pytest.raises(TimeoutError):
        async with dog.limit(0.05), asyncio.timeout(60):
            await asyncio.sleep(60)
    async with dog.limit(60):
        with pytest.raises(TimeoutError):
            async with dog.limit(0.05):
                await asyncio.sleep(60)
