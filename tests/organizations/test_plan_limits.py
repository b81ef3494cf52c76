"""Accounts, webhooks and keys of a plan, and plans themselves."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from api_scene import Scene
from api_scene import scene as scene
from each_case import for_each
from heliograph.core.organizations.service import PlanService
from heliograph.core.tenants.plans import FREE, PLAN_LIMITS, PRO, UNLIMITED, Plan
from heliograph.errors import InvalidInputError, NotFoundError, PlanLimitReachedError

PLAN = Plan("acme", accounts=2, webhooks=2, api_keys=2)
Make = Callable[[Scene, int], Awaitable[object]]


@pytest.fixture
def plans(scene: Scene) -> PlanService:
    return PlanService(scene.database, scene.notifications)


async def make_account(scene: Scene, number: int) -> object:
    accounts = scene.services.accounts
    name = f"phone-{number}"
    return await accounts.create(scene.acme.principal, "sandbox", name, name, {})


async def make_webhook(scene: Scene, number: int) -> object:
    url = f"https://hooks.example.com/{number}"
    return await scene.services.webhooks.create(scene.acme.principal, url)


async def make_key(scene: Scene, number: int) -> object:
    return await scene.services.keys.mint(scene.acme.principal, f"key {number}")


def test_a_limit_of_what_is_kept_says_how_to_make_room() -> None:
    reset = {name for name in PLAN_LIMITS if "_per_" in name}
    without = {name for name, limit in PLAN_LIMITS.items() if not limit.make_room}
    assert without == reset | {"retention_days", "max_file_bytes"}


@pytest.mark.parametrize(
    ("make", "limit", "there"),
    [(make_account, "accounts", 1), (make_webhook, "webhooks", 0), (make_key, "api_keys", 1)],
)
async def test_of_many_made_at_once_no_more_than_the_plan_allows(
    scene: Scene, make: Make, limit: str, there: int
) -> None:
    outcomes = await asyncio.gather(*(make(scene, n) for n in range(6)), return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert len(outcomes) - len(refused) == 2 - there
    assert {type(error) for error in refused} == {PlanLimitReachedError}
    members = [error.members for error in refused if isinstance(error, PlanLimitReachedError)]
    assert {(member["limit"], member["value"], member["resets_at"]) for member in members} == {
        (limit, 2, None)
    }
    assert all(PLAN_LIMITS[limit].make_room in str(error) for error in refused)


async def test_a_key_that_was_revoked_makes_room(scene: Scene) -> None:
    minted = await scene.services.keys.mint(scene.acme.principal, "second")
    with pytest.raises(PlanLimitReachedError, match="api_keys = 2"):
        await make_key(scene, 3)
    await scene.services.keys.revoke(scene.acme.principal, minted.record.key_id)
    assert await make_key(scene, 3)


async def test_three_plans_are_there_from_the_start(plans: PlanService) -> None:
    there = {plan.name: plan for plan in await plans.list()}
    assert {FREE, PRO, UNLIMITED} <= there.keys()
    assert there[UNLIMITED] == Plan(UNLIMITED)
    assert there[FREE].messages_per_day == 100


async def test_a_change_keeps_the_other_limits_and_none_lifts_one(plans: PlanService) -> None:
    await plans.put("team", {"accounts": 5, "webhooks": 3})
    assert await plans.put("team", {"accounts": None}) == Plan("team", webhooks=3)
    assert await plans.get("team") == Plan("team", webhooks=3)


@for_each(
    ("name", "limits"),
    [
        ("Team 1", {}),
        ("", {}),
        ("team", {"carrots": 1}),
        ("team", {"accounts": -1}),
        ("team", {"requests_per_minute": 0}),
        ("team", {"messages_per_day": 10**12}),
    ],
)
async def test_what_can_be_no_plan_is_refused(
    plans: PlanService, name: str, limits: dict[str, int | None]
) -> None:
    before = await plans.list()
    with pytest.raises(InvalidInputError):
        await plans.put(name, limits)
    assert await plans.list() == before


async def test_a_plan_that_somebody_has_can_not_be_deleted(
    scene: Scene, plans: PlanService
) -> None:
    with pytest.raises(InvalidInputError, match="give it another one first"):
        await plans.delete(PLAN.name)
    await scene.services.organizations.change_plan("Acme", PRO)
    await plans.delete(PLAN.name)
    with pytest.raises(NotFoundError, match="there are"):
        await plans.get(PLAN.name)


async def test_a_plan_that_there_is_not_is_named_with_those_that_there_are(scene: Scene) -> None:
    with pytest.raises(InvalidInputError, match=r"no plan 'gold'; there are .*free"):
        await scene.services.organizations.change_plan("Acme", "gold")
    with pytest.raises(InvalidInputError, match="no plan 'gold'"):
        await scene.services.organizations.create("Initech", plan="gold")
