"""The gate holds a transaction where it says, and what was not handed on never happens."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest

from chaos.commit_gate import CommitGate, Moment, Trap, commit_gate

INSERT = "INSERT INTO seen VALUES ($1)"
OTHER = "INSERT INTO seen (n) VALUES ($1)"
OURS = os.getpid()


@dataclass
class Scene:
    """A connection through the gate, and the direct way."""

    gate: CommitGate
    through: "asyncpg.Connection[asyncpg.Record]"
    direct: "asyncpg.Connection[asyncpg.Record]"

    async def insert(self, number: int, statement: str = INSERT) -> None:
        async with self.through.transaction():
            await self.through.execute(statement, number)

    async def seen(self) -> list[int]:
        return [row["n"] for row in await self.direct.fetch("SELECT n FROM seen ORDER BY n")]

    async def held(self, trap: Trap) -> "asyncio.Task[None]":
        """An insert that waits at the gate."""
        task = asyncio.create_task(self.insert(1))
        await trap.full()
        await asyncio.sleep(0.05)
        assert not task.done()
        return task


@pytest.fixture
async def scene(empty_database_url: str) -> AsyncIterator[Scene]:
    direct = await asyncpg.connect(empty_database_url)
    await direct.execute("CREATE TABLE seen (n integer)")
    async with commit_gate(empty_database_url) as gate:
        through = await asyncpg.connect(gate.url)
        yield Scene(gate, through, direct)
        through.terminate()
    await direct.close()


async def test_what_is_held_before_its_commit_is_not_there_and_can_go_on(scene: Scene) -> None:
    async with scene.gate.trap(INSERT, {OURS: Moment.BEFORE_COMMIT}) as trap:
        task = await scene.held(trap)
        assert await scene.seen() == []
        trap.held[0].let_go()
        await task
    assert await scene.seen() == [1]


async def test_what_is_cut_off_before_its_commit_never_is_there(scene: Scene) -> None:
    async with scene.gate.trap(INSERT, {OURS: Moment.BEFORE_COMMIT}) as trap:
        task = await scene.held(trap)
    with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
        await task
    assert await scene.seen() == []


async def test_what_is_held_before_its_answer_is_there_and_nobody_knows(scene: Scene) -> None:
    async with scene.gate.trap(INSERT, {OURS: Moment.BEFORE_ANSWER}) as trap:
        task = await scene.held(trap)
        assert await scene.seen() == [1]
    with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
        await task
    assert await scene.seen() == [1]


async def test_a_statement_outside_of_a_transaction_is_one_of_its_own(scene: Scene) -> None:
    for number, moment in enumerate((Moment.BEFORE_COMMIT, Moment.BEFORE_ANSWER)):
        async with scene.gate.trap(INSERT, {OURS: moment}) as trap:
            task = asyncio.create_task(scene.through.execute(INSERT, number))
            await trap.full()
            assert (number in await scene.seen()) is (moment is Moment.BEFORE_ANSWER)
            trap.held[0].let_go()
            await task
    assert await scene.seen() == [0, 1]


async def test_other_statements_and_other_processes_pass(scene: Scene) -> None:
    async with scene.gate.trap(INSERT, {OURS: Moment.BEFORE_COMMIT}):
        await scene.insert(2, OTHER)
    async with scene.gate.trap(INSERT, {OURS + 1: Moment.BEFORE_COMMIT}):
        await scene.insert(3)
    assert await scene.seen() == [2, 3]


async def test_a_statement_counts_for_its_own_transaction_alone(scene: Scene) -> None:
    await scene.insert(1)
    async with scene.gate.trap(INSERT, {OURS: Moment.BEFORE_COMMIT}) as trap:
        await scene.insert(2, OTHER)
        await scene.through.execute("INSERT INTO seen VALUES (3)")
        assert trap.held == []
    assert await scene.seen() == [1, 2, 3]
