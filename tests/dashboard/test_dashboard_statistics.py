"""The statistics of some days: the API's figures, and what the newest messages say."""

import re
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from dashboard_scene import DashboardScene, Person, path_of
from each_case import for_each
from heliograph.core.members.model import MemberRole
from heliograph.core.messages.statistics.service import DailyCounts
from heliograph.core.tenants.model import Organization, operator
from heliograph.faces.dashboard.rendering.charts import draw_days

INSERT_COUNT = """
INSERT INTO message_counts (shard, organization_id, day, direction, status, stripe, n)
VALUES ($1, $2, $3, $4, $5, 0, $6)
"""
INSERT_ACCOUNT_COUNT = """
INSERT INTO account_message_counts (
    shard, organization_id, account_id, day, direction, status, stripe, n
) VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
"""
INSERT_MESSAGE = """
INSERT INTO messages (
    shard, organization_id, id, account_id, conversation_id, direction, status, message_type,
    chat_type, recipient, phone_number, content, chat_message_id, retry_count, connected_seconds,
    created_at, updated_at
) VALUES (
    $1, $2, $3, $4, $5, $6, $7, $8, 'individual', 'a@sandbox', '+15550100001', '{}', $9, 0, 0,
    $10, $10
)
"""
INSERT_DELIVERY = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, first_duration_ms, first_response_code, response_code,
    delivered_at, created_at, updated_at
) VALUES (
    $1, $2, gen_random_uuid(), nextval('delivery_queue_seq_seq'), $3, 'https://example.com/hook',
    gen_random_uuid(), 'message.sent', 'delivered', 1, 2, $4, $6, 200,
    now() + $5 * interval '1 second', now(), now()
)
"""
TODAY = datetime.now(UTC).date()


@pytest.fixture
async def vera(scene: DashboardScene, acme: Organization) -> Person:
    return await scene.member("vera", acme, MemberRole.VIEWER)


async def count(
    scene: DashboardScene,
    acme: Organization,
    account_id: UUID,
    day: date,
    direction: str,
    status: str,
    n: int,
) -> None:
    await scene.rows(INSERT_COUNT, *acme.tenant, day, direction, status, n)
    values = (*acme.tenant, account_id, day, direction, status, n)
    await scene.rows(INSERT_ACCOUNT_COUNT, *values)


async def write(
    scene: DashboardScene,
    acme: Organization,
    conversation_id: UUID,
    direction: str,
    seconds: float,
    kind: str = "text",
    status: str = "read",
) -> None:
    """Write a message of today, so many seconds after its first."""
    now = datetime.combine(TODAY, datetime.min.time(), UTC) + timedelta(seconds=seconds)
    milliseconds = int(now.timestamp() * 1000)
    id_ = UUID(int=(milliseconds << 80) | (7 << 76) | uuid4().int % 2**62)
    await scene.rows(
        INSERT_MESSAGE,
        *acme.tenant,
        id_,
        conversation_id,  # any account
        conversation_id,
        direction,
        status,
        kind,
        str(id_),
        now,
    )


def text_of(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def figures(page: str, title: str) -> list[str]:
    """The rows below a title, without marks."""
    part = page.partition(f">{title}</h2>")[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [text_of(row) for row in part.split("</tr>")[:-1]]


async def test_the_figures_are_those_that_the_api_tells(
    scene: DashboardScene, acme: Organization, vera: Person
) -> None:
    desk, gone = await scene.device(acme), uuid4()
    for account_id, ago, direction, status, n in (
        (desk.id, 0, "outbound", "read", 1200),
        (desk.id, 0, "outbound", "delivered", 300),
        (desk.id, 3, "outbound", "failed", 40),
        (desk.id, 6, "inbound", "read", 7),
        (gone, 7, "outbound", "sent", 5),
        (gone, 30, "outbound", "sent", 1000),
    ):
        day = TODAY - timedelta(days=ago)
        await count(scene, acme, account_id, day, direction, status, n)
    summary = await scene.gateway.statistics.summary(operator(acme.tenant))
    week = (await vera.get(path_of(acme, f"statistics?since={TODAY - timedelta(days=6)}"))).text
    month = (await vera.get(path_of(acme, "statistics"))).text
    assert summary["last_7_days"] == 1547
    assert figures(week, "By state") == ["received 7", "read 1,200", "delivered 300", "failed 40"]
    assert summary["last_30_days"] == 1552
    assert "sent 5" in figures(month, "By state")
    assert figures(month, "By device") == [
        "Front desk 1,540 97.4 % 80.0 % 40 7",
        "a removed device 5 0.0 % – 0 0",
    ]
    assert "97.4 % of outgoing messages were delivered 80.0 % of delivered messages were read" in (
        text_of(week)
    )
    await count(scene, acme, desk.id, TODAY, "outbound", "queued", 1)
    week = (await vera.get(path_of(acme, f"statistics?since={TODAY - timedelta(days=6)}"))).text
    assert (
        "97.4 % of outgoing messages were delivered, not counting those that wait or were canceled"
        in text_of(week)
    )


async def test_people_wait_from_their_first_message_until_the_next_answer(
    scene: DashboardScene, acme: Organization, vera: Person
) -> None:
    await count(scene, acme, uuid4(), TODAY, "inbound", "read", 3)
    one, other, nobody = uuid4(), uuid4(), uuid4()
    await write(scene, acme, one, "inbound", 0)
    await write(scene, acme, one, "inbound", 50)  # which waits no longer than the first
    await write(scene, acme, one, "outbound", 55, status="failed")
    await write(scene, acme, one, "outbound", 60, "buttons")
    await write(scene, acme, one, "outbound", 61)
    await write(scene, acme, one, "inbound", 100, "button_reply")
    await write(scene, acme, one, "outbound", 400)
    await write(scene, acme, other, "outbound", 5)  # we began
    await write(scene, acme, other, "inbound", 10)
    await write(scene, acme, other, "outbound", 190)
    await write(scene, acme, nobody, "inbound", 20)
    span = scene.gateway.statistics.span(TODAY, TODAY)
    answers = (await scene.gateway.statistics.of_span(operator(acme.tenant), span)).answers
    assert (answers.asked, answers.answered, answers.median) == (4, 3, 180)
    page = (await vera.get(path_of(acme, f"statistics?since={TODAY}"))).text
    assert "3 min median time to answer" in text_of(page)
    assert figures(page, "By kind") == ["text 5 4", "button reply 0 1", "buttons 1 0"]


async def test_webhooks_tell_how_soon_they_arrived(
    scene: DashboardScene, acme: Organization, vera: Person
) -> None:
    webhook_id = uuid4()
    for duration, seconds, code in (
        (10, 0.05, 500),
        (20, 0.25, 500),
        (30, 40.0, 503),
        (9000, 0.25, None),  # whose first attempt found no endpoint
    ):
        await scene.rows(INSERT_DELIVERY, *acme.tenant, webhook_id, duration, seconds, code)
    page = (await vera.get(path_of(acme, "statistics"))).text
    [row] = figures(page, "Webhooks")
    assert row == "https://example.com/hook 4 0 0 250 ms 34 s 20 ms"


async def test_deliveries_that_are_tried_again_are_told(
    scene: DashboardScene, acme: Organization, vera: Person
) -> None:
    for _ in range(5):
        await scene.rows(INSERT_DELIVERY, *acme.tenant, uuid4(), 10, 1.0, 503)
    await scene.rows("UPDATE deliveries SET webhook_id = $1, delivered_at = NULL", uuid4())
    change = "UPDATE deliveries SET status = $1, attempt_count = $2 WHERE id = $3"
    states = (("pending", 1), ("pending", 2), ("pending", 0), ("failed", 9), ("canceled", 1))
    deliveries = await scene.rows("SELECT id FROM deliveries")
    for (status, attempts), row in zip(states, deliveries, strict=True):
        await scene.rows(change, status, attempts, row["id"])
    page = (await vera.get(path_of(acme, "statistics"))).text
    assert figures(page, "Webhooks") == ["https://example.com/hook 0 2 1 – – 10 ms"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("since=yesterday", "is not a day such as 2026-11-28."),
        ("since=2020-01-01", "Days are told apart for 30 days"),
        ("until=2999-01-01", "2999-01-01 has not come yet."),
        (f"since={TODAY}&until={TODAY - timedelta(days=1)}", "The first day is after the last"),
    ],
)
async def test_days_that_cannot_be_shown_are_refused_in_words(
    acme: Organization, vera: Person, query: str, problem: str
) -> None:
    answer = await vera.get(path_of(acme, f"statistics?{query}"))
    assert answer.status_code == 422
    assert problem in answer.text


async def test_another_organizations_messages_are_not_counted(
    scene: DashboardScene, acme: Organization, vera: Person
) -> None:
    globex = await scene.organization("Globex")
    await count(scene, globex, uuid4(), TODAY, "outbound", "read", 50)
    await write(scene, globex, uuid4(), "outbound", 1)
    await scene.rows(INSERT_DELIVERY, *globex.tenant, uuid4(), 1, 1.0, 500)
    page = (await vera.get(path_of(acme, "statistics"))).text
    assert "No messages on these days" in page
    assert "Endpoint" not in page


def test_a_bar_is_as_high_as_its_messages_are_many() -> None:
    day = date(2026, 1, 1)
    chart = draw_days([DailyCounts(day, {"read": 30, "received": 10}), DailyCounts(day, {})])
    assert chart.scale == [40, 30, 20, 10, 0]
    assert chart.states == ["received", "read"]
    [received, read] = chart.bars[0].parts
    assert (received.y, received.height) == (75, 25)
    assert (read.y, read.height) == (0, 75)
    assert (chart.bars[1].parts, chart.width) == ([], 20)
    assert chart.lines == [0, 25, 50, 75, 100]


@for_each(
    ("most", "scale"),
    [
        (0, [1, 0]),
        (1, [1, 0]),
        (2, [2, 1, 0]),
        (5, [5, 4, 3, 2, 1, 0]),
        (6, [6, 4, 2, 0]),
        (7, [8, 6, 4, 2, 0]),
        (11, [15, 10, 5, 0]),
        (22, [25, 20, 15, 10, 5, 0]),
        (94, [100, 80, 60, 40, 20, 0]),
        (101, [150, 100, 50, 0]),
        (12_345, [15_000, 10_000, 5_000, 0]),
    ],
)
def test_an_axis_ends_at_the_next_round_figure(most: int, scale: list[int]) -> None:
    chart = draw_days([DailyCounts(date(2026, 1, 1), {"read": most})])
    assert chart.scale == scale
    assert len(chart.lines) == len(scale)
    assert (chart.lines[0], chart.lines[-1]) == (0, 100)
