"""Request rates counted together in a real Redis, and what happens when it is gone."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from core_scene import changes_of
from databases import CONNECT_TIMEOUT
from heliograph.core.keys.service import KeyService
from heliograph.core.organizations.service import OrganizationService
from heliograph.core.rates import counts as request_counts
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.rates.service import RateLimiter
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.tenants.plans import Plan
from heliograph.errors import UnavailableError
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.telemetry.metrics import NODE
from redis_server import RedisServer, running_redis
from waiting import seen_until

TENANT = Tenant(0, uuid4())
DOWN, UP = (
    "request rates are counted in this node's memory",
    "request rates are counted together again",
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Redis that is only slow, as on a busy machine, is not taken for lost."""
    monkeypatch.setattr(request_counts, "STORAGE_TIMEOUT", 30.0)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


def caller(requests: int) -> Principal:
    """A key that may make so many requests a minute."""
    return Principal(
        TENANT, frozenset(), "key", plan=Plan("tested", key_requests_per_minute=requests)
    )


async def hits(counts: RequestCounts, quota: int, times: int) -> list[bool]:
    limiter = RateLimiter(counts)
    return [(await limiter.hit(caller(quota))).allowed for _ in range(times)]


def commands(redis: RedisServer, name: str) -> int:
    """How often the server was asked this."""
    for line in redis.ask("INFO", "commandstats").splitlines():
        if line.startswith(f"cmdstat_{name}:calls="):
            return int(line.partition("=")[2].partition(",")[0])
    return 0


async def until_found(counts: RequestCounts) -> None:
    await seen_until(counts.has_lost_storage, lambda is_lost: not is_lost)


async def test_two_nodes_count_together(redis: RedisServer) -> None:
    one, other = RequestCounts(redis.url), RequestCounts(redis.url)
    assert await hits(one, 6, 3) == await hits(other, 6, 3) == [True] * 3
    assert await hits(one, 6, 1) == await hits(other, 6, 1) == [False]
    verdict = await RateLimiter(other).hit(caller(6))
    assert (verdict.remaining, verdict.quota) == (0, 6)
    assert 1 <= verdict.reset <= 60


async def test_requests_at_the_same_time_are_each_counted_once(redis: RedisServer) -> None:
    nodes = [RateLimiter(RequestCounts(redis.url)) for _ in range(2)]
    verdicts = await asyncio.gather(*(nodes[n % 2].hit(caller(100)) for n in range(150)))
    assert sum(verdict.allowed for verdict in verdicts) == 100


async def test_requests_that_are_counted_together_each_have_their_place(redis: RedisServer) -> None:
    limiter = RateLimiter(RequestCounts(redis.url))
    verdicts = await asyncio.gather(*(limiter.hit(caller(100)) for _ in range(100)))
    assert [verdict.remaining for verdict in verdicts] == list(range(99, -1, -1))
    assert commands(redis, "incrby") < 10


async def test_two_limits_cost_two_commands_and_the_window_is_asked_for_once(
    redis: RedisServer,
) -> None:
    plan = Plan("tested", key_requests_per_minute=100, requests_per_minute=50)
    both = Principal(TENANT, frozenset(), "key", plan=plan)
    one, other = (RateLimiter(RequestCounts(redis.url)) for _ in range(2))
    for _ in range(10):
        assert (await one.hit(both)).quota == 50
        verdict = await other.hit(both)
    assert (verdict.remaining, verdict.allowed) == (30, True)
    assert commands(redis, "incrby") == 2 * 20
    assert commands(redis, "ttl") == 2, "the other node's, once each"


async def test_what_a_key_sends_beyond_its_limit_takes_nothing_from_the_others(
    redis: RedisServer,
) -> None:
    plan = Plan("tested", key_requests_per_minute=5, requests_per_minute=8)
    runaway, other = (Principal(TENANT, frozenset(), key, plan=plan) for key in ("a", "b"))
    nodes = [RateLimiter(RequestCounts(redis.url)) for _ in range(2)]
    verdicts = await asyncio.gather(*(nodes[n % 2].hit(runaway) for n in range(40)))
    assert sum(verdict.allowed for verdict in verdicts) == 5
    assert {verdict.limit for verdict in verdicts if not verdict.allowed} == {"key"}
    verdicts = [await nodes[0].hit(other) for _ in range(4)]
    assert [verdict.allowed for verdict in verdicts] == [True, True, True, False]
    assert verdicts[-1].limit == "organization"


async def test_addresses_are_counted_together(redis: RedisServer) -> None:
    one, other = (RateLimiter(RequestCounts(redis.url), per_address=4) for _ in range(2))
    verdicts = [await node.hit_address("203.0.113.7", 2) for node in (one, other, one)]
    assert [verdict.allowed for verdict in verdicts] == [True, True, False]


async def test_every_count_ends_with_its_window(redis: RedisServer) -> None:
    await hits(RequestCounts(redis.url), 5, 2)
    [key] = redis.ask("KEYS", "*").splitlines()
    assert 0 < int(redis.ask("TTL", key)) <= 60


async def test_without_redis_requests_go_on_and_are_counted_in_memory(redis: RedisServer) -> None:
    counts = RequestCounts(redis.url)
    assert await hits(counts, 4, 2) == [True] * 2
    assert not await counts.has_lost_storage()
    redis.stop()
    with capture_logs() as lines:
        assert await hits(counts, 4, 6) == [True] * 4 + [False] * 2
    assert [line["event"] for line in lines] == [DOWN]
    assert await counts.has_lost_storage()


async def test_without_redis_no_new_secret_is_given_to_who_comes_with_a_key(
    redis: RedisServer, database_url: str
) -> None:
    """Sending goes on, which is what people wait for; managing keys can wait."""
    counts = RequestCounts(redis.url)
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(database_url)
    try:
        changes = changes_of(database, notifications)
        keys = KeyService(database, notifications, changes, counts.require_storage)
        organizations = OrganizationService(database, changes, 1)
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
    one, other = RequestCounts(redis.url), RequestCounts(redis.url)
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
    monkeypatch.setattr(request_counts, "ASK_AGAIN_AFTER", 1000)
    counts = RequestCounts(redis.url)
    await RateLimiter(counts).hit(caller(1000))
    monkeypatch.setattr(request_counts, "STORAGE_TIMEOUT", 1.0)
    redis.freeze()
    with capture_logs() as lines:
        async with asyncio.timeout(60):  # less than if each of them waited for it
            assert await hits(counts, 1000, 100) == [True] * 100
    assert [line["event"] for line in lines] == [DOWN]


async def test_nobody_waits_behind_the_request_that_asks_a_redis_that_hangs(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = RequestCounts(redis.url)
    redis.freeze()
    monkeypatch.setattr(request_counts, "ASK_AGAIN_AFTER", 0)
    monkeypatch.setattr(request_counts, "STORAGE_TIMEOUT", 0.2)
    assert await hits(counts, 1000, 1) == [True]
    monkeypatch.setattr(request_counts, "ASK_AGAIN_AFTER", 1000)
    monkeypatch.setattr(request_counts, "STORAGE_TIMEOUT", 1000)
    asks = asyncio.create_task(RateLimiter(counts).hit(caller(1000)))
    for _ in range(20):
        await asyncio.sleep(0)  # until it has asked
    try:
        async with asyncio.timeout(60):
            assert await hits(counts, 1000, 50) == [True] * 50
        assert not asks.done()
    finally:
        redis.stop()  # which answers it
        await asks


async def test_a_redis_that_is_not_there_at_the_start_keeps_nobody_out() -> None:
    counts = RequestCounts("redis://:hunter2@127.0.0.1:1/0")
    with capture_logs() as lines:
        assert await hits(counts, 2, 3) == [True, True, False]
    assert "hunter2" not in str(lines)


async def test_who_counts_in_memory_on_purpose_has_lost_nothing() -> None:
    assert not await RequestCounts().has_lost_storage()
