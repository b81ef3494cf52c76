"""Long work in pieces: others have their turn between them."""

import asyncio

from heliograph.platform.aio.pieces import in_pieces


async def test_others_have_their_turn_after_each_piece() -> None:
    done: list[str] = []

    async def other() -> None:
        while len(done) < 9:
            done.append("other")
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    async for item in in_pieces("abcde", 2):
        done.append(item)  # noqa: PERF401 - the other task is to see it
    task.cancel()
    assert done == ["a", "b", "other", "c", "d", "other", "e"]


async def test_all_items_come_in_order() -> None:
    assert [item async for item in in_pieces(range(7), 3)] == list(range(7))
    nothing: list[int] = []
    assert [item async for item in in_pieces(nothing, 3)] == []
