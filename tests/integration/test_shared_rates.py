"""Request rates counted together in a real Redis, and what happens when it is gone."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from heliograph.api import rates
from heliograph.api.rates import RateLimiter
from heliograph.model.organizations import Tenant
from heliograph.services.principals import Principal
from redis_server import RedisServer, running_redis

KEY = Principal(Tenant(0, uuid4()), frozenset(), "key", unlimited=False)
DOWN, UP = (
    "request rates are counted in this node's memory",
    "request rates are counted together again",
)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


async def hits(limiter: RateLimiter, times: int) -> list[bool]:
    return [(await limiter.hit(KEY)).allowed for _ in range(times)]


async def until_found(limiter: RateLimiter) -> None:
    async with asyncio.timeout(10):
        while await limiter.has_lost_storage():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_two_nodes_count_together(redis: RedisServer) -> None:
    one, other = RateLimiter(6, 60, redis.url), RateLimiter(6, 60, redis.url)
    assert await hits(one, 3) == await hits(other, 3) == [True] * 3
    assert await hits(one, 1) == await hits(other, 1) == [False]
    verdict = await other.hit(KEY)
    assert (verdict.remaining, verdict.quota) == (0, 6)
    assert 1 <= verdict.reset <= 60


async def test_requests_at_the_same_time_are_each_counted_once(redis: RedisServer) -> None:
    nodes = [RateLimiter(100, 60, redis.url) for _ in range(2)]
    verdicts = await asyncio.gather(*(nodes[n % 2].hit(KEY) for n in range(150)))
    assert sum(verdict.allowed for verdict in verdicts) == 100


async def test_every_count_ends_with_its_window(redis: RedisServer) -> None:
    await hits(RateLimiter(5, 30, redis.url), 2)
    [key] = redis.ask("KEYS", "*").splitlines()
    assert 0 < int(redis.ask("TTL", key)) <= 30


async def test_without_redis_requests_go_on_and_are_counted_in_memory(redis: RedisServer) -> None:
    limiter = RateLimiter(4, 60, redis.url)
    assert await hits(limiter, 2) == [True] * 2
    assert not await limiter.has_lost_storage()
    redis.stop()
    with capture_logs() as lines:
        assert await hits(limiter, 6) == [True] * 4 + [False] * 2
    assert [line["event"] for line in lines] == [DOWN]
    assert await limiter.has_lost_storage()


async def test_they_are_counted_together_again_when_it_is_back(redis: RedisServer) -> None:
    one, other = RateLimiter(4, 60, redis.url), RateLimiter(4, 60, redis.url)
    redis.stop()
    assert await hits(one, 5) == await hits(other, 5) == [True] * 4 + [False]
    redis.start()
    with capture_logs() as lines:
        await until_found(one)
        await until_found(other)
    assert [line["event"] for line in lines] == [UP, UP]
    assert await hits(one, 2) == await hits(other, 2) == [True] * 2
    assert await hits(one, 1) == await hits(other, 1) == [False]


async def test_a_redis_that_hangs_holds_up_one_request_now_and_then(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "ASK_AGAIN_AFTER", 1000)
    limiter = RateLimiter(1000, 60, redis.url)
    await limiter.hit(KEY)
    redis.freeze()
    with capture_logs() as lines:
        async with asyncio.timeout(10):  # less than if each of them waited for it
            assert await hits(limiter, 100) == [True] * 100
    assert [line["event"] for line in lines] == [DOWN]


async def test_a_redis_that_is_not_there_at_the_start_keeps_nobody_out() -> None:
    limiter = RateLimiter(2, 60, "redis://:hunter2@127.0.0.1:1/0")
    with capture_logs() as lines:
        assert await hits(limiter, 3) == [True, True, False]
    assert "hunter2" not in str(lines)


async def test_who_counts_in_memory_on_purpose_has_lost_nothing() -> None:
    assert not await RateLimiter(2, 60).has_lost_storage()
