"""The benchmark measures what it says, against a baseline that does everything but store."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from bench.client import BUTTONS, Client
from bench.figures import Run
from bench.gateway import private_gateway
from bench.programs import storeless
from bench.receiver import receiving

from repository import ROOT


@pytest.mark.extra_fault
def test_a_quick_run_measures_a_figure_beside_its_baseline(tmp_path: Path) -> None:
    kept = tmp_path / "result.json"
    options = ["--quick", "--only", "latency", "--nodes", "1", "--output", str(kept)]
    subprocess.run([sys.executable, "-m", "bench", *options], cwd=ROOT, check=True, timeout=300)
    run = msgspec.json.decode(kept.read_bytes(), type=Run)
    assert [comparison.name for comparison in run.comparisons] == [
        "accept to webhook, 50/s, p50",
        "accept to webhook, 50/s, p99",
        "accept to webhook, 20/s, p50",
    ]
    assert all(comparison.baseline > 0 and comparison.value > 0 for comparison in run.comparisons)
    median = run.comparisons[0]
    assert median.baseline < median.value  # the slowest of a quick run say little
    assert run.machine.postgres


@pytest.mark.extra_fault
async def test_the_baseline_of_accepting_judges_requests_as_the_gateway_does() -> None:
    async with receiving() as receiver, private_gateway(1) as gateway:
        await gateway.furnish(receiver.url, customers=1)
        known, account_id = gateway.customer.client, gateway.customer.account_id
        async with storeless(gateway.settings, 1) as base_url:
            baseline = Client(base_url, known.api_key)
            for key in (known.api_key, "of nobody"):
                answers = [
                    await _ask(client, client.post(BUTTONS, {"phone_number": "+15551000001"}))
                    for client in (Client(known.base_url, key), Client(base_url, key))
                ]
                assert answers[0] == answers[1]
                assert answers[0][0] in (401, 422)
            status, body = await _ask(
                baseline, baseline.send_buttons("+15551000001", account_id, "Hello")
            )
        async with gateway.database() as connection:
            stored = await connection.fetchval("SELECT count(*) FROM messages")
    assert (status, msgspec.json.decode(body)["status"], stored) == (200, "queued", 0)


async def test_the_events_of_a_batch_are_counted_one_by_one() -> None:
    events = [
        {"id": f"event {number}", "type": "message.sent", "data": {"id": f"message {number}"}}
        for number in range(2)
    ]
    async with receiving() as receiver:
        client = Client(receiver.url, "")
        for data in ({"events": events}, {"id": "message 2"}):
            await _ask(client, client.post("/hook", {"type": "batch", "data": data}))
        assert await receiver.count() == 3
        came = [(arrival.webhook_id, arrival.message_id) for arrival in await receiver.take()]
    assert came == [("event 0", "message 0"), ("event 1", "message 1"), ("", "message 2")]


async def _ask(client: Client, request: bytes) -> tuple[int, bytes]:
    async with client.connections(1) as connections:
        answer = await connections[0].ask(request)
        return answer.status, answer.body
