"""The fixture `package` (`pytest_plugins = ("n8n_fixtures",)`), and the phone of the demo."""

from pathlib import Path

import pytest

from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.networks.phone_actions import Say
from heliograph.networks.port import Simulator
from live_gateway import LiveGateway
from n8n_engine import need_built_package


@pytest.fixture(scope="module")
def package() -> Path:
    return need_built_package()


async def simulator_of(running: Services) -> Simulator:
    [organization] = await running.organizations.list()
    [account] = await running.accounts.list(operator(organization.tenant))
    return running.simulator.of(account)


def say(gateway: LiveGateway, *texts: str) -> None:
    """Write to the demo's account as its contact."""

    async def write(running: Services) -> None:
        simulator = await simulator_of(running)
        for text in texts:
            await simulator.act(Say(gateway.demo.contact_phone, text))

    gateway.run(write)
