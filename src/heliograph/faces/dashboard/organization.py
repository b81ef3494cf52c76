"""An organization at a glance, and what was done in it."""

from collections.abc import Sequence
from datetime import UTC, datetime, time

import msgspec
from starlette.responses import Response

from heliograph.core.messages.counts import RECEIVED, DailyCounts
from heliograph.core.messages.diagnostics import MAX_WAITING
from heliograph.core.messages.model import MessageStatus
from heliograph.faces.dashboard.failures import FAILED
from heliograph.faces.dashboard.first_steps import list_first_steps
from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

_AUDIT_PAGE = 50
_WEEK = 7
"""Days of which failed messages are told of."""
_STATES = (RECEIVED, *(messagestatu for messagestatu in MessageStatus if messagestatu != RECEIVED))
"""Columns, in the order in which a message comes through them."""


@pages.get("", scope="messages:read")
async def show_overview(visit: Visit) -> Response:
    statistics, principal = visit.services.statistics, visit.principal
    days = await statistics.by_day(principal)
    accounts = await visit.services.accounts.list(principal)
    may_write = "messages:write" in principal.scopes
    is_offered = visit.services.simulator.is_offered
    phones = {account.id for account in accounts if may_write and is_offered(account)}
    counts = await statistics.summary(principal)
    endpoints = await visit.services.failures.list_failing_endpoints(principal)
    return visit.render(
        "overview.html",
        visit=visit,
        statistics=counts,
        steps=await list_first_steps(visit, accounts, phones, counts),
        days=days,
        states=[state for state in _STATES if any(day.counts.get(state) for day in days)],
        chart=_chart(days),
        deliveries=await visit.services.failures.get_delivery_health(principal, endpoints),
        endpoints=endpoints,
        most_waiting=MAX_WAITING,
        failed=sum(day.counts.get(MessageStatus.FAILED, 0) for day in days[-_WEEK:]),
        failed_path=visit.path(FAILED),
        accounts=accounts,
        phones=phones,
    )


def _chart(days: Sequence[DailyCounts]) -> str:
    """What `chart.js` draws: `{"days": [Unix seconds], "series": {state: [how many]}}`."""
    states = [state for state in _STATES if any(day.counts.get(state) for day in days)]
    return msgspec.json.encode(
        {
            "days": [int(datetime.combine(day.day, time.min, UTC).timestamp()) for day in days],
            "series": {state: [day.counts.get(state, 0) for day in days] for state in states},
        }
    ).decode()


@pages.get("audit", scope="admin:read")
async def show_audit(visit: Visit) -> Response:
    """Fifty entries; `before` is the last one's number of the page before."""
    given = visit.request.query_params.get("before", "")
    entries = await visit.services.audit.list(
        visit.principal,
        limit=_AUDIT_PAGE,
        before=int(given) if given.isdecimal() and len(given) < 19 else None,
    )
    members = await visit.services.members.list_members(visit.principal)
    names = {f"user {member.user_id}": member.name for member in members}
    more = entries[-1].seq if len(entries) == _AUDIT_PAGE else None
    return visit.render("audit.html", visit=visit, entries=entries, names=names, more=more)
