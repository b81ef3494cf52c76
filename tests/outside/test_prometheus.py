"""A real Prometheus scrapes two machines under load: the dashboard's panels have data, and trouble
makes the alerts fire that are there for it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes without types, and one call of it is needed

from chaos.load import Load
from chaos.small_disk import small_disk
from chaos.world import World, made_world, wait_until
from connections import connected
from exposed_metrics import exposed_names, named_in
from prometheus_server import PrometheusServer, running_prometheus
from repository import ROOT

RULES = ROOT / "deploy" / "prometheus" / "heliograph-alerts.yaml"
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/heliograph.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
PATIENCE = 150.0  # seconds until a scrape shows what has happened; a delivery is late after 60
AWAY = 20.0  # seconds: some scrapes
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
CRITICAL = {
    rule["alert"]
    for rule in yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    if rule["labels"]["severity"] == "critical"
}


def fill_in(expression: str) -> str:
    """The expression as Grafana sends it when all machines are chosen."""
    return expression.replace("$instance", ".*").replace("$__rate_interval", "30s")


def test_panels_have_the_chosen_source_and_name_metrics_that_exist() -> None:
    assert [v["name"] for v in DASHBOARD["templating"]["list"]] == ["datasource", "instance"]
    for panel in PANELS:
        for owner in (panel, *panel["targets"]):
            assert owner["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        for target in panel["targets"]:
            assert named_in(target["expr"]) <= exposed_names()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)


def test_no_panel_covers_another() -> None:
    for one, other in combinations([panel["gridPos"] for panel in DASHBOARD["panels"]], 2):
        assert (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert one["x"] + one["w"] <= 24


@pytest.mark.extra_fault
@pytest.mark.timeout(900)
async def test_panels_have_data_and_each_trouble_makes_its_alerts_fire(tmp_path: Path) -> None:
    with small_disk(tmp_path, 16) as disk:
        async with made_world(tmp_path, nodes=1) as world:
            [machine] = world.machines
            data_dir = disk.path / "data"
            data_dir.mkdir()
            await world.new_machine(roles="api,sessions", data_dir=str(data_dir)).start()
            with running_prometheus([each.port for each in world.machines], RULES) as prometheus:
                async with Load(world, clients=4, per_second=10).running():
                    await all_panels_have_data(prometheus)
                    assert len(prometheus.query('up{job="heliograph"} == 1')) == 2
                    assert not prometheus.firing() & CRITICAL
                    await machine.stop()  # the only one that posts webhooks
                    await fires(prometheus, "HeliographDown", "HeliographDeliveriesWaiting")
                await machine.start()
                await log_out_and_restrict(world)
                await fires(
                    prometheus, "HeliographDevicesRestricted", "HeliographAccountsDisconnected"
                )
                async with held_nodes(world):
                    await fires(prometheus, "HeliographLeaseLate")
                disk.fill()
                await fires(prometheus, "HeliographDiskFilling")
                disk.make_room()
                await asyncio.gather(
                    world.postgres.restart(away=AWAY), fires(prometheus, "HeliographDatabaseAway")
                )


async def all_panels_have_data(prometheus: PrometheusServer) -> None:
    async def all_have() -> bool:
        answers = [await asyncio.to_thread(prometheus.query, fill_in(each)) for each in EXPRESSIONS]
        return all(answers)

    await wait_until(all_have, PATIENCE)


async def fires(prometheus: PrometheusServer, *alerts: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not set(alerts) <= (firing := await asyncio.to_thread(prometheus.firing)):
        assert time.monotonic() < deadline, f"{set(alerts) - firing} do not fire, {firing} do"
        await asyncio.sleep(1)


async def log_out_and_restrict(world: World) -> None:
    """What a network does to accounts; their sessions read it when they are opened again."""
    (_, first), *_ = world.accounts
    await world.postgres.fetch(
        "UPDATE sandbox.devices SET restricted_until = now() + interval '1 hour'"
    )
    await world.postgres.fetch(
        "UPDATE sandbox.devices SET status = 'logged_out' WHERE account_id = $1", first.id
    )
    for machine in world.machines:
        await machine.stop()
        await machine.start()


@asynccontextmanager
async def held_nodes(world: World) -> AsyncIterator[None]:
    """Somebody's transaction keeps nodes from renewing their rows, and from making new ones."""
    async with connected(world.postgres.url) as connection, connection.transaction():
        await connection.execute("LOCK TABLE nodes IN EXCLUSIVE MODE")
        yield
