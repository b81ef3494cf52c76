"""A new number sends a little more each day; what is over waits in the queue."""

import asyncio
from collections import Counter

import pytest
from msgspec import UNSET, UnsetType

from core_scene import ADA, BOB, Scene, ScriptedSession
from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.accounts.warm_up import FIRST_DAY, daily_allowance
from heliograph.core.messages.model import MessageStatus
from heliograph.errors import InvalidInputError
from heliograph.networks.errors import NetworkError
from waiting import seen_until

A_DAY = 86_400.0
EXTRA = 5


async def warm_up(scene: Scene, send_rate: int | UnsetType = UNSET) -> None:
    await scene.change_account(DeviceUpdate(send_rate=send_rate, auto_warmer_enabled=True))


async def counts(scene: Scene) -> Counter[str]:
    return Counter((await scene.statuses()).values())


async def until_sent(scene: Scene, wanted: int) -> None:
    await seen_until(lambda: counts(scene), lambda found: found["sent"] >= wanted)
    await asyncio.sleep(0.3)
    assert (await counts(scene))["sent"] == wanted


async def test_what_is_over_the_days_allowance_waits_and_goes_the_next_day(scene: Scene) -> None:
    await warm_up(scene)
    for number in range(FIRST_DAY + EXTRA):
        await scene.accept(f"{number:02}", (ADA, BOB)[number % 2])
    session = ScriptedSession()
    dispatcher = scene.outbound(session)

    await until_sent(scene, FIRST_DAY)
    assert await counts(scene) == {"sent": FIRST_DAY, "queued": EXTRA}
    assert (await scene.stored_account()).sent_that_day == FIRST_DAY

    scene.pass_time(A_DAY)
    dispatcher.wake()
    await until_sent(scene, FIRST_DAY + EXTRA)
    assert (await scene.stored_account()).sent_that_day == EXTRA


async def test_the_allowance_is_the_accounts_and_outlives_its_owner(scene: Scene) -> None:
    await warm_up(scene)
    for number in range(FIRST_DAY + EXTRA):
        await scene.accept(f"{number:02}", f"+5511{number:08}")
    scene.outbound(ScriptedSession())
    await until_sent(scene, FIRST_DAY)
    await scene.stop_sending()
    scene.outbound(ScriptedSession())
    await asyncio.sleep(0.5)
    assert (await counts(scene))["sent"] == FIRST_DAY


async def test_what_fails_or_is_tried_again_costs_nothing(scene: Scene) -> None:
    await warm_up(scene)
    session = ScriptedSession()
    session.troubles[ADA] = [NetworkError("No.", permanent=True)]
    session.troubles[BOB] = [NetworkError("Busy.", retry_after=0.05)]
    await scene.accept("refused", ADA)
    await scene.accept("again", BOB)
    for number in range(FIRST_DAY):
        await scene.accept(f"{number:02}", f"+5511{number:08}")
    scene.outbound(session)
    await until_sent(scene, FIRST_DAY)
    assert await counts(scene) == {"sent": FIRST_DAY, "failed": 1, "queued": 1}


async def test_a_warm_account_is_not_held_back(scene: Scene) -> None:
    await warm_up(scene, send_rate=1)
    await scene.rows("UPDATE accounts SET warming_since = warming_since - 30, send_rate = NULL")
    assert daily_allowance(30) > 10_000
    for number in range(FIRST_DAY + EXTRA):
        await scene.accept(f"{number:02}", f"+5511{number:08}")
    scene.outbound(ScriptedSession())
    await until_sent(scene, FIRST_DAY + EXTRA)


async def test_switching_it_on_again_begins_anew_and_anything_else_does_not(scene: Scene) -> None:
    await warm_up(scene)
    await scene.rows("UPDATE accounts SET warming_since = warming_since - 5")
    before = await scene.stored_account()
    await warm_up(scene, send_rate=30)
    after = await scene.stored_account()
    assert (after.warming_since, after.send_rate) == (before.warming_since, 30)
    await scene.change_account(DeviceUpdate(auto_warmer_enabled=False, send_rate=None))
    await warm_up(scene)
    again = await scene.stored_account()
    assert before.warming_since is not None
    assert again.warming_since is not None
    assert (again.warming_since - before.warming_since).days == 5
    assert again.send_rate is None


async def test_what_can_not_be_is_refused(scene: Scene) -> None:
    for rate in (0, -1, 100_001):
        with pytest.raises(InvalidInputError, match="1 to 100,000"):
            await scene.change_account(DeviceUpdate(send_rate=rate))
    message = await scene.message(await scene.accept("still", ADA))
    assert message.status is MessageStatus.QUEUED
