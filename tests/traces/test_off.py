"""Without tracing nothing is loaded, put around requests, stored or handed on."""

import asyncio
import subprocess
import sys

import httpx

from acceptance.running_program import BUTTONS, buttons
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.faces.api.request_tracing import traced
from heliograph.platform.telemetry.tracing import OFF
from live_gateway import LiveGateway
from webhook_receiver import receiving

pytest_plugins = ("live_fixtures",)

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
COUNT_CONTEXTS = """
SELECT count(*) AS messages, count(trace_context) AS contexts FROM messages
"""


def test_no_layer_is_put_around_requests() -> None:
    async def app(scope: object, receive: object, send: object) -> None: ...

    assert traced(app, OFF) is app


def test_a_node_does_not_load_the_libraries() -> None:
    program = (
        "import sys, heliograph.app.node_process, heliograph.networks.registry\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert said.stdout.decode().strip() == "[]"


async def test_nothing_is_stored_or_handed_on(gateway: LiveGateway) -> None:
    async with receiving() as receiver:

        async def subscribe(services: Services) -> None:
            tenant = (await services.organizations.list())[0].tenant
            await services.webhooks.create(operator(tenant), receiver.url(), ["message.sent"])

        await asyncio.to_thread(gateway.run, subscribe)
        async with httpx.AsyncClient(base_url=gateway.base_url, headers=gateway.headers) as client:
            body = buttons(gateway.demo.contact_phone)
            answer = await client.post(BUTTONS, json=body, headers={"traceparent": CALLER})
            assert answer.is_success, answer.text
        [received] = await receiver.wait_for(1)

    async def count(services: Services) -> tuple[int, ...]:
        [row] = await services.database.read(lambda connection: connection.fetch(COUNT_CONTEXTS))
        return tuple(row)

    assert "traceparent" not in received.headers
    assert await asyncio.to_thread(gateway.run, count) == (1, 0)
