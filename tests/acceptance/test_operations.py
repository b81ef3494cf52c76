"""The running program as its operator sees it: log lines, metrics of two nodes, draining.

The database has a password, and the secrets are looked for in everything that was ever printed.
"""

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from acceptance.machines import Installation, Machine
from acceptance.running_program import ANSWERED, BUTTONS, STARTED, buttons, wait_for
from citus import fetch
from databases import fresh_database, run
from heliograph.core.demo import Demo
from heliograph.core.services import Services
from heliograph.core.tenants.model import Tenant, operator

pytestmark = pytest.mark.extra_fault

SENT = 40
STEPS = ("accepted", "sent", "delivered", "read")


@dataclass
class Running:
    """A gateway of two nodes, and what an intruder would like to find in its output."""

    machine: Machine
    superuser: Installation
    role: str
    demo: Demo
    canaries: dict[str, str]

    @property
    def base_url(self) -> str:
        return self.machine.base_url

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.demo.api_key}"}

    def requests(self, request_id: str) -> list[dict[str, Any]]:
        """The lines of a request, which are written once it has been answered."""

        def found() -> list[dict[str, Any]]:
            lines = self.machine.lines()
            return [line for line in lines if line.get("request_id") == request_id]

        return wait_for(found)

    def events(self, run_id: str) -> set[str]:
        return {line["event"] for line in self.machine.lines() if line.get("run_id") == run_id}

    def nodes(self) -> dict[int, int]:
        """The admin port of each living node, by process id."""
        return self.superuser.admin_ports()

    def metrics(self) -> dict[str, float]:
        """Of the whole gateway, which takes the token."""
        return metrics(self.machine.port, self.canaries["metrics"])

    def send(self) -> httpx.Response:
        body = buttons(self.demo.contact_phone, "Is 20:00 right?")
        return httpx.post(
            self.base_url + BUTTONS, json=body, headers=self.headers, timeout=ANSWERED
        )


def metrics_text(port: int, token: str = "") -> str:
    """Of the whole gateway, which takes the token, or of one node on its admin port."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx.get(f"http://127.0.0.1:{port}/metrics", headers=headers, timeout=ANSWERED)
    return answer.raise_for_status().text


def metrics(port: int, token: str = "") -> dict[str, float]:
    """The samples that have no label."""
    families = text_string_to_metric_families(metrics_text(port, token))
    return {
        sample.name: sample.value
        for family in families
        for sample in family.samples
        if not sample.labels
    }


@pytest.fixture(scope="module")
def running(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    role = f"operated_{secrets.token_hex(6)}"
    password, token = secrets.token_hex(16), secrets.token_hex(16)
    with _database(postgres_url, template_database, role, password) as url:
        folder = tmp_path_factory.mktemp("operated")
        superuser = Installation(
            urlsplit(postgres_url)._replace(path=urlsplit(url).path).geturl(), folder
        )
        settings = {"METRICS_TOKEN": token, "LOG_LEVEL": "debug"}
        operated = Installation(url, folder, settings)
        with operated.machine("--nodes", "2") as machine:
            demo, made = operated.with_services(lambda gateway: _furnish(gateway, folder))
            canaries = {"database": password, "metrics": token, "encryption": operated.secret_key}
            gateway = Running(machine, superuser, role, demo, canaries | made)
            wait_for(lambda: _is_connected(gateway), STARTED)
            yield gateway


@contextlib.contextmanager
def _database(postgres_url: str, template: str, role: str, password: str) -> Iterator[str]:
    """A database of a role that has to say its password; Citus makes the role on workers, too."""
    run(fetch(postgres_url, f"CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{password}'"))
    with fresh_database(postgres_url, template) as url:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        yield parts._replace(netloc=f"{role}:{password}@{host}").geturl()
    run(fetch(postgres_url, f"DROP ROLE {role}"))


async def _furnish(gateway: Services, folder: Path) -> tuple[Demo, dict[str, str]]:
    """A connected account, a key, a webhook; and the secrets among them."""
    demo = await gateway.demo.ensure(folder / "demo.json", "http://test")
    principal = operator((await gateway.organizations.get(demo.organization_id)).tenant)
    created = await gateway.webhooks.create(principal, "http://127.0.0.1:9/hook", ["*"])
    return demo, {
        "key": demo.api_key.rpartition("_")[2],
        "webhook": created.secret.removeprefix("whsec_"),
        "network": await _network_credential(gateway, principal.tenant),
    }


async def _network_credential(gateway: Services, tenant: Tenant) -> str:
    """What the account's session logs in with, once it has paired."""
    while True:
        row = await gateway.database.pool.fetchrow(
            "SELECT id, secrets FROM accounts WHERE organization_id = $1", tenant.organization_id
        )
        if row is not None and row["secrets"] is not None:
            plain = gateway.secret_box.decrypt(
                row["secrets"], "accounts.secrets", tenant.organization_id, row["id"]
            )
            return str(json.loads(plain)["registration"])
        await asyncio.sleep(0.05)


def _is_connected(gateway: Running) -> bool:
    devices = httpx.get(
        f"{gateway.base_url}/api/v1/devices?status=connected",
        headers=gateway.headers,
        timeout=ANSWERED,
    )
    return devices.json()["total"] == 1 and len(gateway.nodes()) == 2


def test_each_node_answers_for_itself_on_loopback(running: Running) -> None:
    for port in running.nodes().values():
        for path in ("/healthz", "/readyz"):
            assert httpx.get(f"http://127.0.0.1:{port}{path}").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}{BUTTONS}").status_code == 404
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert {f"0100007F:{port:04X}" for port in running.nodes().values()} <= set(listening)


def test_a_request_is_one_line_with_its_ids(running: Running) -> None:
    sent = httpx.post(
        running.base_url + BUTTONS,
        json={"phone_number": "x" * 60},
        headers=running.headers | {"X-Request-Id": "the-unfit-one"},
    )
    assert sent.status_code == 422
    [line] = running.requests("the-unfit-one")
    assert line["duration_ms"] >= 0
    assert (
        line
        | {
            "level": "info",
            "event": "request",
            "method": "POST",
            "path": BUTTONS,
            "status": 422,
            "organization": running.demo.organization_id,
        }
        == line
    )
    accepted = running.send()
    [line] = running.requests(accepted.headers["x-request-id"])
    assert line["run_id"] == accepted.json()["run_id"]
    wait_for(lambda: {"request", "message handled"} <= running.events(line["run_id"]))


def test_probes_are_for_who_debugs(running: Running) -> None:
    httpx.get(f"{running.base_url}/healthz", headers={"X-Request-Id": "the-probe"})
    assert [line["level"] for line in running.requests("the-probe")] == ["debug"]


def test_attempts_at_a_webhook_nobody_answers_are_counted(running: Running) -> None:
    def retries() -> float:
        [value] = re.findall(
            r'^heliograph_webhook_attempts_total{outcome="retry"} (.+)$',
            metrics_text(running.machine.port, running.canaries["metrics"]),
            re.MULTILINE,
        )
        return float(value)

    wait_for(lambda: retries() > 0)
    # what is known of all is kept for a moment: what was seen before may be shown once more
    wait_for(lambda: running.metrics()["heliograph_deliveries_pending"] > 0)


def test_metrics_are_the_sum_of_both_nodes(running: Running) -> None:
    for _ in range(SENT):
        assert running.send().status_code == 200
    wait_for(lambda: running.metrics()["heliograph_nodes_answering"] == 2)
    sent = running.superuser.rows("SELECT id FROM messages WHERE direction = 'outbound'")
    steps = [f"heliograph_messages_{step}_total" for step in STEPS]
    lag = "heliograph_event_loop_lag_seconds_count"

    def ask_each() -> list[dict[str, float]] | None:
        apart = [metrics(port) for port in running.nodes().values()]
        is_all = all(sum(node[name] for node in apart) == len(sent) for name in steps)
        return apart if is_all else None

    apart = wait_for(ask_each)
    assert len(apart) == 2
    assert len(sent) > SENT
    assert all(node[lag] > 0 for node in apart)
    assert "heliograph_messages_queued" not in apart[0]

    def ask_for_both() -> dict[str, float] | None:
        """Each node adds up both once a second: what it says may be that much older."""
        together = running.metrics()
        is_all = all(together[name] == len(sent) for name in steps)
        return together if is_all and together[lag] >= sum(node[lag] for node in apart) else None

    together = wait_for(ask_for_both)
    assert together["heliograph_messages_failed_total"] == 0
    assert together["heliograph_nodes_silent"] == 0


async def test_a_node_that_drains_is_not_ready_and_ends_what_it_has(running: Running) -> None:
    body = json.dumps({"phone_number": running.demo.contact_phone, "body": "x", "buttons": []})
    head = f"POST {BUTTONS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {running.demo.api_key}\r\nContent-Length: {len(body)}\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", running.machine.port)
    writer.write((head + body[:9]).encode())
    in_flight = "heliograph_http_requests_in_flight"
    async with httpx.AsyncClient() as client:
        process, port = await _wait_for_a_node(running, lambda node: node[in_flight] == 1)

        os.kill(process, signal.SIGTERM)

        ready = await _ask_until_draining(client, port)
    assert ready.json()["checks"]["draining"]["status"] == "failed"
    assert ready.json()["checks"]["database"]["status"] == "ok"
    writer.write(body[9:].encode())
    assert (await reader.readline()).split()[1] == b"422"  # no buttons: it was read to its end
    writer.close()
    await asyncio.to_thread(wait_for, lambda: process not in running.nodes())
    await asyncio.to_thread(wait_for, lambda: len(running.nodes()) == 2)


async def _wait_for_a_node(
    running: Running, is_it: Callable[[dict[str, float]], bool]
) -> tuple[int, int]:
    for _ in range(100):
        nodes = await asyncio.to_thread(running.nodes)
        for process, port in nodes.items():
            if is_it(await asyncio.to_thread(metrics, port)):
                return process, port
        await asyncio.sleep(0.05)
    raise AssertionError("no node is like that")


async def _ask_until_draining(client: httpx.AsyncClient, port: int) -> httpx.Response:
    for _ in range(50):
        answer = await client.get(f"http://127.0.0.1:{port}/readyz")
        if answer.status_code == 503:
            return answer
        await asyncio.sleep(0.02)
    raise AssertionError("it goes on being ready")


def test_no_secret_is_ever_printed(running: Running) -> None:
    """Everything is printed that this gateway can be made to say; then it is read."""
    key = running.demo.api_key
    for path in (f"/api/v1/messages/{key}", f"/api/v1/devices?search={key}", f"/{key}"):
        httpx.get(running.base_url + path, headers=running.headers | {"X-Request-Id": key})
    httpx.get(f"{running.base_url}/api/v1/devices", headers={"Authorization": key})
    httpx.get(f"{running.base_url}/metrics", headers={"Authorization": "Bearer x"})
    before = len(running.machine.lines())
    # and no login: a server that is given may trust everybody on this machine
    running.superuser.rows(f"ALTER ROLE {running.role} NOLOGIN PASSWORD 'changed'")
    try:
        running.superuser.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1",
            running.role,
        )
        assert running.send().status_code == 503
        wait_for(lambda: any("exception" in line for line in running.machine.lines()[before:]))
    finally:
        password = running.canaries["database"]
        running.superuser.rows(f"ALTER ROLE {running.role} LOGIN PASSWORD '{password}'")
    wait_for(lambda: running.send().status_code == 200)
    running.machine.process.send_signal(signal.SIGINT)
    assert running.machine.process.wait(10) == 0

    output = running.machine.output.read_text()

    assert {line["level"] for line in running.machine.lines()} >= {"debug", "info", "warning"}
    assert [name for name, secret in running.canaries.items() if secret in output] == []
    assert len(running.canaries) == 6
