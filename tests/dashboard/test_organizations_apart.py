"""What an organization has: out of reach of others, and offered to whom the role lets do it."""

import re
from uuid import UUID

import pytest

from dashboard_inbox_scene import InboxScene
from dashboard_scene import path_of
from heliograph.core.events.model import Event
from heliograph.core.events.service import encode_payload
from heliograph.core.members.model import MemberRole, granted_scopes
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.faces.dashboard.app import PAGES
from heliograph.faces.dashboard.pages.registry import DashboardPage

pytestmark = pytest.mark.usefixtures("streams_end")

SECRET = "Sesame"
WRITTEN = f"<i>{SECRET}</i>"
"""What people write: text on every page, whatever it looks like."""
PLACEHOLDER = re.compile(r"\{(\w+)(?::\w+)?\}")
LEADS = {
    "GET": re.compile(r'\s(?:href|hx-get|sse-connect)="([^"?#]*)'),
    "POST": re.compile(r'\s(?:action|hx-post|formaction)="([^"?#]*)'),
}
NOT_THERE_ANYWAY = ["inbox/canned/{reply_id:uuid}/delete"]


@pytest.fixture
async def ids(inbox: InboxScene) -> dict[str, UUID | str]:
    """One thing of Acme's of each kind that pages are about, by the name that paths have for it."""
    gateway, principal = inbox.dashboard.gateway, inbox.principal
    conversation_id = await inbox.arrive(1, WRITTEN, name=WRITTEN)
    label = await gateway.labels.create(principal, WRITTEN, "#ff0000")
    reply = await gateway.canned_replies.create(principal, "a", WRITTEN)
    key = await gateway.keys.mint(principal, WRITTEN, scopes=["messages:read"])
    hook = await gateway.webhooks.create(principal, f"http://127.0.0.1:9/{SECRET}", ("*",))
    now, clock = gateway.database.clock.now(), gateway.database.clock
    payload = encode_payload("message.sent", now, {"content": WRITTEN})
    event = Event(inbox.acme.tenant, clock.new_id(), "message.sent", payload, now)
    await gateway.database.transact(fan_out, inbox.acme.tenant.shard, [event], clock)
    [delivery] = await gateway.deliveries.list(principal, limit=2)
    bob = await inbox.member(f"bob.{SECRET}")
    invited = await gateway.members.invite(
        principal, f"cleo.{SECRET}@example.com", MemberRole.AGENT
    )
    return {
        "conversation_id": conversation_id,
        "message_id": await inbox.message_in(conversation_id),
        "label_id": label.id,
        "reply_id": reply.id,
        "account_id": inbox.account.id,
        "key": key.record.id,
        "webhook_id": hook.webhook.id,
        "delivery_id": delivery.id,
        "user_id": bob.user.id,
        "invitation_id": invited.id,
        "message": "0",
    }


def about(page: DashboardPage, ids: dict[str, UUID | str]) -> str:
    """The page's path, of what it is about."""
    return PLACEHOLDER.sub(lambda found: str(ids[found[1]]), page.path)


async def everything_of(inbox: InboxScene) -> dict[str, list[str]]:
    """All that the database has of Acme."""
    tables = await inbox.dashboard.rows(
        "SELECT table_name AS name FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND column_name = 'organization_id'"
    )
    return {
        table["name"]: [
            row["found"]
            for row in await inbox.dashboard.rows(
                f"SELECT to_jsonb(found)::text AS found FROM {table['name']} AS found "  # noqa: S608 - ours
                "WHERE organization_id = $1 ORDER BY 1",
                inbox.acme.id,
            )
        ]
        for table in tables
    }


async def test_nobody_sees_or_changes_what_another_organization_has(
    inbox: InboxScene, ids: dict[str, UUID | str]
) -> None:
    globex = await inbox.dashboard.organization("Globex")
    mallory = await inbox.dashboard.member("mallory", globex, MemberRole.OWNER)
    form = {"text": "x", "name": "x", "color": "#000000", "body": "x", "shortcut": "x"}
    form |= {"hours": "1", "emoji": "👍", "role": "owner", "grace": "0", "event": "*"}
    form |= {"url": "http://127.0.0.1:9/eve", "label_id": str(ids["label_id"]), "note": "x"}
    form |= {"since": "2025-01-01T00:00", "until": "2100-01-01T00:00"}
    form |= {"webhook": str(ids["webhook_id"]), "person": "+15550100001"}
    before = await everything_of(inbox)
    wrong = []
    for page in PAGES:
        path = path_of(globex, about(page, ids))
        path += f"?device={ids['account_id']}&webhook={ids['webhook_id']}&q={SECRET.lower()}"
        answer = await (mallory.get(path) if page.method == "GET" else mallory.post(path, **form))
        is_refused = answer.status_code in (403, 404) or page.path in NOT_THERE_ANYWAY
        is_about_it = PLACEHOLDER.search(page.path) is not None
        if SECRET in answer.text or (is_about_it and not is_refused):
            wrong.append((page.method, page.path, answer.status_code))
    assert wrong == []
    assert await everything_of(inbox) == before
    assert await inbox.claim() == []


async def test_pages_offer_what_the_role_may_do_and_nothing_else(
    inbox: InboxScene, ids: dict[str, UUID | str]
) -> None:
    offered: dict[MemberRole, set[DashboardPage]] = {}
    for role in MemberRole:
        ada = await inbox.member(role, role)
        may = granted_scopes(role)
        shown = ""
        for page in PAGES:
            if page.method == "GET" and page.scope in may:
                answer = await ada.get(inbox.path(about(page, ids)))
                shown += answer.text
                is_html = "text/html" in answer.headers.get("content-type", "")
                assert not is_html or f"<i>{SECRET}" not in answer.text, page.path
        assert shown.count(f"&lt;i&gt;{SECRET}") > 10
        assert shown.count(SECRET) > 20
        assert "style=" not in shown
        offered[role] = leads_in(shown, inbox)
        assert [page.path for page in offered[role] if page.scope not in may] == []
    forms = {role: {page for page in offered[role] if page.method == "POST"} for role in MemberRole}
    assert [page.path for page in forms[MemberRole.VIEWER]] == ["members/leave"]
    assert len(forms[MemberRole.AGENT]) > 15
    assert len(forms[MemberRole.OWNER]) > 35


def leads_in(shown: str, inbox: InboxScene) -> set[DashboardPage]:
    """The pages to which what is shown has a link, or a form."""
    addresses = {method: set(pattern.findall(shown)) for method, pattern in LEADS.items()}
    return {
        page
        for page in PAGES
        if any(
            re.fullmatch(inbox.path(PLACEHOLDER.sub("[^/]+", page.path)), address)
            for address in addresses[page.method]
        )
    }
