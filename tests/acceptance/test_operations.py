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
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg
import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

import plain_http
from acceptance.running_program import ANSWERED, STARTED, STOPPED, wait_for, whole_lines
from citus import fetch
from databases import fresh_database
from free_ports import free_port
from heliograph.app.bootstrap import open_gateway
from heliograph.core.demo import Demo
from heliograph.core.services import Services
from heliograph.core.tenants.model import Tenant, operator
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import load_settings

BUTTONS = "/api/v1/messages/send/interactive/buttons"
SENT = 40
STEPS = ("accepted", "sent", "delivered", "read")
T = TypeVar("T")


@dataclass
class Running:
    """A gateway of two nodes, and what an intruder would like to find in its output."""

    process: subprocess.Popen[bytes]
    output: Path
    port: int
    superuser_url: str
    role: str
    demo: Demo
    canaries: dict[str, str]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def metrics_token(self) -> str:
        return self.canaries["metrics"]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.demo.api_key}"}

    def lines(self) -> list[dict[str, Any]]:
        """Every log line so far; all that is printed must be one."""
        printed = whole_lines(self.output)
        other = next((n for n, line in enumerate(printed) if not line.startswith(b"{")), None)
        assert other is None, b"\n".join(printed[other : other + 60]).decode()
        return [json.loads(line) for line in printed]

    def requests(self, request_id: str) -> list[dict[str, Any]]:
        """The lines of a request, which are written once it has been answered."""

        def found() -> list[dict[str, Any]]:
            return [line for line in self.lines() if line.get("request_id") == request_id]

        return wait_for(found)

    def events(self, run_id: str) -> set[str]:
        return {line["event"] for line in self.lines() if line.get("run_id") == run_id}

    def execute(self, statement: str, *values: object) -> list[asyncpg.Record]:
        async def work() -> list[asyncpg.Record]:
            connection = await asyncpg.connect(self.superuser_url)
            try:
                found: list[asyncpg.Record] = await connection.fetch(statement, *values)
                return found
            finally:
                await connection.close()

        return run(work())

    def nodes(self) -> dict[int, int]:
        """The admin port of each living node, by process id."""
        found = self.execute("SELECT name, admin_port FROM nodes WHERE lease_expires_at > now()")
        return {int(row["name"].rpartition(":")[2]): row["admin_port"] for row in found}

    def send(self) -> httpx.Response:
        body = {
            "phone_number": self.demo.contact_phone,
            "body": "Is 20:00 right?",
            "buttons": [{"id": "yes", "title": "Yes"}],
        }
        return plain_http.post(
            self.base_url + BUTTONS, json=body, headers=self.headers, timeout=ANSWERED
        )


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on a loop of its own, leaving the test's loop alone."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work)


def metrics_text(port: int, token: str = "") -> str:
    """Of the whole gateway, which takes the token, or of one node on its admin port."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = plain_http.get(f"http://127.0.0.1:{port}/metrics", headers=headers, timeout=ANSWERED)
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
def running(postgres_url: str, template_database: str, reachable_dir: Path) -> Iterator[Running]:
    with (
        tempfile.TemporaryDirectory(dir=reachable_dir) as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        folder = Path(name)
        password, token = secrets.token_hex(16), secrets.token_hex(16)
        with _database(postgres_url, template_database, password) as url:
            port = free_port()
            secret_key = generate_secret_key()
            for variable, value in {
                "DATABASE_URL": url,
                "SECRET_KEYS": secret_key,
                "METRICS_TOKEN": token,
                "DATA_DIR": str(folder / "data"),
                "PORT": str(port),
                "NODES": "2",
                "LOG_LEVEL": "debug",
                "WEBHOOK_ALLOW_PRIVATE": "loopback",
            }.items():
                patch.setenv(f"HELIOGRAPH_{variable}", value)
            canaries = {"database": password, "metrics": token, "encryption": secret_key}
            with _serving(folder / "output") as process:
                role = urlsplit(url).username or ""
                superuser_url = urlsplit(postgres_url)._replace(path=urlsplit(url).path).geturl()
                wait_for(lambda: _is_ready(process, port), STARTED)
                demo, made = run(_furnish(folder))
                gateway = Running(
                    process, folder / "output", port, superuser_url, role, demo, canaries | made
                )
                wait_for(lambda: _is_connected(gateway), STARTED)
                yield gateway


@contextlib.contextmanager
def _database(postgres_url: str, template: str, password: str) -> Iterator[str]:
    """A database of a role that has to say its password; Citus makes the role on workers, too."""
    role = f"operated_{secrets.token_hex(6)}"
    run(fetch(postgres_url, f"CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{password}'"))
    with fresh_database(postgres_url, template) as url:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        yield parts._replace(netloc=f"{role}:{password}@{host}").geturl()
    run(fetch(postgres_url, f"DROP ROLE {role}"))


@contextlib.contextmanager
def _serving(output: Path) -> Iterator[subprocess.Popen[bytes]]:
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "heliograph", "serve"], stdout=file, stderr=file
        )
        try:
            yield process
        except BaseException:
            sys.stderr.write(output.read_text())
            raise
        finally:
            process.terminate()
            process.wait(STOPPED)


async def _furnish(folder: Path) -> tuple[Demo, dict[str, str]]:
    """A connected account, a key, a webhook; and the secrets among them."""
    async with open_gateway(load_settings()) as gateway:
        demo = await gateway.demo.ensure(folder / "demo.json", "http://test")
        principal = operator((await gateway.organizations.get(demo.organization_id)).tenant)
        created = await gateway.webhooks.create(principal, "http://127.0.0.1:9/hook", ["*"])
        credential = await _network_credential(gateway, principal.tenant)
    return demo, {
        "key": demo.api_key.rpartition("_")[2],
        "webhook": created.secret.removeprefix("whsec_"),
        "network": credential,
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


def _is_ready(process: subprocess.Popen[bytes], port: int) -> bool:
    assert process.poll() is None
    with contextlib.suppress(httpx.TransportError):
        return plain_http.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
    return False


def _is_connected(gateway: Running) -> bool:
    devices = plain_http.get(
        f"{gateway.base_url}/api/v1/devices?status=connected",
        headers=gateway.headers,
        timeout=ANSWERED,
    )
    return devices.json()["total"] == 1 and len(gateway.nodes()) == 2


def test_each_node_answers_for_itself_on_loopback(running: Running) -> None:
    for port in running.nodes().values():
        for path in ("/healthz", "/readyz"):
            assert plain_http.get(f"http://127.0.0.1:{port}{path}").status_code == 200
        assert plain_http.get(f"http://127.0.0.1:{port}{BUTTONS}").status_code == 404
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    assert {f"0100007F:{port:04X}" for port in running.nodes().values()} <= set(listening)


def test_a_request_is_one_line_with_its_ids(running: Running) -> None:
    sent = plain_http.post(
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
    plain_http.get(f"{running.base_url}/healthz", headers={"X-Request-Id": "the-probe"})
    assert [line["level"] for line in running.requests("the-probe")] == ["debug"]


def test_attempts_at_a_webhook_nobody_answers_are_counted(running: Running) -> None:
    def retries() -> float:
        [value] = re.findall(
            r'^heliograph_webhook_attempts_total{outcome="retry"} (.+)$',
            metrics_text(running.port, running.metrics_token),
            re.MULTILINE,
        )
        return float(value)

    wait_for(lambda: retries() > 0)
    # what is known of all is kept for a moment: what was seen before may be shown once more
    wait_for(
        lambda: metrics(running.port, running.metrics_token)["heliograph_deliveries_pending"] > 0
    )


def test_metrics_are_the_sum_of_both_nodes(running: Running) -> None:
    for _ in range(SENT):
        assert running.send().status_code == 200
    wait_for(
        lambda: metrics(running.port, running.metrics_token)["heliograph_nodes_answering"] == 2
    )
    sent = running.execute("SELECT id FROM messages WHERE direction = 'outbound'")
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
        together = metrics(running.port, running.metrics_token)
        is_all = all(together[name] == len(sent) for name in steps)
        return together if is_all and together[lag] >= sum(node[lag] for node in apart) else None

    together = wait_for(ask_for_both)
    assert together["heliograph_messages_failed_total"] == 0
    assert together["heliograph_nodes_silent"] == 0


async def test_a_node_that_drains_is_not_ready_and_ends_what_it_has(running: Running) -> None:
    body = json.dumps({"phone_number": running.demo.contact_phone, "body": "x", "buttons": []})
    head = f"POST {BUTTONS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {running.demo.api_key}\r\nContent-Length: {len(body)}\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
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
        plain_http.get(running.base_url + path, headers=running.headers | {"X-Request-Id": key})
    plain_http.get(f"{running.base_url}/api/v1/devices", headers={"Authorization": key})
    plain_http.get(f"{running.base_url}/metrics", headers={"Authorization": "Bearer x"})
    before = len(running.lines())
    # and no login: a server that is given may trust everybody on this machine
    running.execute(f"ALTER ROLE {running.role} NOLOGIN PASSWORD 'changed'")
    try:
        running.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1",
            running.role,
        )
        assert running.send().status_code == 503
        wait_for(lambda: any("exception" in line for line in running.lines()[before:]))
    finally:
        password = running.canaries["database"]
        running.execute(f"ALTER ROLE {running.role} LOGIN PASSWORD '{password}'")
    wait_for(lambda: running.send().status_code == 200)
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(10) == 0

    output = running.output.read_text()

    assert {line["level"] for line in running.lines()} >= {"debug", "info", "warning"}
    assert [name for name, secret in running.canaries.items() if secret in output] == []
    assert len(running.canaries) == 6
