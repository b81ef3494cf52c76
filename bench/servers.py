"""`python -m bench servers`: what the gateway reaches on a PostgreSQL of yours, such as Citus, in
turns with another."""

import statistics
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from uuid import uuid4

import asyncpg
import typer
import uvloop
from pydantic import SecretStr
from rich.console import Console

from bench.accepting import accept_for_asleep
from bench.figures import Comparison, Finding, Pair, compare_rounds
from bench.gateway import Gateway, private_gateway
from bench.progress import Track, one_at_a_time, progress_bars
from bench.receiver import Receiver, receiving
from bench.stage import ROUNDS, Stage
from bench.sustaining import Sustained, sustain
from bench.tables import show_findings
from bench.tenants import SHARDS
from heliograph.app.distribution import distribute_database
from heliograph.core.cluster.model import Lease
from heliograph.core.messages.queue.sql import claim_queued
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.floors import START, Floor
from heliograph.platform.database.pool import Connection
from heliograph.settings import Settings
from heliograph.settings.groups import ServerSettings

_SECONDS = 15
_TENANTS = 64
_ACCEPTS = 5_000
_CLAIMED = 64
_LEAST = {"accept": 0.45, "whole way, one tenant": 0.45, "claims": 0.45}

_IS_EMPTY = "SELECT to_regclass('organizations') IS NULL"
_HAS_CITUS = "SELECT count(*) > 0 FROM pg_extension WHERE extname = 'citus'"
_POSTMASTER = "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::integer"
_WORKERS = "SELECT result::integer FROM run_command_on_workers($1)"


@dataclass(slots=True)
class _Scene:
    """A gateway on one of the servers. `rates` has what each round reached, by measure."""

    gateway: Gateway
    rates: dict[str, list[float]] = field(default_factory=dict)
    costs: dict[str, str] = field(default_factory=dict)

    def keep(self, measure: str, rate: float, cost: str = "") -> None:
        self.rates.setdefault(measure, []).append(rate)
        self.costs[measure] = cost


def servers(
    baseline: Annotated[str, typer.Argument(help="An empty database on a plain PostgreSQL.")],
    other: Annotated[str, typer.Argument(help="An empty one on the server to compare it with.")],
    shards: Annotated[int, typer.Option(min=1, help="HELIOGRAPH_SHARDS of both.")] = SHARDS,
    quick: Annotated[bool, typer.Option("--quick", help="One round instead of three.")] = False,
) -> None:
    """Compare two PostgreSQL servers, such as a plain one and Citus, in turns. What is measured
    stays in the databases."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    for url in (baseline, other):
        if uvloop.run(_prepare(url)):
            console.print("Distributing the tables ...")
            distribute_database(_settings(url, shards), lambda _done, _all: None)
    with progress_bars(console) as progress:
        found = uvloop.run(
            _measure(
                (baseline, other), one_at_a_time(progress), shards, rounds=1 if quick else ROUNDS
            )
        )
    show_findings(console, found)


def _settings(url: str, shards: int) -> Settings:
    server = ServerSettings.model_validate({"shards": shards})
    return Settings(server=server).with_database(url, [SecretStr(generate_secret_key())])


async def _prepare(url: str) -> bool:
    """Return whether the database is one of Citus. Raises `BadParameter` if it is not empty."""
    connection = await asyncpg.connect(url)
    try:
        if not await connection.fetchval(_IS_EMPTY):
            raise typer.BadParameter("One of the databases has Heliograph's tables already.")
        return bool(await connection.fetchval(_HAS_CITUS))
    finally:
        await connection.close()


async def _measure(
    urls: tuple[str, str], track: Track, shards: int, *, rounds: int
) -> list[Finding]:
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(receiving())
        scenes = [
            await stack.enter_async_context(_furnished(url, receiver, track, shards))
            for url in urls
        ]
        for number in range(rounds):
            for scene in scenes:
                stage = Stage(scene.gateway, receiver, track, (1,))
                await _take_turn(stage, scene, f"{number + 1} of {rounds}")
        return list(_compare(*scenes))


@asynccontextmanager
async def _furnished(
    url: str, receiver: Receiver, track: Track, shards: int
) -> AsyncIterator[_Scene]:
    """Make 64 tenants in this database. The gateway is stopped."""
    given = {"DATABASE_URL": url, "SECRET_KEYS": generate_secret_key(), "SHARDS": str(shards)}
    async with private_gateway(1, **given) as gateway:
        track(f"making {_TENANTS} tenants", 1)
        await gateway.furnish(receiver.url, _TENANTS)
        gateway.postmasters = await _find_postmasters(gateway)
        await gateway.stop()
        yield _Scene(gateway)


async def _find_postmasters(gateway: Gateway) -> list[int]:
    """Return the servers that run on this machine, which it takes for granted."""
    async with gateway.database() as connection:
        found = [await connection.fetchval(_POSTMASTER)]
        if await connection.fetchval(_HAS_CITUS):
            found += [row[0] for row in await connection.fetch(_WORKERS, _POSTMASTER)]
        return found


async def _take_turn(stage: Stage, scene: _Scene, turn: str) -> None:
    gateway = scene.gateway
    await gateway.start()
    await gateway.await_connected()
    for measure, count in (("one tenant", 1), (f"{_TENANTS} tenants", _TENANTS)):
        name = f"whole way, {measure}"
        way = await sustain(stage, f"{name}, {turn}", gateway.customers[:count], _SECONDS)
        scene.keep(name, way.rate, _cost(way))
    accepted = await accept_for_asleep(stage, gateway.customer.client, _ACCEPTS)
    scene.keep("accept", accepted.rate or 0.0, f"p50 {accepted.p50} ms, p99 {accepted.p99} ms")
    scene.keep("claims", await _claim(gateway, accepted.count))
    await gateway.renew_asleep()  # what this one's dead owner holds would wait again
    await gateway.stop()


def _cost(way: Sustained) -> str:
    return f"{way.finished:,.0f} messages, {way.cost}"


async def _claim(gateway: Gateway, accepted: int) -> float:
    """Return how many of the messages that wait are claimed in a second, 64 at a time, one claim
    after the other. Each begins behind what is gone, where a node knows that."""
    assert gateway.asleep_account_id is not None
    lease = Lease(gateway.customer.tenant, gateway.asleep_account_id, uuid4(), epoch=1)
    took, floor = [], START
    async with gateway.services() as services:
        database = services.database
        started_at = await database.read(_find_start)
        for _ in range(accepted // _CLAIMED):
            began = time.perf_counter()
            claim, _ = await database.transact(claim_queued, lease, _CLAIMED, Clock().now(), floor)
            took.append(time.perf_counter() - began)
            assert claim is not None, "fewer wait than were accepted"
            if not database.is_distributed:
                floor = Floor(claim.messages[-1].seq + 1, started_at)
    return _CLAIMED / statistics.median(took)


async def _find_start(connection: Connection) -> datetime:
    found: datetime = await connection.fetchval("SELECT pg_postmaster_start_time()")
    return found


def _compare(baseline: _Scene, other: _Scene) -> Sequence[Comparison]:
    return [
        compare_rounds(
            measure,
            [Pair(*pair) for pair in zip(other.rates[measure], rates, strict=True)],
            baseline_name="the first server",
            least=_LEAST.get(measure),
            note=_beside(other.costs[measure], baseline.costs[measure]),
        )
        for measure, rates in baseline.rates.items()
    ]


def _beside(here: str, there: str) -> str | None:
    return f"{here}; there {there}" if here else None
