"""Turns that are spread over time, and places of which an organization has its share."""

import asyncio
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from heliograph.platform.aio.limits import FairSemaphore, Pacer

GAP, LONGEST = 0.25, 1.0  # exact in binary
ACME, EVIL = UUID(int=1), UUID(int=2)


def test_the_first_begins_at_once_and_each_other_a_gap_later() -> None:
    pacer = Pacer(GAP, LONGEST)
    assert [pacer.take(100.0) for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]
    assert pacer.take(100.5) == 0.5


def test_a_quiet_moment_is_not_saved_up() -> None:
    pacer = Pacer(GAP, LONGEST)
    pacer.take(100.0)
    assert [pacer.take(500.0) for _ in range(3)] == [0.0, 0.25, 0.5]


def test_who_comes_last_of_many_waits_no_longer_than_the_longest() -> None:
    pacer = Pacer(GAP, LONGEST)
    assert {pacer.take(100.0) for _ in range(1000)} == {0.0, 0.25, 0.5, 0.75, 1.0}
    assert pacer.take(103.0) == 0.0


@given(st.lists(st.integers(0, 8), max_size=50))
def test_turns_come_in_order_and_a_gap_apart_unless_somebody_waited_longest(
    steps: list[int],
) -> None:
    pacer, now, last = Pacer(GAP, LONGEST), 100.0, 0.0
    for step in steps:
        now += step / 16
        wait = pacer.take(now)
        assert 0 <= wait <= LONGEST
        assert now + wait >= last + GAP or wait == LONGEST
        last = now + wait


async def test_one_organization_has_its_share_and_no_more() -> None:
    shares, ended = FairSemaphore(4, 2), asyncio.Event()
    held: list[UUID] = []

    async def work(organization: UUID) -> None:
        async with shares.hold(organization):
            held.append(organization)
            await ended.wait()

    tasks = [asyncio.create_task(work(EVIL)) for _ in range(9)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(work(ACME)) for _ in range(9)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert sorted(held) == [ACME, ACME, EVIL, EVIL]
    ended.set()
    await asyncio.gather(*tasks)
    assert len(held) == 18


async def test_nothing_is_kept_of_who_is_gone() -> None:
    shares = FairSemaphore(1, 1)
    async with shares.hold(EVIL):
        given_up = asyncio.create_task(shares.hold(ACME).__aenter__())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
    async with asyncio.timeout(60), shares.hold(ACME):
        pass
    assert not vars(shares)["_own"]
    assert not vars(shares)["_holding"]
