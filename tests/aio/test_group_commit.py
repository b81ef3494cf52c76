"""Group commit: who fails with whom."""

import asyncio
from collections.abc import Sequence

from heliograph.errors import UnavailableError
from heliograph.platform.aio.group_commit import GroupCommit, WouldWaitError


async def test_nobody_waits_in_line_to_fail_one_batch_after_the_other() -> None:
    tries = 0

    async def flush(key: int, items: Sequence[int]) -> Sequence[int]:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0.01)
        raise UnavailableError(maybe_stored=True)

    commits: GroupCommit[int, int, int] = GroupCommit(flush, max_batch=4)
    outcomes = await asyncio.gather(
        *[commits.submit(0, item) for item in range(40)], return_exceptions=True
    )
    assert tries == 1
    in_doubt = [error.body()["maybe_stored"] for error in outcomes]  # type: ignore[union-attr]  # all are errors
    assert in_doubt == [True] * 4 + [False] * 36
    assert commits.waiting == 0


async def test_the_one_to_blame_fails_alone() -> None:
    async def flush(key: int, items: Sequence[int]) -> Sequence[int]:
        if 7 in items:
            raise ValueError
        return [-item for item in items]

    commits: GroupCommit[int, int, int] = GroupCommit(flush)
    outcomes = await asyncio.gather(
        *[commits.submit(0, item) for item in range(10)], return_exceptions=True
    )
    assert isinstance(outcomes.pop(7), ValueError)
    assert outcomes == [0, -1, -2, -3, -4, -5, -6, -8, -9]


async def test_the_next_batch_begins_anew_after_an_outage() -> None:
    answers: list[Exception | None] = [UnavailableError(), None]

    async def flush(key: int, items: Sequence[int]) -> Sequence[int]:
        await asyncio.sleep(0)
        if error := answers.pop(0):
            raise error
        return items

    commits: GroupCommit[int, int, int] = GroupCommit(flush)
    [first] = await asyncio.gather(commits.submit(0, 1), return_exceptions=True)
    assert isinstance(first, UnavailableError)
    assert await commits.submit(0, 2) == 2


async def test_what_would_wait_goes_apart_and_the_others_go_on() -> None:
    held = asyncio.Event()
    order: list[tuple[str, list[str]]] = []

    async def flush(key: str, items: Sequence[str]) -> Sequence[str]:
        await asyncio.sleep(0)
        if key == "all" and "a1" in items:
            raise WouldWaitError
        if key == "a":
            await held.wait()
        order.append((key, list(items)))
        return items

    commits: GroupCommit[str, str, str] = GroupCommit(flush, apart=lambda item: item[0])
    first = [commits.submit("all", item) for item in ("a1", "b1")]
    await asyncio.sleep(0)
    behind = [commits.submit("all", item) for item in ("b2", "a2", "c1")]

    assert list(await asyncio.gather(first[1], behind[0], behind[2])) == ["b1", "b2", "c1"]
    later = commits.submit("all", "a3")
    await asyncio.sleep(0.01)
    assert not any(future.done() for future in (first[0], behind[1], later))
    held.set()
    assert list(await asyncio.gather(first[0], behind[1], later)) == ["a1", "a2", "a3"]
    assert [items for key, items in order if key == "b"] == [["b1", "b2"]]
    assert [item for key, items in order if key == "a" for item in items] == ["a1", "a2", "a3"]

    assert await commits.submit("all", "a4") == "a4"
    assert order[-1] == ("all", ["a4"])


async def test_what_goes_apart_out_of_a_split_batch_stays_in_order() -> None:
    order: list[str] = []

    async def flush(key: str, items: Sequence[str]) -> Sequence[str]:
        await asyncio.sleep(0.01 if key == "a" else 0)
        if "poison" in items:
            raise ValueError
        if key == "all" and "a1" in items:
            raise WouldWaitError
        order.extend(items)
        return items

    commits: GroupCommit[str, str, str] = GroupCommit(flush, apart=lambda item: item[0])
    batch = [commits.submit("all", item) for item in ("a1", "b1", "a2", "poison")]
    await asyncio.sleep(0)
    batch.append(commits.submit("all", "a3"))
    outcomes = await asyncio.gather(*batch, return_exceptions=True)

    assert isinstance(outcomes.pop(3), ValueError)
    assert outcomes == ["a1", "b1", "a2", "a3"]
    assert [item for item in order if item[0] == "a"] == ["a1", "a2", "a3"]


async def test_a_batch_lingers_for_what_comes_next() -> None:
    batches: list[list[int]] = []

    async def flush(key: int, items: Sequence[int]) -> Sequence[int]:
        batches.append(list(items))
        return items

    commits: GroupCommit[int, int, int] = GroupCommit(flush, linger=0.2)
    first = commits.submit(0, 1)
    await asyncio.sleep(0)
    await asyncio.gather(first, commits.submit(0, 2))
    await commits.submit(0, 3)
    assert batches == [[1, 2], [3]]
