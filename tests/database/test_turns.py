"""Two lines: each in order, and one of each by turns."""

import asyncio

from heliograph.platform.database.turns import ConnectionTurns


class Line:
    """Who has been let in, in order; each leaves when it is told to."""

    def __init__(self, most: int) -> None:
        self.turns = ConnectionTurns(most)
        self.inside: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._leave: dict[str, asyncio.Event] = {}

    async def ask(self, *names: str) -> None:
        """Those in capital letters are in haste."""
        for name in names:
            self._leave[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._hold(name))
        await self.settle()

    async def _hold(self, name: str) -> None:
        async with self.turns.hold(in_haste=name.isupper()):
            self.inside.append(name)
            await self._leave[name].wait()

    def leave(self, name: str) -> None:
        self._leave[name].set()

    def give_up(self, name: str) -> None:
        self._tasks[name].cancel()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def end(self) -> list[str]:
        """Each leaves once it was let in; the order in which they were."""
        for event in self._leave.values():
            event.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        return self.inside


async def test_no_more_than_so_many_are_let_in_and_the_others_in_order() -> None:
    line = Line(2)
    await line.ask(*"abcde")
    assert line.inside == ["a", "b"]
    line.leave("b")
    await line.settle()
    assert line.inside == ["a", "b", "c"]
    assert await line.end() == [*"abcde"]


async def test_of_two_lines_one_of_each_is_let_in_by_turns() -> None:
    line = Line(1)
    await line.ask(*"abcd", *"XYZ")
    assert await line.end() == [*"aXbYcZd"]


async def test_who_gives_up_leaves_the_turn_to_the_next() -> None:
    line = Line(1)
    await line.ask(*"abcd")
    line.give_up("b")
    line.leave("a")
    line.give_up("c")  # in the moment in which it would have been let in
    assert await line.end() == ["a", "d"]
    await line.ask(*"ef")
    assert line.inside == ["a", "d", "e"], "one at a time, as before"
    await line.end()


async def test_who_gives_up_in_the_moment_of_being_let_in_does_too() -> None:
    line = Line(1)
    await line.ask(*"ab")
    line.turns.release()  # b has the turn, and does not know it yet
    line.give_up("b")
    await line.ask("c")
    assert line.inside == ["a", "c"]
    await line.end()
