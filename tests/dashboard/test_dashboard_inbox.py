"""The inbox in the dashboard: people find the conversation they look for, a page at a time."""

import re
from datetime import datetime
from uuid import UUID

import pytest

from contents import asked
from core_scene import AT
from dashboard_inbox_scene import InboxScene, read_words
from dashboard_scene import Person
from each_case import for_each
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.inbox import conversations as area
from heliograph.faces.dashboard.inbox.message_hits import excerpt_of
from heliograph.faces.dashboard.rendering.icons import icon
from heliograph.networks.content import Text
from inbox_scene import LONG_AGO, NOBODY, jid_of
from large_tables import INSERT_LABELS, INSERT_MESSAGES
from statements import counting_statements


async def names_on(inbox: InboxScene, person: Person, query: str = "") -> list[str]:
    answer = await person.get(inbox.path("inbox") + query)
    assert answer.status_code == 200
    return shown_in(answer.text)


def shown_in(page: str) -> list[str]:
    """The names of the list, from the top."""
    return re.findall(r'class="who" href="[^"]+">([^<]+)</a>', page)


def list_of(page: str) -> str:
    """The list, without what stands around it."""
    return page.partition('<div id="conversations"')[2].partition("</section>")[0]


def older_in(page: str) -> str | None:
    found = re.search(r'href="[^"?]*(\?[^"]*)">Older', page)
    return found and found[1].replace("&amp;", "&")


async def test_an_empty_inbox_says_how_a_conversation_begins(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    page = (await ada.get(inbox.path("inbox"))).text
    assert "No open conversation" in page
    assert "A conversation begins with the first message, either way." in page
    assert f'href="{inbox.path("inbox/new")}"' in page
    assert re.search(r'aria-current="page"><svg.+</svg> Inbox</a>', page)


async def test_a_conversation_shows_who_what_when_and_how_it_stands(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    ana = await inbox.arrive(1, "Is it ready?", name="Ana")
    await inbox.arrive(1, "Hello?")
    gateway = inbox.dashboard.gateway
    label = await gateway.labels.create(inbox.principal, "VIP", "#c0392b")
    await gateway.inbox.add_label(inbox.principal, ana, label.id)
    await gateway.inbox.assign(inbox.principal, ana, ada.user.id)
    await gateway.inbox.set_agent_paused(inbox.principal, ana, paused=True)
    page = (await ada.get(inbox.path("inbox"))).text
    parts = ("Ana</a>", "Hello?", "2<span", "UTC", "VIP", "Ada", "automation paused")
    for part in parts:
        assert part in list_of(page), part
    assert "Front desk" not in list_of(page), "there is only one device"
    await inbox.dashboard.device(inbox.acme, "Back office")
    assert "Front desk" in list_of((await ada.get(inbox.path("inbox"))).text)
    assert 'color="#c0392b"' in page
    assert "style=" not in page


async def test_the_list_says_who_wrote_last(inbox: InboxScene, ada: Person) -> None:
    ana = await inbox.arrive(1, "Is it ready?", name="Ana")
    assert "Sent: " not in list_of((await ada.get(inbox.path("inbox"))).text)
    await inbox.send(ana, Text("It is."))
    assert re.search(r"Sent: </span>\s*It is\.", list_of((await ada.get(inbox.path("inbox"))).text))
    await inbox.arrive(1, "Thank you!")
    assert "Sent: " not in list_of((await ada.get(inbox.path("inbox"))).text)


def previews_in(page: str) -> list[str]:
    """What the rows say was said last, as it is heard."""
    rows = re.findall(r'<p class="second">(.*?)(?:<span class="count"|</p>)', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", "", each).split()) for each in rows]


async def test_an_answer_that_waits_is_seen_in_the_list(inbox: InboxScene, ada: Person) -> None:
    ana = await inbox.arrive(1, "Is it ready?", name="Ana")
    await inbox.arrive(2, "Hello", name="Ben")
    await inbox.dashboard.gateway.inbox.reply(inbox.principal, ana, asked(Text("It <is>.")))
    for status in ("queued", "scheduled", "sending"):
        await inbox.dashboard.rows(
            "UPDATE messages SET status = $1 WHERE direction = 'outbound'", status
        )
        page = list_of((await ada.get(inbox.path("inbox"))).text)
        assert previews_in(page) == ["Hello", "Waiting to be sent: It &lt;is&gt;."]
        assert f'{icon("reply")}<span class="in-state of-queued">{icon("clock")}</span>' in page
    await inbox.arrive(1, "Hello?")
    page = list_of((await ada.get(inbox.path("inbox"))).text)
    assert previews_in(page) == ["Hello?", "Hello"], "the newest message is theirs"


@pytest.mark.parametrize(
    ("status", "sent_at", "deleted_at", "said"),
    [
        ("failed", None, None, "Not sent: It is."),
        ("failed", AT, None, "Not delivered: It is."),
        ("read", AT, AT, "Deleted"),
        ("failed", AT, AT, "Deleted"),
        ("canceled", None, None, "Is it ready?"),
    ],
)
async def test_the_list_says_what_became_of_the_newest_message(
    inbox: InboxScene,
    ada: Person,
    status: str,
    sent_at: datetime | None,
    deleted_at: datetime | None,
    said: str,
) -> None:
    ana = await inbox.arrive(1, "Is it ready?", name="Ana")
    await inbox.dashboard.gateway.inbox.reply(inbox.principal, ana, asked(Text("It is.")))
    await inbox.dashboard.rows(
        "UPDATE messages SET status = $1, sent_at = $2, deleted_at = $3"
        " WHERE direction = 'outbound'",
        status,
        sent_at,
        deleted_at,
    )
    for path in ("inbox", f"inbox/{ana}"):
        page = list_of((await ada.get(inbox.path(path))).text)
        assert previews_in(page) == [said]
        has_failed = f'<span class="in-state of-failed">{icon("circle-alert")}</span>' in page
        assert has_failed == said.startswith("Not ")


async def test_a_pinned_row_says_that_its_answer_waits(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Is it ready?", name="Ana")
    await inbox.dashboard.gateway.inbox.pin(inbox.principal, ana)
    await inbox.dashboard.gateway.inbox.reply(inbox.principal, ana, asked(Text("It is.")))
    page = list_of((await ada.get(inbox.path("inbox"))).text)
    assert previews_in(page) == ["Waiting to be sent: It is."]


async def test_pinned_ones_come_first_on_the_first_page_alone(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    ids = [await inbox.arrive(number, name=f"Person {number}") for number in range(6)]
    await inbox.dashboard.gateway.inbox.pin(inbox.principal, ids[0])
    await inbox.dashboard.rows(LONG_AGO)
    first = (await ada.get(inbox.path("inbox"))).text
    assert shown_in(first) == ["Person 0", "Person 5", "Person 4"]
    seen, query = [], older_in(first)
    while query:
        page = (await ada.get(inbox.path("inbox") + query)).text
        seen.append(shown_in(page))
        query = older_in(page)
    assert seen == [["Person 3", "Person 2"], ["Person 1"]]


async def test_the_last_page_leads_to_what_moved_meanwhile(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    for number in range(4):
        await inbox.arrive(number, name=f"Person {number}")
    await inbox.dashboard.rows(LONG_AGO)
    last = older_in((await ada.get(inbox.path("inbox"))).text)
    assert last is not None
    assert "With new messages" not in (await ada.get(inbox.path("inbox") + last)).text
    await inbox.arrive(0)
    page = (await ada.get(inbox.path("inbox") + last)).text
    assert shown_in(page) == ["Person 1"]
    [moved] = re.findall(r'href="[^"?]*(\?[^"]*)">With new messages</a>', page)
    page = (await ada.get(inbox.path("inbox") + moved.replace("&amp;", "&"))).text
    assert "<h2>With new messages since the first page</h2>" in page
    assert shown_in(page) == ["Person 0"]


async def test_what_a_client_sent_waits_in_the_conversation(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Is it ready?", name="Ana")
    await inbox.dashboard.rows(LONG_AGO)
    await inbox.dashboard.send(inbox.account, Text("Your order is ready."), jid_of(1))
    waits = "UPDATE messages SET created_at = now() - interval '5 minutes' WHERE status = 'queued'"
    await inbox.dashboard.rows(waits)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert previews_in(list_of(page)) == ["Waiting to be sent: Your order is ready."]
    [sent] = await inbox.dashboard.rows("SELECT created_at FROM messages WHERE status = 'queued'")
    [shown] = re.findall(r'<span class="quiet when"><time datetime="([^"]+)"', list_of(page))
    assert shown == sent["created_at"].isoformat()
    assert "Waiting to be sent." in page.partition('<div id="messages"')[2]


async def test_paging_keeps_the_filters(inbox: InboxScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(area, "PAGE", 1)
    ada = await inbox.member("ada")
    for number in range(2):
        await inbox.arrive(number, name=f"Ana {number} & more")
        await inbox.arrive(number + 5, name="Ben")
    first = (await ada.get(inbox.path("inbox") + "?q=ana&status=open&device=")).text
    query = older_in(first)
    assert shown_in(first) == ["Ana 1 &amp; more"]
    assert query is not None
    assert query.startswith("?q=ana&status=open&after=")
    assert await names_on(inbox, ada, query) == ["Ana 0 &amp; more"]


async def test_filters_and_the_search_find_what_they_say(inbox: InboxScene) -> None:
    ada, gateway, who = await inbox.member("ada"), inbox.dashboard.gateway, inbox.principal
    ana = await inbox.arrive(1, name="Ana")
    ben = await inbox.arrive(2, name="Ben")
    label = await gateway.labels.create(who, "VIP", "#ff0000")
    await gateway.inbox.add_label(who, ana, label.id)
    await gateway.inbox.assign(who, ana, ada.user.id)
    await gateway.inbox.close(who, ben)
    wanted = {
        "?q=BEN": ["Ben"],
        "?q=555+010+0001": ["Ana"],
        "": ["Ana"],
        "?status=any": ["Ben", "Ana"],
        "?q=ben&status=open": [],
        f"?device={inbox.account.id}": ["Ana"],
        f"?device={inbox.account.id}&status=any": ["Ben", "Ana"],
        f"?device={NOBODY}": [],
        "?status=closed": ["Ben"],
        f"?label={label.id}": ["Ana"],
        f"?assignee={ada.user.id}": ["Ana"],
        "?assignee=nobody": [],
        "?assignee=nobody&status=any": ["Ben"],
        f"?assignee=nobody&label={label.id}": [],
    }
    assert {query: await names_on(inbox, ada, query) for query in wanted} == wanted


async def test_what_was_asked_for_stays_in_the_form(inbox: InboxScene, ada: Person) -> None:
    query = f'?q="<b>&status=closed&assignee={ada.user.id}'
    page = (await ada.get(inbox.path("inbox") + query)).text
    assert 'value="&#34;&lt;b&gt;"' in page
    assert "<option selected>closed</option>" in page
    assert f'<option value="{ada.user.id}" selected>' in page
    assert "No conversation matches" in page


@pytest.mark.parametrize(
    "query", ["?device=x", "?label=1", "?assignee=me", "?status=odd", "?after=x", "?q=" + "x" * 101]
)
async def test_an_address_that_asks_for_nothing_there_is_says_so(
    inbox: InboxScene, ada: Person, query: str
) -> None:
    answer = await ada.get(inbox.path("inbox") + query)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert (await ada.get(inbox.path("inbox/list") + query)).status_code == 422


def views_of(page: str) -> str:
    return page.partition('<nav id="views"')[2].partition("</nav>")[0]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("", "All open"),
        ("?status=open&q=a", "All open"),
        ("?status=closed", "All closed"),
        ("?status=any", "All"),
        ("?q=a", "All"),
        ("?q=a&status=snoozed", "All snoozed"),
        ("?status=odd", "All"),
    ],
)
async def test_the_view_of_all_says_of_which_status_they_are(
    inbox: InboxScene, ada: Person, query: str, name: str
) -> None:
    page = (await ada.get(inbox.path("inbox") + query)).text
    assert re.findall(r">([\w ]+)</a>", views_of(page)) == [name, "Mine", "Unassigned"]


async def test_another_filter_changes_the_views_as_well(inbox: InboxScene, ada: Person) -> None:
    path = inbox.path("inbox/list") + "?status=closed&assignee=nobody"
    part = (await ada.browser.get(path, headers={"HX-Trigger": "filters"})).text
    assert part.count(' hx-swap-oob="true">') == 1
    views = views_of(part)
    assert re.findall(r'aria-current="true">(\w+)<', views) == ["Unassigned"]
    assert "All closed" in views
    assert views.count("?status=closed&amp;assignee=") == 3
    assert views_of((await ada.get(path)).text) == "", "it is news that fetched it"


# --- messages that a search finds --------------------------------------------------------------


async def test_a_search_finds_people_first_and_then_messages(inbox: InboxScene) -> None:
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    ana = await inbox.arrive(1, "Hello", name="Ana")
    ben = await inbox.arrive(2, "Is <b>Ana</b> there?", name="Ben")
    await inbox.send(ana, Text("Dear Ana"))
    await read_words(inbox)
    found = list_of((await viewer.get(inbox.path("inbox") + "?q=ana")).text)
    people, _, messages = found.partition("<h2>Messages containing “ana”</h2>")
    assert shown_in(people) == ["Ana"]
    assert "<h2>Conversations</h2>" in people
    said = re.findall(r'<span class="preview">(?:<svg.+?</span>)?([^<]+)</span>', messages)
    assert said == ["Dear Ana", "Is &lt;b&gt;Ana&lt;/b&gt; there?"]
    message_id = await inbox.message_in(ben)
    assert f'href="{inbox.path(f"inbox/{ben}")}?q=ana#m-{message_id}"' in messages
    assert f'href="{inbox.path("messages")}?q=ana"' in messages
    assert "Open in Messages" in messages


async def test_a_search_says_what_it_did_not_find(inbox: InboxScene, ada: Person) -> None:
    await inbox.arrive(1, "Is it ready?", name="Ana")
    await read_words(inbox)
    wanted = {
        "?q=ana": (["Ana"], "No message contains it."),
        "?q=ready": ([], "Open in Messages"),
        "?q=nothing+like+it": ([], "No message contains it."),
    }
    for query, (names, said) in wanted.items():
        page = (await ada.get(inbox.path("inbox") + query)).text
        people, _, messages = page.partition("<h2>Messages containing")
        assert shown_in(people) == names
        assert ("No conversation matches" in page) == (not names)
        assert said in messages
    assert "Messages containing" not in (await ada.get(inbox.path("inbox") + "?status=any")).text


async def test_a_search_finds_messages_through_the_device_alone(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    other = await inbox.dashboard.device(inbox.acme, "Back office")
    await inbox.arrive(1, "Is it ready?")
    await inbox.dashboard.send(other, Text("It is ready"))
    await read_words(inbox)
    for query, said in (
        ("?q=ready", ["It is ready", "Is it ready?"]),
        (f"?q=ready&device={inbox.account.id}", ["Is it ready?"]),
    ):
        hits = (await ada.get(inbox.path("inbox") + query)).text.partition("containing")[2]
        assert re.findall(r"(\w+ \w+ ready\??)</span>", hits) == said
        assert f'href="{inbox.path("messages")}{query.replace("&", "&amp;")}"' in hits


async def test_a_search_shows_nothing_that_was_taken_back(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "A secret")
    await read_words(inbox)
    await inbox.dashboard.rows("UPDATE messages SET deleted_at = now()")
    await inbox.dashboard.rows("UPDATE conversations SET last_message_preview = NULL")
    for path in ("inbox?q=secret", f"inbox/{ana}?q=secret"):
        assert "A secret" not in (await ada.get(inbox.path(path))).text


@for_each(
    ("text", "search", "excerpt"),
    [
        ("Is it\nready?", "ready", "Is it ready?"),
        ("x " * 50 + "ready", "READY", "…" + "x " * 9 + "ready"),
        ("x" * 50 + " ready", "ready", "…ready"),
        ("x " * 50 + "ready" + "y" * 200, "ready", "…" + "x " * 9 + "ready" + "y" * 136 + "…"),
        ("x " * 50, "nowhere", "x " * 49 + "x"),
        ("Is it ready?", "?", "Is it ready?"),
    ],
)
def test_an_excerpt_has_the_word_that_was_looked_for(text: str, search: str, excerpt: str) -> None:
    assert excerpt_of(text, search) == excerpt


# -----------------------------------------------------------------------------------------------


async def test_whose_conversations_they_are_is_a_click_away(inbox: InboxScene, ada: Person) -> None:
    ana, _ = await inbox.arrive(1, name="Ana"), await inbox.arrive(2, name="Ben")
    await inbox.dashboard.gateway.inbox.assign(inbox.principal, ana, ada.user.id)
    page = (await ada.get(inbox.path("inbox") + "?status=any")).text
    views = views_of(page)
    tabs = [query.replace("&amp;", "&") for query in re.findall(r'href="[^"?]*(\?[^"]*)"', views)]
    assert [await names_on(inbox, ada, query) for query in tabs] == [
        ["Ben", "Ana"],
        ["Ana"],
        ["Ben"],
    ]
    assert all("status=any" in query for query in tabs)
    assert re.findall(r'aria-current="true">(\w+)<', views) == ["All"]


async def test_the_list_beside_a_conversation_stays_as_it_was_filtered(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    ana, ben = await inbox.arrive(1, name="Ana"), await inbox.arrive(2, name="Ben")
    page = (await ada.get(inbox.path(f"inbox/{ben}") + "?q=an")).text
    assert shown_in(page) == ["Ana"]
    assert f'href="{inbox.path(f"inbox/{ana}")}?q=an"' in page
    assert f'action="{inbox.path(f"inbox/{ben}/close")}?q=an"' in page
    closed = await ada.post(inbox.path(f"inbox/{ben}/close") + "?q=an")
    assert closed.headers["location"] == inbox.path(f"inbox/{ben}?q=an")
    part = await ada.get(inbox.path("inbox/list") + f"?open={ana}")
    assert re.findall(r'aria-current="true">(\w+)<', part.text) == ["Ana"]
    assert "HX-Replace-Url" not in part.headers


async def test_the_list_alone_is_what_an_open_page_fetches(inbox: InboxScene, ada: Person) -> None:
    await inbox.arrive(1, name="Ana")
    path = inbox.path("inbox/list") + "?q=a&device="
    answer = await ada.browser.get(path, headers={"HX-Trigger": "filters"})
    assert answer.text.lstrip().startswith('<div id="conversations"')
    assert shown_in(answer.text) == ["Ana"]
    assert answer.headers["HX-Replace-Url"] == inbox.path("inbox") + "?q=a"
    assert f'hx-get="{inbox.path("inbox/list")}?q=a"' in answer.text
    assert "HX-Replace-Url" not in (await ada.get(path)).headers, "it is news that fetched it"
    page = (await ada.get(inbox.path("inbox"))).text
    assert f'sse-connect="{inbox.path("live")}"' in page


async def test_a_pinned_conversation_in_which_nothing_was_said_is_shown(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    await inbox.dashboard.gateway.inbox.pin(inbox.principal, ana)
    await inbox.dashboard.rows(
        "UPDATE conversations SET last_message_at = NULL, last_message_preview = NULL"
    )
    await inbox.dashboard.rows("DELETE FROM messages")
    assert await names_on(inbox, ada) == ["Ana"]
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert "There are no messages here" in page


# --- with much in it ---------------------------------------------------------------------------

INSERT_CONVERSATIONS = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, is_group,
    agent_paused, last_message_at, pinned, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, n || '@sandbox', 'open', 0, false, false,
    now() - n * interval '1 minute', n % 500 = 0, now(), now()
FROM generate_series(1, 10000) AS n
"""


async def test_a_page_asks_as_much_of_a_large_inbox_as_of_a_small_one(inbox: InboxScene) -> None:
    ada, pool = await inbox.member("ada"), inbox.dashboard.gateway.database.pool
    ana = await inbox.arrive(1, name="Ana")
    for name in ("VIP", "Late"):
        await inbox.dashboard.gateway.labels.create(inbox.principal, name, "#ff0000")
    small = await statements_of(inbox, ada, ana)
    values = (*inbox.acme.tenant, inbox.account.id)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL statement_timeout = '60s'")
        await connection.execute(INSERT_CONVERSATIONS, *values, timeout=60)
        messages = (*inbox.acme.tenant, 50_000, inbox.account.id, ana)
        await connection.execute(INSERT_MESSAGES, *messages, timeout=60)
        await connection.execute(INSERT_LABELS, *inbox.acme.tenant, timeout=60)
    large = await statements_of(inbox, ada, ana)
    # the labels of the pinned ones are one more
    assert all(large[path] <= small[path] + 1 for path in large), (small, large)
    thread = large.pop(f"inbox/{ana}")  # with the list, the person and the notes beside it
    assert thread <= 33, thread
    searched = large.pop("inbox?q=an")  # each of its two searches is a transaction of its own
    assert searched <= 19, searched
    assert max(large.values()) <= 15, large


async def statements_of(inbox: InboxScene, person: Person, ana: UUID) -> dict[str, int]:
    """How many statements each page takes."""
    found = {}
    threads = (f"inbox/{ana}", f"inbox/{ana}/messages", f"inbox/{ana}/panel")
    for path in ("inbox", "inbox/list", "inbox?q=an", *threads):
        with counting_statements() as statements:
            answer = await person.get(inbox.path(path))
        assert answer.status_code == 200
        assert statements
        found[path] = len(statements)
    return found
