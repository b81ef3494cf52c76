"""The virtual phone of a running gateway's demo."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from heliograph.core.services import Services
from heliograph.networks.phone_actions import PhoneAction, Say
from heliograph.networks.port import Simulator
from live_gateway import LiveGateway

T = TypeVar("T")


def ask(gateway: LiveGateway, question: Callable[[Simulator], Awaitable[T]]) -> T:
    """What the phones around the demo's account answer."""

    async def go(running: Services) -> T:
        principal = await running.keys.authenticate_key(gateway.demo.api_key)
        account = await running.accounts.get(principal, UUID(gateway.demo.chat_account_id))
        return await question(running.simulator.of(account))

    return gateway.run(go)


def act(gateway: LiveGateway, *actions: PhoneAction) -> None:
    """Do this on the phones around the demo's account."""

    async def go(phones: Simulator) -> None:
        for action in actions:
            await phones.act(action)

    ask(gateway, go)


def say(gateway: LiveGateway, *texts: str) -> None:
    """Write to the demo's account as its contact."""
    act(gateway, *(Say(gateway.demo.contact_phone, text) for text in texts))
