"""Request rates and the headers that tell them."""

import re
from collections.abc import AsyncIterator

import pytest

from api_scene import BUTTONS, DEVICES, GROUPS, STATS, Scene
from api_scene import scene as scene
from heliograph.core.organizations.sql import put_plan
from heliograph.core.rates.counts import RequestCounts
from heliograph.core.tenants.plans import UNLIMITED, Plan
from heliograph.errors import ConfigurationError

PLAN = Plan("acme", requests_per_minute=8, key_requests_per_minute=5)
STATE = re.compile(r'"default";r=(\d+);t=(\d+)')


async def test_the_quota_runs_down_and_then_it_is_429(scene: Scene) -> None:
    left = []
    for _ in range(5):
        response = await scene.as_acme("GET", STATS)
        assert response.status_code == 200
        assert response.headers["ratelimit-policy"] == '"default";q=5;w=60'
        state = STATE.fullmatch(response.headers["ratelimit"])
        assert state is not None
        left.append(int(state[1]))
        assert 1 <= int(state[2]) <= 60
    assert left == [4, 3, 2, 1, 0]
    refused = await scene.as_acme("GET", STATS)
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["retry-after"] == str(refused.json()["retry_after"])
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert STATE.fullmatch(refused.headers["ratelimit"])


async def test_errors_tell_the_rate_too(scene: Scene) -> None:
    for method, path in (("GET", "/api/v1/nothing"), ("PUT", STATS), ("POST", BUTTONS)):
        response = await scene.as_acme(method, path)
        assert response.status_code in (404, 405, 422)
        assert STATE.fullmatch(response.headers["ratelimit"])


async def test_the_order_is_403_then_429_then_422_and_404(scene: Scene) -> None:
    key = await scene.mint(scene.acme, scopes=["messages:read"])
    for _ in range(5):
        await scene.with_key(key, "GET", STATS)
    for method, path, status in (
        ("GET", DEVICES, 403),
        ("POST", BUTTONS, 403),
        ("GET", "/api/v1/messages/no-uuid", 429),
        ("GET", "/api/v1/nothing", 429),
        ("PUT", STATS, 429),
    ):
        response = await scene.with_key(key, method, path)
        assert response.status_code == status, path


async def test_all_keys_of_an_organization_are_counted_together_too(scene: Scene) -> None:
    other = {"Authorization": f"Bearer {await scene.mint(scene.acme)}"}
    for _ in range(5):
        await scene.as_acme("GET", STATS)
    answers = [await scene.client.get(STATS, headers=other) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["ratelimit"].startswith('"organization";r=2;'), "of 8, not of 5"
    assert answers[0].headers["ratelimit-policy"] == '"organization";q=8;w=60'
    refused = answers[-1]
    assert (refused.json()["limit"], refused.json()["code"]) == ("organization", "rate_limited")
    assert refused.json()["detail"].startswith("The API keys of this organization together have")
    assert refused.headers["ratelimit"].startswith('"organization";r=0;')


async def test_what_a_key_sends_beyond_its_limit_takes_nothing_from_the_others(
    scene: Scene,
) -> None:
    other = {"Authorization": f"Bearer {await scene.mint(scene.acme)}"}
    for _ in range(40):
        runaway = await scene.as_acme("GET", STATS)
    assert (runaway.status_code, runaway.json()["limit"]) == (429, "key")
    assert runaway.json()["detail"].startswith("This API key has sent too many requests")
    assert runaway.headers["ratelimit-policy"] == '"default";q=5;w=60'
    answers = [await scene.client.get(STATS, headers=other) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]


async def test_a_large_body_counts_as_several_requests(scene: Scene) -> None:
    sizes = [1, 16 * 1024, 16 * 1024 + 1, 20 * 1024]
    left = [5]
    for size in sizes:
        answer = await scene.as_acme("POST", BUTTONS, content=b" " * size)
        state = STATE.fullmatch(answer.headers["ratelimit"])
        assert state is not None
        left.append(int(state[1]))
    assert left == [5, 4, 3, 1, 0]
    assert answer.status_code == 429, "two were asked for and one was left"


async def test_a_request_that_counts_as_more_than_there_are_is_let_in_once(scene: Scene) -> None:
    small = Plan("small", key_requests_per_minute=2)
    await scene.database.transact(put_plan, small, scene.database.clock.now())
    await scene.services.organizations.change_plan("Acme", "small")
    answers = [await scene.as_acme("POST", GROUPS, content=b" " * 60_000) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [415, 429]


async def test_a_body_that_is_too_large_is_counted_as_the_largest(scene: Scene) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b"x" * 1024

    refused = await scene.as_acme("POST", BUTTONS, content=endless())
    assert refused.status_code == 413
    assert (await scene.as_acme("GET", STATS)).headers["ratelimit"].startswith('"default";r=0;')


async def test_another_plan_holds_at_once(scene: Scene) -> None:
    for _ in range(6):
        last = await scene.as_acme("GET", STATS)
    assert last.status_code == 429
    await scene.services.organizations.change_plan("Acme", UNLIMITED)
    assert (await scene.as_acme("GET", STATS)).status_code == 200


async def test_wrong_secrets_do_not_use_up_a_keys_quota(scene: Scene) -> None:
    for _ in range(10):
        assert (await scene.with_key(scene.acme.key[:-1], "GET", STATS)).status_code == 401
    assert (await scene.as_acme("GET", STATS)).headers["ratelimit"].startswith('"default";r=4')


async def test_an_unlimited_organization_is_never_refused_and_told_so(scene: Scene) -> None:
    for _ in range(20):
        response = await scene.as_globex("GET", STATS)
        assert response.status_code == 200
    assert response.headers["ratelimit"] == '"default";r=999999999999999;t=60'
    assert response.headers["ratelimit-policy"] == '"default";q=999999999999999;w=60'


@pytest.mark.parametrize("url", ["redis://:hunter2@db", "pigeons://hunter2", "nonsense"])
def test_a_storage_that_cannot_be_used_is_explained_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        RequestCounts(url)
    assert caught.value.setting == "HELIOGRAPH_RATE_LIMIT_URL"
    assert "hunter2" not in str(caught.value)
