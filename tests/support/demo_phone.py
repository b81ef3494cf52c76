"""The virtual phone of a running gateway's demo."""

from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.networks.phone_actions import Say
from heliograph.networks.port import Simulator
from live_gateway import LiveGateway


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
