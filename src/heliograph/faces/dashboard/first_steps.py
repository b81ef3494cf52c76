"""What a new organization does first, from a device to a webhook of a pressed button."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from heliograph.core.accounts.model import Account
from heliograph.core.messages.counts import StatisticsRecord
from heliograph.faces.dashboard.pages import Visit
from heliograph.networks.port import AccountStatus

_SCOPES = ("admin:write", "messages:write", "webhooks:write", "conversations:write")
_MOST_RECEIVED = 2
"""The word to begin with and the button: whoever has had more knows the way."""


@dataclass(frozen=True, slots=True)
class Step:
    """`path` is a page of the organization; `is_apart` opens it beside this one."""

    text: str
    link: str
    path: str
    is_done: bool
    is_apart: bool = False


async def list_first_steps(
    visit: Visit, accounts: Sequence[Account], phones: set[UUID], counts: StatisticsRecord
) -> list[Step]:
    """The steps in order; none for who may not take them all, and once they are taken."""
    if not visit.principal.scopes.issuperset(_SCOPES):
        return []
    received = counts["by_direction"].get("inbound", 0)
    sent = counts["by_direction"].get("outbound", 0)
    webhooks = await visit.services.webhooks.list(visit.principal)
    if webhooks and sent and received >= _MOST_RECEIVED:
        return []
    connected = [account for account in accounts if account.status is AccountStatus.CONNECTED]
    phone = next((each.id for each in connected if each.id in phones), None)
    return [
        Step("Connect a device", "Devices", "devices", bool(connected)),
        Step("Add an endpoint for webhooks", "Webhooks", "developers/webhooks", bool(webhooks)),
        Step(
            "Write something as a customer",
            "Virtual phone" if phone else "Devices",
            f"phone/{phone}" if phone else "devices",
            received > 0,
            is_apart=phone is not None,
        ),
        Step("Answer with buttons", "Inbox", "inbox", sent > 0),
        Step(
            "Press one on the phone, and see what your endpoint was told",
            "Deliveries",
            "developers/deliveries",
            is_done=False,
        ),
    ]
