"""Places that are shared out: so many in all, so many for one organization."""

import asyncio
from uuid import UUID

from heliograph.platform.aio.limits import Shares

ACME, EVIL = UUID(int=1), UUID(int=2)


async def test_one_organization_has_its_share_and_no_more() -> None:
    shares, ended = Shares(4, 2), asyncio.Event()
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
    shares = Shares(1, 1)
    async with shares.hold(EVIL):
        given_up = asyncio.create_task(shares.hold(ACME).__aenter__())
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
    async with asyncio.timeout(60), shares.hold(ACME):
        pass
    assert not vars(shares)["_own"]
    assert not vars(shares)["_holding"]
