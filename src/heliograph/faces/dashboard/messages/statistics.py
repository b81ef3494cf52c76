"""Statistics of some days: messages by day, device, kind and state, with rates and times."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from starlette.responses import Response

from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.statistics.service import DAYS, MAX_SAMPLED, RECEIVED, DaySpan
from heliograph.core.webhooks.deliveries.report import MAX_TIMED
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.navigation import STATISTICS
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.rendering.charts import STATES, draw_days

pages = Pages()

_WEEK = 7
_ARRIVED = (MessageStatus.DELIVERED, MessageStatus.READ)
_LEFT = (MessageStatus.SENT, *_ARRIVED)


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts of messages, added up. A rate is in percent, rounded down so that 100.0 means all of
    them; None where there is nothing to count. `uncounted` messages wait or were canceled; the
    delivery rate leaves them out."""

    received: int
    accepted: int
    failed: int
    uncounted: int
    delivery_rate: str | None
    read_rate: str | None


def sum_up(counts: Mapping[str, int]) -> Sums:
    failed = counts.get(MessageStatus.FAILED, 0)
    left = sum(counts.get(state, 0) for state in _LEFT)
    arrived = sum(counts.get(state, 0) for state in _ARRIVED)
    received = counts.get(RECEIVED, 0)
    accepted = sum(counts.values()) - received
    return Sums(
        received=received,
        accepted=accepted,
        failed=failed,
        uncounted=accepted - left - failed,
        delivery_rate=_percent(arrived, left + failed),
        read_rate=_percent(counts.get(MessageStatus.READ, 0), arrived),
    )


def _percent(part: int, whole: int) -> str | None:
    if not whole:
        return None
    permille = 1000 * part // whole
    return f"{permille // 10}.{permille % 10}"


@pages.get(STATISTICS.path, scope="messages:read")
async def show_statistics(visit: Visit) -> Response:
    services, principal = visit.services, visit.principal
    problem = None
    try:
        span = services.statistics.span(_day(visit, "since"), _day(visit, "until"))
    except InvalidInputError as error:
        problem, span = error.problems[0].msg, services.statistics.span()
    found = await services.statistics.of_span(principal, span)
    accounts = await services.accounts.list(principal)
    names = {account.id: account.name for account in accounts}
    latencies = None
    if visit.may("webhooks:read"):
        latencies = await services.delivery_report.list_latencies(principal, span.since, span.until)
    counts = found.counts
    return visit.render(
        "statistics.html",
        status=422 if problem else 200,
        problem=problem,
        span=span,
        spans=_list_spans(visit, services.statistics.span()),
        here=None if problem else _address(visit, span),
        chart=draw_days(found.days),
        days=found.days,
        counts=counts,
        total=sum(counts.values()),
        sums=sum_up(counts),
        states=[state for state in STATES if counts.get(state)],
        devices=_list_devices(found.accounts, names),
        kinds=found.types,
        sampled=found.sampled,
        is_sample=found.sampled >= MAX_SAMPLED,
        answers=found.answers,
        latencies=latencies,
        most_timed=MAX_TIMED,
    )


def _day(visit: Visit, name: str) -> date | None:
    given = visit.query(name)
    if not given:
        return None
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InvalidInputError.at((name,), f"'{given}' is not a day such as 2026-11-28.") from None


def _list_spans(visit: Visit, whole: DaySpan) -> list[tuple[str, str]]:
    """List the addresses and titles of the usual spans."""
    today, days = whole.last, whole.days
    spans = [(DaySpan(today, today), "Today"), (DaySpan(days[-_WEEK], today), f"{_WEEK} days")]
    return [(_address(visit, span), title) for span, title in [*spans, (whole, f"{DAYS} days")]]


def _address(visit: Visit, span: DaySpan) -> str:
    return f"{visit.path(STATISTICS.path)}?since={span.first}&until={span.last}"


def _list_devices(
    found: Mapping[UUID, Mapping[str, int]], names: Mapping[UUID, str]
) -> list[tuple[UUID, str | None, Sums]]:
    """List (id, name, sums), the busiest first; the name of one that was removed is None."""
    sums = [(account_id, names.get(account_id), counts) for account_id, counts in found.items()]
    sums.sort(key=lambda each: -Counter(each[2]).total())
    return [(account_id, name, sum_up(counts)) for account_id, name, counts in sums]
