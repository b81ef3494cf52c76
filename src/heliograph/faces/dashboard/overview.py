"""An organization at a glance: what is wrong, the first steps, and the statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from heliograph.core.accounts.model import Account
from heliograph.core.messages.statistics.service import StatisticsRecord
from heliograph.faces.dashboard.devices.state import state_of
from heliograph.faces.dashboard.health import list_troubles
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.rendering.charts import draw_days
from heliograph.networks.port import AccountStatus

pages = Pages()

_SCOPES = ("admin:write", "messages:write", "webhooks:write", "conversations:write")
_MAX_RECEIVED = 2
"""The first message and the pressed button: whoever has received more needs no help."""


@pages.get("", scope="messages:read")
async def show_overview(visit: Visit) -> Response:
    statistics, principal = visit.services.statistics, visit.principal
    days = await statistics.by_day(principal)
    accounts = await visit.services.accounts.list(principal)
    may_write = "messages:write" in principal.scopes
    is_offered = visit.services.simulator.is_offered
    phones = {account.id for account in accounts if may_write and is_offered(account)}
    counts = await statistics.summary(principal)
    endpoints = await visit.services.delivery_report.list_failing_endpoints(principal)
    deliveries = await visit.services.delivery_report.summarize_deliveries(principal, endpoints)
    queues = await visit.services.account_maintenance.list_queues(principal)
    now = visit.services.database.clock.now()
    return visit.render(
        "overview.html",
        statistics=counts,
        steps=await list_first_steps(visit, accounts, phones, counts),
        chart=draw_days(days),
        deliveries=deliveries,
        troubles=list_troubles(accounts, queues, endpoints, deliveries, days, now),
        accounts=accounts,
        states={account.id: state_of(account) for account in accounts},
        phones=phones,
        failing_chores=await _list_failing_chores(visit),
    )


async def _list_failing_chores(visit: Visit) -> list[str]:
    """List the gateway's failing chores, for those who can tell its operator."""
    if "admin:write" not in visit.principal.scopes:
        return []
    return [failing.chore for failing in await visit.services.chores.list_failing()]


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
    """List the steps in order; none for visitors who may not take them, or once all are done."""
    if not visit.principal.scopes.issuperset(_SCOPES):
        return []
    received = counts["by_direction"].get("inbound", 0)
    sent = counts["by_direction"].get("outbound", 0)
    webhooks = await visit.services.webhooks.list(visit.principal)
    if webhooks and sent and received >= _MAX_RECEIVED:
        return []
    connected = [account for account in accounts if account.status is AccountStatus.CONNECTED]
    phone = next((account.id for account in connected if account.id in phones), None)
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
            "Press one on the phone, and see the event at your endpoint",
            "Deliveries",
            "developers/deliveries",
            is_done=False,
        ),
    ]
