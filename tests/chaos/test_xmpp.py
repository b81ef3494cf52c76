"""Faults on the way between the gateway and a real XMPP server: nothing lost, nothing doubled."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.kills import Kills, whole_machine
from chaos.load import Load
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world
from chaos.xmpp_side import Somebody, Writers, XmppSide, present
from prosody_server import ProsodyServer, running_prosody
from tcp_proxy import tcp_proxy
from xmpp_friend import WHOLE_ARCHIVE

pytestmark = pytest.mark.extra_fault

NODES = 2
CLIENTS = 8
WRITERS = 6
LONGEST_WAIT = 150.0  # seconds; who is cut off again and again waits up to 90 between two tries


@dataclass(frozen=True)
class Trial:
    """A world on a Prosody of its own, and the people who write to it."""

    world: World
    kills: Kills
    side: XmppSide
    writers: dict[str, Somebody]


async def kill_a_node(trial: Trial) -> None:
    machine = await whole_machine(trial.world, nodes=NODES)
    await trial.kills.kill([random.choice(machine.nodes())])


async def restart_the_server(trial: Trial) -> None:
    await trial.world.connected(within=LONGEST_WAIT)
    await asyncio.to_thread(trial.side.server.kill)
    await asyncio.sleep(random.uniform(0, 2))
    await asyncio.to_thread(trial.side.server.start)


async def cut_the_connections(trial: Trial) -> None:
    """With what the accounts have sent and not yet seen acknowledged."""
    await trial.world.connected(within=LONGEST_WAIT)
    trial.side.proxy.hold_answers()
    await asyncio.sleep(random.uniform(0, 1))
    trial.side.proxy.cut()
    trial.side.proxy.let_answers_through()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("XMPP: kill -9 of a node", kill_a_node),
        ("XMPP: kill -9 of the server", restart_the_server),
        ("XMPP: connections cut mid-send", cut_the_connections),
    ],
)
@pytest.mark.timeout(3600)
async def test_what_breaks_on_the_way_loses_nothing(
    folder: Path,
    given: Queried | None,
    form: Form,
    server: ProsodyServer,
    name: str,
    fault: Callable[[Trial], Awaitable[None]],
) -> None:
    # the long form is slow: who is cut off often waits a minute, and Prosody's archive is one file
    times = form.pick(2, 25)
    async with made_trial(folder, given, server) as trial:
        world = trial.world
        load = Load(world, clients=CLIENTS, per_second=form.pick(20, 5))
        writing = Writers(world, trial.writers, per_second=form.pick(10, 3))
        async with load.running(), writing.running():
            for _ in form.each(name, range(times)):
                await asyncio.sleep(random.uniform(0.5, 3))
                await fault(trial)
        await world.sent()
        await trial.side.make_up()
        await judge(
            form,
            world,
            name,
            load.outcomes,
            times=times,
            repeats=trial.kills.allowed,
            webhooks_in_doubt=trial.kills.in_doubt.total(),
            connections=trial.side.proxy.connections,
            lost_by_the_server_itself=trial.side.lost_by_server,
        )
        assert not trial.kills.unexplained
        assert len(world.ledger.stored) == len(world.ledger.sent) + len(world.ledger.heard)
        assert await miscounted(world) == []


@pytest.fixture
def server() -> Iterator[ProsodyServer]:
    with running_prosody(largest_page=WHOLE_ARCHIVE) as started:
        yield started


@asynccontextmanager
async def made_trial(
    folder: Path, given: Queried | None, server: ProsodyServer
) -> AsyncIterator[Trial]:
    addressed = [f"+1555020{number:04}" for number in range(CLIENTS)]
    writers = [f"+1555030{number:04}" for number in range(WRITERS)]
    async with tcp_proxy(server.port) as proxy, present(server, addressed + writers) as everybody:
        side = partial(XmppSide, server=server, proxy=proxy, people=everybody)
        async with made_world(
            folder, database=given, machines=2, nodes=NODES, tenants=2, side=side
        ) as world:
            assert isinstance(world.side, XmppSide)
            who = {phone: everybody[phone] for phone in writers}
            yield Trial(world, Kills(world), world.side, who)
