"""`/readyz` before a real database that hangs, goes away, or has another release's schema."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from database_proxy import DatabaseProxy, proxied
from heliograph.core.cluster.model import Node
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.node import NodeState
from heliograph.core.health.objects import ObjectStorageProbe
from heliograph.core.rates.counts import RequestCounts
from heliograph.faces.api.monitoring import health_routes
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.pool import Database
from heliograph.platform.objects import Objects
from heliograph.settings import Settings
from heliograph.settings.groups import ObjectSettings
from s3_server import running_s3
from schema_revisions import ADDS, CONTRACTS, EXPANDS, ahead, become_release
from tcp_proxy import tcp_proxy

OF_THE_DATABASE = {"database", "role", "letters", "migrations", "standby", "clock", "chores"}
OF_THE_NODE = {"nodes", "loops", "notifications", "disk", "rates", "object storage", "draining"}


@dataclass
class Probed:
    """A node's health routes over a database of its own."""

    database: Database
    proxy: DatabaseProxy
    migrations: Migrations
    loops_running: bool = True
    is_listening: bool = True
    is_draining: bool = False
    objects_url: str | None = None
    nodes: tuple[Node, ...] = ()

    def client(self, *, several_hosts: bool = False) -> httpx.AsyncClient:
        readiness = ReadinessService(self.database, self.migrations, several_hosts=several_hosts)
        settings = Settings(objects=ObjectSettings(url=self.objects_url))
        state = NodeState(
            settings,
            lambda: self.nodes,
            lambda: self.loops_running,
            lambda: self.is_listening,
            lambda: self.is_draining,
            RequestCounts().has_lost_storage,
            ObjectStorageProbe(settings, Objects(self.objects_url or "memory:///")),
        )
        app = Starlette(routes=health_routes(readiness, state))
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")

    async def ask(self, *, several_hosts: bool = False) -> tuple[int, dict[str, Any]]:
        """The status and the checks, as somebody who asks for the first time gets them."""
        async with self.client(several_hosts=several_hosts) as client:
            answer = await client.get("/readyz")
        return answer.status_code, answer.json()["checks"]


@pytest.fixture
async def probed(database_url: str) -> AsyncIterator[Probed]:
    async with proxied(database_url) as proxy:
        database = await Database.open(proxy.url, connect_timeout=2)
        migrations = Migrations(NetworkRegistry().list_migration_folders())
        yield Probed(database, proxy, migrations)
        proxy.thaw()
        await database.close()


def bad(checks: dict[str, Any]) -> dict[str, str]:
    """The checks that are not `ok`, by their status; each says what to do."""
    found = {name: check for name, check in checks.items() if check["status"] != "ok"}
    assert all(check["remedy"] for check in found.values())
    found.pop("role", None)  # the tests' own role is a superuser
    return {name: check["status"] for name, check in found.items()}


async def test_a_node_that_can_work_is_ready(probed: Probed) -> None:
    status, checks = await probed.ask()
    assert (status, bad(checks)) == (200, {})
    assert checks.keys() == OF_THE_DATABASE | OF_THE_NODE


async def test_a_database_that_hangs_is_noticed_in_time_and_asked_once(probed: Probed) -> None:
    async with probed.client() as client:
        probed.proxy.freeze()
        began = time.monotonic()
        answers = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        alive = await client.get("/healthz")

        assert time.monotonic() - began < 30  # it would hang for ever
        assert {answer.status_code for answer in answers} == {503}
        assert bad(answers[0].json()["checks"]) == {"database": "failed"}
        assert alive.status_code == 200
        assert not re.search(r"postgres(ql)?://|hg-|@", answers[0].text)  # nor where it is
        assert probed.database.pool.get_size() - probed.database.pool.get_idle_size() <= 1

        probed.proxy.thaw()
        assert await _is_ready_soon(client)


async def test_a_database_that_has_gone_comes_back(probed: Probed) -> None:
    async with probed.client() as client:
        await probed.proxy.disappear()
        assert (await client.get("/readyz")).status_code == 503
        await probed.proxy.listen()
        assert await _is_ready_soon(client)


async def _is_ready_soon(client: httpx.AsyncClient) -> bool:
    deadline = time.monotonic() + 60
    while (await client.get("/readyz")).status_code != 200:
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.1)
    return True


async def test_a_schema_behind_this_release_is_not_ready(probed: Probed) -> None:
    await probed.database.pool.execute("DELETE FROM alembic_version")
    status, checks = await probed.ask()
    assert (status, bad(checks)) == (503, {"migrations": "failed"})


async def test_a_schema_that_waits_for_older_nodes_is_ready_and_says_what_is_left_to_do(
    probed: Probed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed.migrations = become_release(tmp_path / "later", monkeypatch, [EXPANDS, CONTRACTS])
    await _expand(probed)
    status, checks = await probed.ask()
    assert (status, bad(checks)) == (200, {"migrations": "warning"})
    assert "heliograph migrate" in checks["migrations"]["remedy"]


async def test_a_schema_without_what_this_release_needs_is_not_ready(
    probed: Probed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed.migrations = become_release(tmp_path / "later", monkeypatch, [EXPANDS, ADDS])
    await _expand(probed)
    status, checks = await probed.ask()
    assert (status, bad(checks)) == (503, {"migrations": "failed"})
    assert "it names them" in checks["migrations"]["remedy"]


async def _expand(probed: Probed) -> None:
    """Bring the database to the first revision of the next release."""
    await probed.database.pool.execute(
        "UPDATE alembic_version SET version_num = $1 WHERE version_num = $2", ahead(1), ahead(0)
    )


async def test_a_schema_newer_by_one_release_is_ready_and_by_two_is_not(probed: Probed) -> None:
    for number, expected in ((1, 200), (2, 503)):
        await probed.database.pool.execute(
            "UPDATE alembic_version SET version_num = $1 WHERE version_num ~ '^[0-9]+$'",
            ahead(number),
        )
        status, _ = await probed.ask()
        assert status == expected


async def test_several_hosts_without_a_synchronous_standby_are_a_warning(probed: Probed) -> None:
    status, checks = await probed.ask(several_hosts=True)
    assert (status, bad(checks)) == (200, {"standby": "warning"})


async def test_what_the_node_knows_of_itself_counts(probed: Probed) -> None:
    probed.is_listening = False
    assert (await probed.ask())[0] == 200
    assert bad((await probed.ask())[1]) == {"notifications": "warning"}
    probed.loops_running, probed.is_draining = False, True
    status, checks = await probed.ask()
    assert status == 503
    assert bad(checks) == {"notifications": "warning", "loops": "failed", "draining": "failed"}


async def test_a_lost_object_storage_is_a_warning_and_takes_no_node_away(probed: Probed) -> None:
    with running_s3() as storage:
        probed.objects_url = storage.url("files")
        assert bad((await probed.ask())[1]) == {}
        assert storage.list_keys() == []
        storage.stop()
        status, checks = await probed.ask()
    assert (status, bad(checks)) == (200, {"object storage": "warning"})
    assert "HELIOGRAPH_OBJECTS_URL" in checks["object storage"]["remedy"]


async def test_an_object_storage_that_hangs_keeps_no_probe_waiting(
    probed: Probed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_s3() as storage:
        async with tcp_proxy(storage.port) as proxy:
            monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
            probed.objects_url = storage.url("files")
            proxy.hold_answers()
            began = time.monotonic()
            status, checks = await probed.ask()
            assert time.monotonic() - began < 30  # with its repeats it would be longer
    assert (status, bad(checks)) == (200, {"object storage": "warning"})
    assert "did not answer within 2 seconds" in checks["object storage"]["detail"]
