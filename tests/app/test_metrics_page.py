"""`GET /metrics`: who may read it, what waits in the database, and nodes that do not answer."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette

from api_scene import BUTTONS, Customer, Scene, buttons, open_scene
from database_proxy import proxied
from databases import CONNECT_TIMEOUT
from each_case import for_each
from heliograph.core.cluster.backlog import BacklogService
from heliograph.faces.api.monitoring import machine_metrics_routes
from heliograph.platform.database.pool import Database
from heliograph.platform.telemetry.metrics import NodeReadings, Pool
from heliograph.settings import ServerSettings, Settings

TOKEN = "a-token-for-prometheus"
LOCAL, REMOTE = "127.0.0.1", "203.0.113.7"


def page(
    database: Database,
    *,
    ports: Sequence[int] = (),
    token: str | None = None,
    peer: str = LOCAL,
    is_open_here: bool = True,
    folder: Path = Path(),
) -> httpx.AsyncClient:
    """A client at `peer` of a machine whose other nodes have these admin ports."""
    node = NodeReadings(list, ["connected"], dict, lambda: Pool(1, 1, 1), int, bool)
    routes = machine_metrics_routes(
        node, lambda: ports, BacklogService(database), token, folder, is_open_here=is_open_here
    )
    transport = httpx.ASGITransport(Starlette(routes=routes), client=(peer, 40000))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def read(client: httpx.AsyncClient) -> dict[str, float]:
    """Every sample without labels."""
    async with client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if not sample.labels
    }


@pytest.fixture
async def database(module_database_url: str) -> AsyncIterator[Database]:
    """Every table and no row; nothing is written here."""
    database = await Database.open(module_database_url, connect_timeout=CONNECT_TIMEOUT)
    yield database
    await database.close()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@for_each(
    ("peer", "token", "headers", "status"),
    [
        (LOCAL, None, {}, 200),
        ("::1", None, {}, 200),
        ("::ffff:127.0.0.1", None, {}, 200),
        (LOCAL, TOKEN, {}, 401),
        (LOCAL, TOKEN, bearer(TOKEN), 200),
        (REMOTE, TOKEN, bearer(TOKEN), 200),
        (REMOTE, None, {}, 403),
        (REMOTE, None, bearer(""), 403),
        (REMOTE, None, bearer("None"), 403),
        (REMOTE, TOKEN, {}, 401),
        (REMOTE, TOKEN, bearer(TOKEN + "x"), 401),
        (REMOTE, TOKEN, {"Authorization": TOKEN}, 401),
        (REMOTE, None, {"X-Forwarded-For": LOCAL}, 403),
        (LOCAL, None, {"X-Forwarded-For": REMOTE}, 403),
        (LOCAL, None, {"Forwarded": f"for={LOCAL}"}, 403),
        ("not an address", None, {}, 403),
    ],
)
async def test_who_may_read(
    database: Database, peer: str, token: str | None, headers: dict[str, str], status: int
) -> None:
    async with page(database, token=token, peer=peer) as client:
        answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == status
    if status != 200:
        assert "HELIOGRAPH_METRICS_TOKEN" in answer.json()["detail"]
        assert "heliograph_" not in answer.text
    assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize(
    ("token", "headers", "status"), [(None, {}, 403), (TOKEN, {}, 401), (TOKEN, bearer(TOKEN), 200)]
)
async def test_behind_a_proxy_that_adds_no_header_the_token_is_needed(
    database: Database, token: str | None, headers: dict[str, str], status: int
) -> None:
    """Or on an address that others reach, too."""
    async with page(database, token=token, is_open_here=False) as client:
        assert (await client.get("/metrics", headers=headers)).status_code == status


@for_each(
    ("host", "public_url", "expected"),
    [
        ("127.0.0.1", None, True),
        ("::1", None, True),
        ("localhost", "http://localhost:8000", True),
        ("127.0.0.1", "https://gateway.example", False),
        ("127.0.0.1", "https://localhost", False),
        ("0.0.0.0", "http://127.0.0.1:8000", False),  # noqa: S104 - nothing is bound
        ("0.0.0.0", None, False),  # noqa: S104 - nothing is bound
        ("10.0.0.11", None, False),
    ],
)
def test_what_is_open_here(host: str, public_url: str | None, expected: bool) -> None:
    server = ServerSettings(host=host, public_url=public_url)
    assert Settings(server=server).is_for_this_machine_alone is expected


async def test_what_waits_is_counted_with_its_age(database_url: str, tmp_path: Path) -> None:
    async with open_scene(database_url, tmp_path) as scene:
        assert (await read(page(scene.database)))[
            "heliograph_messages_queued_oldest_age_seconds"
        ] == 0
        accepted = (await read(page(scene.database)))["heliograph_messages_accepted_total"]
        for key in ("one", "two", "two"):
            headers = {"Idempotency-Key": key}
            assert (
                await scene.as_acme("POST", BUTTONS, json=buttons(), headers=headers)
            ).is_success
        await _wait_for_a_webhook(scene, scene.acme, due_seconds_ago=[90, -60], enabled=True)
        await _wait_for_a_webhook(scene, scene.globex, due_seconds_ago=[900], enabled=False)
        await scene.database.pool.execute(
            "UPDATE message_queue SET queued_at = now() - interval '1 hour' "
            "WHERE seq = (SELECT min(seq) FROM message_queue)"
        )

        found = await read(page(scene.database))

    assert found["heliograph_messages_queued"] == 2
    assert 3600 <= found["heliograph_messages_queued_oldest_age_seconds"] < 3660
    assert found["heliograph_deliveries_pending"] == 2
    assert found["heliograph_database_answering"] == 1
    assert 0 < found["heliograph_disk_free_bytes"] < found["heliograph_disk_size_bytes"]
    assert 90 <= found["heliograph_deliveries_due_oldest_age_seconds"] < 120
    assert found["heliograph_messages_accepted_total"] == accepted + 2


async def _wait_for_a_webhook(
    scene: Scene, customer: Customer, *, due_seconds_ago: Sequence[int], enabled: bool
) -> None:
    """Deliveries that a webhook has before it: each due that long ago, or in the future."""
    pool, ids = scene.database.pool, scene.database.clock.new_id
    tenant, webhook_id = customer.organization.tenant, ids()
    await pool.execute(
        "INSERT INTO webhooks (shard, organization_id, id, url, description, events, secret, "
        "enabled, created_at, updated_at) "
        "VALUES ($1, $2, $3, 'http://127.0.0.1/', '', '{*}', '', $4, now(), now())",
        *tenant,
        webhook_id,
        enabled,
    )
    for seconds in due_seconds_ago:
        await pool.execute(
            "INSERT INTO delivery_queue (shard, organization_id, id, webhook_id, event_id, "
            "event_type, order_key, attempt_count, next_attempt_at, created_at) "
            "VALUES ($1, $2, $3, $4, $3, 'webhook.ping', $3, 1, "
            "now() - make_interval(secs => $5), now())",
            *tenant,
            ids(),
            webhook_id,
            seconds,
        )


async def test_without_the_database_what_waits_is_unknown(database_url: str) -> None:
    async with proxied(database_url) as proxy:
        database = await Database.open(proxy.url)
        proxy.freeze()
        began = time.monotonic()
        found = await read(page(database))
        assert time.monotonic() - began < 30  # it would hang for ever
        proxy.thaw()
        await database.close()
    assert math.isnan(found["heliograph_messages_queued"])
    assert found["heliograph_nodes_answering"] == 1
    assert found["heliograph_database_answering"] == 0


async def test_nodes_that_do_not_answer_are_left_out_and_counted(database: Database) -> None:
    async def hang(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(3600)

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nhello from another program\r\n")
        writer.close()

    servers = [await asyncio.start_server(answer, LOCAL, 0) for answer in (hang, greet)]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    began = time.monotonic()
    found = await read(page(database, ports=[*ports, 0]))
    for server in servers:
        server.close()
    assert time.monotonic() - began < 30
    assert found["heliograph_nodes_answering"] == 1
    assert found["heliograph_nodes_silent"] == 3
