"""A PostgreSQL that is killed under load with all its processes: what was on no disk is gone.

That may be no more than `delivered` outcomes of webhooks, whose commits wait for no disk: such a
webhook is posted again, as the same. All else that was answered or told is there.
"""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.ledger import STEPS
from chaos.load import Load
from chaos.verdict import judge
from chaos.world import QUIET_AFTER, World, made_world, wait_until
from heliograph.core.dispatch.open_claims import FORGOTTEN_TOGETHER

pytestmark = [pytest.mark.extra_fault, pytest.mark.own_postgres("kills it")]

CLIENTS = 12
IDLE = 4
"""Of the kills, so many come when all is done: what is posted again then had been recorded."""

# The log's writer would put outcomes on disk five times a second.
LAZY_LOG = ("ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()")

LEFT = """
SELECT 'delivery_queue' AS name, count(*) AS n FROM delivery_queue
UNION ALL SELECT 'message_queue', count(*) FROM message_queue
UNION ALL SELECT 'sending', count(*) FROM messages WHERE status = 'sending'
UNION ALL SELECT 'not delivered', count(*) FROM deliveries WHERE status <> 'delivered'
"""
MOST_CLAIMS = """
SELECT coalesce(max(n), 0) FROM (
    SELECT count(*) AS n FROM message_claims GROUP BY shard, organization_id, account_id
) AS claims
"""
RECORDED = "SELECT organization_id, event_id FROM deliveries"


@pytest.mark.timeout(3600)
async def test_a_killed_database_takes_back_outcomes_of_webhooks_and_nothing_else(
    folder: Path, form: Form
) -> None:
    kills, slowest_pause = form.pick(4, 40), form.pick(5, 20)
    async with made_world(folder, nodes=2) as world:
        for statement in LAZY_LOG:
            await world.postgres.fetch(statement)
        nodes, load = world.nodes(), Load(world, clients=CLIENTS)
        async with load.running():
            for _ in form.each("kills", range(kills)):
                await asyncio.sleep(random.uniform(slowest_pause / 4, slowest_pause))
                await next_answer(world)
                await world.postgres.kill_and_restart(away=random.choice((0, 0, 1, 7)))
        await world.settle()
        taken_back = 0
        for number in range(1, IDLE + 1):
            taken_back += await kill_when_all_is_done(world, number * CLIENTS)
        recorded = Counter(
            (str(row["organization_id"]), str(row["event_id"]))
            for row in await world.postgres.fetch(RECORDED)
        )
        await judge(
            form,
            world,
            "PostgreSQL killed with all its processes",
            load.outcomes,
            times=kills + IDLE,
            repeats=taken_back + world.in_flight(kills),
            nodes=nodes,
            outcomes_taken_back=taken_back,
        )
        assert taken_back, "every outcome was on disk: this test shows less than it should"
        left = {row["name"]: row["n"] for row in await world.postgres.fetch(LEFT)}
        assert left == dict.fromkeys(left, 0)
        assert (await world.postgres.fetch(MOST_CLAIMS))[0][0] < FORGOTTEN_TOGETHER
        assert recorded.total() == len(STEPS) * len(world.ledger.accepted)
        assert set(recorded.values()) == {1}
        assert await miscounted(world) == []


async def next_answer(world: World) -> None:
    """Until a client has just been answered: what that promises is on disk already, or never."""
    answers = world.ledger.answers
    before = len(answers)
    while len(answers) == before:  # noqa: ASYNC110 - an event would come later
        await asyncio.sleep(0.001)


async def kill_when_all_is_done(world: World, first: int) -> int:
    """Kill the server once every webhook of some more messages has been recorded as delivered;
    return how many came again."""
    async with Load(world, clients=CLIENTS, first=first).running():
        await asyncio.sleep(1)
    await wait_until(world.is_quiet, QUIET_AFTER)
    await world.observe()
    before = world.ledger.repeats()
    await world.postgres.kill_and_restart()
    await world.settle()
    return world.ledger.repeats() - before
