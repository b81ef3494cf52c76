"""Accept messages while a node deletes what is too old."""

import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.client import ask_at_rate
from bench.figures import Comparison, Figure, Finding, spread
from bench.gateway import Gateway, private_gateway
from bench.seeding import Seeding
from bench.stage import CONNECTIONS, Stage, buttons
from bench.volume import send_template

_CUSTOMERS = 8
_STORED = 1_000_000
_RATE = 200
_WINDOW = 4
"""Seconds of each window, of which there are so many before and after."""
_QUIET = 8
_MOST = 1.1
_PATIENCE = 1800.0

# What is stored was sent 30 to 27 days ago.
_BEGIN = (
    "UPDATE plans SET retention_days = 20 WHERE name = 'unlimited'",
    "UPDATE chores SET done_at = NULL, held_until = NULL WHERE name = 'retention'",
)
_STATE = "SELECT held_until IS NOT NULL AS held, done_at IS NOT NULL AS done FROM chores"


@dataclass(slots=True)
class _Windows:
    """99th percentiles in milliseconds."""

    quiet: list[float] = field(default_factory=list)
    during: list[float] = field(default_factory=list)


async def retention(stage: Stage) -> list[Finding]:
    """Accept 200 messages a second before, while and after a node deletes all that is stored."""
    size = stage.count(_STORED)
    async with private_gateway(1) as gateway:
        await gateway.furnish(stage.receiver.url, _CUSTOMERS)
        here = stage.on(gateway)
        seeding = await Seeding.begin(gateway, await send_template(here))
        await seeding.fill(size, here.track(f"storing {size:,} messages", size))
        windows = _Windows()
        move = here.track("accepting before, while and after a clean-up", 2 * _QUIET)
        await _measure_quiet(here, windows.quiet, move)
        took = await _measure_clean_up(here, windows.during)
        await _measure_quiet(here, windows.quiet, move)
    return _findings(windows, size, took)


async def _measure_quiet(stage: Stage, found: list[float], move: Callable[[int], None]) -> None:
    for _ in range(_QUIET):
        found.append(await _window(stage))
        move(1)


async def _measure_clean_up(stage: Stage, found: list[float]) -> float:
    """Return the windows that lie entirely within the clean-up, and its seconds; a node begins it
    within a minute."""
    async with stage.gateway.database() as connection:
        for command in _BEGIN:
            await connection.execute(command)
    began, deadline = None, time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        held, done = await _state(stage.gateway)
        if done and not found:
            raise RuntimeError("the clean-up was over before a window was")
        if done:
            return time.monotonic() - (began or time.monotonic())
        if not held:
            await asyncio.sleep(0.5)
            continue
        began = began or time.monotonic()
        p99 = await _window(stage)
        if (await _state(stage.gateway))[0]:
            found.append(p99)
    raise RuntimeError(f"the clean-up did not end within {_PATIENCE:.0f} s")


async def _state(gateway: Gateway) -> tuple[bool, bool]:
    async with gateway.database() as connection:
        row = await connection.fetchrow(_STATE)
    return (False, False) if row is None else (row["held"], row["done"])


async def _window(stage: Stage) -> float:
    customer = stage.gateway.customer
    requests = buttons(customer.client, stage.gateway.asleep_account_id, _RATE * _WINDOW)
    async with customer.client.connections(CONNECTIONS) as connections:
        answers = await ask_at_rate(connections, requests, _RATE)
    return spread(answer.seconds for answer in answers).p99


def _findings(windows: _Windows, size: int, took: float) -> list[Finding]:
    during = statistics.median(windows.during)
    quiet = statistics.median(windows.quiet)
    ratio = during / quiet
    return [
        Comparison(
            name=f"accept p99 while {size:,} messages go",
            value=round(during, 2),
            unit="ms",
            baseline=round(quiet, 2),
            baseline_name="the same before and after",
            ratio=round(ratio, 2),
            bar=f"<= {_MOST}x",
            met=ratio <= _MOST,
            note=f"medians of {len(windows.during)} and {len(windows.quiet)} windows of "
            f"{_WINDOW} s with {_RATE} messages a second",
        ),
        Figure(
            name="clean-up",
            count=size,
            seconds=round(took, 1),
            rate=round(size / took, 1) if took else None,
            note="messages; with a tenth as many events, deliveries and attempts still kept",
        ),
    ]
