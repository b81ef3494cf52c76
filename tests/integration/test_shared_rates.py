"""Request rates counted together in a real Redis, and what happens when it is gone."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from heliograph.api import rates
from heliograph.api.rates import RateLimiter
from heliograph.errors import UnavailableError
from heliograph.metrics import NODE
from heliograph.model.organizations import Tenant
from heliograph.model.plans import Plan
from heliograph.services.keys import KeyService
from heliograph.services.organizations import OrganizationService
from heliograph.services.principals import Principal, operator
from heliograph.store.database import Database
from heliograph.store.notifications import Notifications
from redis_server import RedisServer, running_redis

TENANT = Tenant(0, uuid4())
DOWN, UP = (
    "request rates are counted in this node's memory",
    "request rates are counted together again",
)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


def caller(requests: int) -> Principal:
    """A key that may make so many requests a minute."""
    return Principal(
        TENANT, frozenset(), "key", plan=Plan("tested", key_requests_per_minute=requests)
    )


async def hits(limiter: RateLimiter, quota: int, times: int) -> list[bool]:
    return [(await limiter.hit(caller(quota))).allowed for _ in range(times)]


async def until_found(limiter: RateLimiter) -> None:
    async with asyncio.timeout(10):
        while await limiter.has_lost_storage():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_two_nodes_count_together(redis: RedisServer) -> None:
    one, other = RateLimiter(redis.url), RateLimiter(redis.url)
    assert await hits(one, 6, 3) == await hits(other, 6, 3) == [True] * 3
    assert await hits(one, 6, 1) == await hits(other, 6, 1) == [False]
    verdict = await other.hit(caller(6))
    assert (verdict.remaining, verdict.quota) == (0, 6)
    assert 1 <= verdict.reset <= 60


async def test_requests_at_the_same_time_are_each_counted_once(redis: RedisServer) -> None:
    nodes = [RateLimiter(redis.url) for _ in range(2)]
    verdicts = await asyncio.gather(*(nodes[n % 2].hit(caller(100)) for n in range(150)))
    assert sum(verdict.allowed for verdict in verdicts) == 100


async def test_every_count_ends_with_its_window(redis: RedisServer) -> None:
    await hits(RateLimiter(redis.url), 5, 2)
    [key] = redis.ask("KEYS", "*").splitlines()
    assert 0 < int(redis.ask("TTL", key)) <= 60


async def test_without_redis_requests_go_on_and_are_counted_in_memory(redis: RedisServer) -> None:
    limiter = RateLimiter(redis.url)
    assert await hits(limiter, 4, 2) == [True] * 2
    assert not await limiter.has_lost_storage()
    redis.stop()
    with capture_logs() as lines:
        assert await hits(limiter, 4, 6) == [True] * 4 + [False] * 2
    assert [line["event"] for line in lines] == [DOWN]
    assert await limiter.has_lost_storage()


async def test_without_redis_no_new_secret_is_given_to_who_comes_with_a_key(
    redis: RedisServer, database_url: str
) -> None:
    """Sending goes on, which is what people wait for; managing keys can wait."""
    limiter = RateLimiter(redis.url)
    database = await Database.open(database_url)
    notifications = Notifications(database_url)
    try:
        keys = KeyService(database, notifications, limiter.require_storage)
        organizations = OrganizationService(database, notifications, 1)
        owner = operator((await organizations.create("Acme")).tenant)
        first = await keys.mint(owner, "first")
        caller = await keys.authenticate_key(first.text)
        second = await keys.mint(caller, "second")

        redis.stop()

        for refused in (keys.mint(caller, "third"), keys.rotate(caller, second.record.key_id)):
            with pytest.raises(UnavailableError):
                await refused
        assert (await keys.revoke(caller, second.record.key_id)).revoked_at is not None
        assert await keys.mint(owner, "by the operator")
        assert b"heliograph_rate_limit_storage_lost 1.0" in generate_latest(NODE)
    finally:
        await database.close()


async def test_they_are_counted_together_again_when_it_is_back(redis: RedisServer) -> None:
    one, other = RateLimiter(redis.url), RateLimiter(redis.url)
    redis.stop()
    assert await hits(one, 4, 5) == await hits(other, 4, 5) == [True] * 4 + [False]
    redis.start()
    with capture_logs() as lines:
        await until_found(one)
        await until_found(other)
    assert [line["event"] for line in lines] == [UP, UP]
    assert await hits(one, 4, 2) == await hits(other, 4, 2) == [True] * 2
    assert await hits(one, 4, 1) == await hits(other, 4, 1) == [False]


async def test_a_redis_that_hangs_holds_up_one_request_now_and_then(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "ASK_AGAIN_AFTER", 1000)
    limiter = RateLimiter(redis.url)
    await limiter.hit(caller(1000))
    redis.freeze()
    with capture_logs() as lines:
        async with asyncio.timeout(10):  # less than if each of them waited for it
            assert await hits(limiter, 1000, 100) == [True] * 100
    assert [line["event"] for line in lines] == [DOWN]


async def test_a_redis_that_is_not_there_at_the_start_keeps_nobody_out() -> None:
    limiter = RateLimiter("redis://:hunter2@127.0.0.1:1/0")
    with capture_logs() as lines:
        assert await hits(limiter, 2, 3) == [True, True, False]
    assert "hunter2" not in str(lines)


async def test_who_counts_in_memory_on_purpose_has_lost_nothing() -> None:
    assert not await RateLimiter().has_lost_storage()
