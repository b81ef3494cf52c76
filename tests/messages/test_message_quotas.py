"""A plan's messages a day and a month: exact, whoever asks at the same time."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_scene import BUTTONS, Node, Scene, buttons, open_node
from api_scene import scene as scene
from heliograph.core.organizations.service import PlanService
from heliograph.core.tenants.plans import Plan

PLAN = Plan("acme", messages_per_day=5, messages_per_month=8)
pytestmark = pytest.mark.usefixtures("today")
USED = "SELECT span, n FROM message_quotas WHERE shard = $1 AND organization_id = $2"


async def send(scene: Scene, key: str | None = None, **changes: object) -> httpx.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return await scene.as_acme("POST", BUTTONS, json=buttons(**changes), headers=headers)


async def used(scene: Scene) -> dict[str, int]:
    rows = await scene.database.pool.fetch(USED, *scene.acme.organization.tenant)
    return {row["span"]: row["n"] for row in rows}


async def stored(scene: Scene) -> int:
    return (await scene.count_rows())["messages"]


async def pass_days(scene: Scene, days: int) -> None:
    """As if what was sent had been sent so long ago."""
    await scene.database.pool.execute(
        "UPDATE message_quotas SET starts_on = starts_on - $1::integer WHERE span = 'day'", days
    )


async def test_when_the_day_is_spent_it_is_429_and_nothing_is_stored(scene: Scene) -> None:
    for _ in range(5):
        assert (await send(scene)).status_code == 200
    refused = await send(scene)
    assert refused.status_code == 429
    body: dict[str, Any] = refused.json()
    assert (body["code"], body["limit"], body["value"]) == (
        "plan_limit_reached",
        "messages_per_day",
        5,
    )
    assert body["resets_at"].endswith("T00:00:00Z")
    assert refused.headers["retry-after"] == str(body["retry_after"])
    assert await stored(scene) == 5
    assert await used(scene) == {"day": 5, "month": 5}


async def test_the_month_goes_on_when_the_day_begins_anew(scene: Scene) -> None:
    for _ in range(5):
        await send(scene)
    await pass_days(scene, 1)
    answers = [await send(scene) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].json()["limit"] == "messages_per_month"


async def test_of_many_at_once_as_many_as_there_are_get_through(scene: Scene) -> None:
    answers = await asyncio.gather(*(send(scene) for _ in range(40)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [429] * 35
    assert await stored(scene) == 5


async def test_two_nodes_give_no_more_than_one(
    scene: Scene, database_url: str, tmp_path: Path
) -> None:
    async def through(node: Node) -> list[int]:
        asking = [node.with_key(scene.acme.key, "POST", BUTTONS, json=buttons()) for _ in range(30)]
        return [answer.status_code for answer in await asyncio.gather(*asking)]

    async with open_node(database_url, tmp_path) as other:
        here, there = await asyncio.gather(through(scene), through(other))
    assert (here + there).count(200) == 5
    assert set(here + there) == {200, 429}
    assert await used(scene) == {"day": 5, "month": 5}


async def test_others_are_not_held_back(scene: Scene) -> None:
    for _ in range(6):
        last = await send(scene)
    assert last.status_code == 429
    answer = await scene.as_globex("POST", BUTTONS, json=buttons())
    assert answer.status_code == 200
    rows = await scene.database.pool.fetch(USED, *scene.globex.organization.tenant)
    assert not rows, "who has no limit is not counted"


async def test_a_repeat_under_its_key_costs_nothing_and_is_answered_when_all_is_spent(
    scene: Scene,
) -> None:
    first = await send(scene, "one")
    for _ in range(4):
        await send(scene)
    again = await send(scene, "one")
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    assert await used(scene) == {"day": 5, "month": 5}


async def test_what_is_refused_takes_no_key(scene: Scene) -> None:
    for _ in range(5):
        await send(scene)
    assert (await send(scene, "late")).status_code == 429
    assert (await scene.count_rows())["idempotency_keys"] == 0
    await pass_days(scene, 1)
    late = await send(scene, "late")
    assert late.status_code == 200
    assert "idempotent-replayed" not in late.headers


async def test_twins_under_one_key_share_a_refusal(scene: Scene) -> None:
    for _ in range(5):
        await send(scene)
    answers = await asyncio.gather(*(send(scene, "twin") for _ in range(6)))
    assert {answer.status_code for answer in answers} == {429}
    assert await stored(scene) == 5


async def test_a_refused_member_of_a_batch_fails_alone(scene: Scene) -> None:
    await PlanService(scene.database, scene.notifications).put("acme", {"messages_per_day": 0})
    answers = await asyncio.gather(
        *(send(scene) for _ in range(10)),
        *(scene.as_globex("POST", BUTTONS, json=buttons()) for _ in range(10)),
    )
    assert [answer.status_code for answer in answers] == [429] * 10 + [200] * 10
