"""Group commit: who fails with whom."""

import asyncio
from collections.abc import Sequence

from heliograph.errors import UnavailableError
from heliograph.platform.aio.group_commit import GroupCommit


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
