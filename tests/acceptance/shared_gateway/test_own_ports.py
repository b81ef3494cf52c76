"""No webhook leads to what the gateway itself serves."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from acceptance.hook_receiver import receiving_hooks
from acceptance.running_program import Program, wait_for
from heliograph.app.bootstrap import open_gateway
from heliograph.core.tenants.model import operator
from heliograph.platform.embedded.server import resolve_settings
from heliograph.settings import DataSettings, ServerSettings, Settings

ATTEMPTS = """
SELECT webhook_url, coalesce(error_message, response_code::text) AS outcome
FROM deliveries WHERE webhook_id = ANY($1::uuid[]) AND attempt_count > 0
"""


def ping(program: Program, urls: Sequence[str]) -> dict[str, str]:
    """Each URL with what came of a ping to it: the answer's status, or why there is none.

    The webhooks are made by a process that knows another port, as if under older rules.
    """

    async def ping_all() -> list[str]:
        settings = Settings(data=DataSettings(dir=program.data_dir), server=ServerSettings(port=1))
        async with open_gateway(resolve_settings(settings)) as gateway:
            [organization] = await gateway.organizations.list()
            principal = operator(organization.tenant)
            made = [await gateway.webhooks.create(principal, url) for url in urls]
            for each in made:
                await gateway.webhooks.ping(principal, each.webhook.id)
            return [str(each.webhook.id) for each in made]

    ids = asyncio.run(ping_all())

    def outcomes() -> dict[str, str] | None:
        found = {row["webhook_url"]: row["outcome"] for row in program.rows(ATTEMPTS, ids)}
        return found if set(found) == set(urls) else None

    return wait_for(outcomes, 30)


def own_ports(program: Program) -> list[int]:
    """The API's, and those at which each node answers probes."""
    nodes = program.rows("SELECT admin_port FROM nodes WHERE lease_expires_at > now()")
    assert nodes
    api = urlsplit(program.demo["base_url"]).port
    assert api is not None
    return [api, *(row["admin_port"] for row in nodes)]


def test_no_webhook_reaches_the_gateways_own_ports(program: Program) -> None:
    hosts = ["127.0.0.1", "127.1.2.3", "localhost", "[::1]", "2130706433"]
    refused = [f"http://{host}:{port}/metrics" for host in hosts for port in own_ports(program)]

    outcomes = ping(program, refused)

    assert all("of the gateway itself" in outcome for outcome in outcomes.values()), outcomes


def test_other_ports_of_the_machine_and_the_try_out_endpoint_take_webhooks(
    program: Program,
) -> None:
    try_out = f"{program.demo['base_url']}/try-out"
    with receiving_hooks() as receiver:
        assert ping(program, [receiver.url, try_out]) == {receiver.url: "200", try_out: "204"}
