"""All messages in the dashboard: found, with their histories, sent again, and taken as a file."""

import asyncio
import csv
import io
import re
import time
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_scene import arrival, receipt
from dashboard_inbox_scene import InboxScene, changed, read_words
from dashboard_scene import NO_CALLS, PUBLIC_URL, Person
from heliograph.core.contacts import people
from heliograph.core.ingest.model import MessageRefused
from heliograph.core.members.model import MemberRole
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.lists import service as listing
from heliograph.core.messages.lists.service import MessageListService
from heliograph.core.pages import Page
from heliograph.faces.dashboard.app import create_dashboard
from heliograph.faces.dashboard.messages import export as message_export
from heliograph.faces.dashboard.messages import message_pages as area
from heliograph.faces.dashboard.rendering.moments import list_steps
from heliograph.faces.dashboard.rendering.renderer import timed
from heliograph.networks.content import Image, Text
from inbox_scene import jid_of
from media_scene import PNG

ANA = "+15550100001"
REASON = "No <b>such</b> number."


async def fail(
    inbox: InboxScene, text: str, *, to: int = 7, reason: str = REASON, certain: bool = True
) -> UUID:
    """A message that the network has refused, or not answered; its id."""
    request = SendMessage(SendTo(f"+1555010{to:04}"), Text(text), "run_x", inbox.account.id)
    await inbox.dashboard.gateway.messages.send(inbox.principal, request, None)
    [message] = await inbox.claim()
    await inbox.report(MessageRefused(message.id, reason, certain=certain))
    return message.id


async def texts_on(inbox: InboxScene, person: Person, query: str = "") -> list[str]:
    answer = await person.get(inbox.path("messages") + query)
    assert answer.status_code == 200
    return said_in(answer.text)


def said_in(page: str) -> list[str]:
    """What the messages of the list say, from the top."""
    return re.findall(r'<td class="said"><a href="[^"]+">([^<]*)</a>', page)


def older_in(page: str) -> str | None:
    found = re.search(r'href="([^"]+)" rel="next"', page)
    return found and found[1].replace("&amp;", "&")


# --- the list ----------------------------------------------------------------------------------


async def test_a_message_shows_how_it_is_whom_it_is_for_and_why_it_failed(
    inbox: InboxScene,
) -> None:
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    await inbox.arrive(1, "Is it <i>ready</i>?", name="Ana", sender_phone_number=ANA)
    failed = await fail(inbox, "Soon")
    page = (await viewer.get(inbox.path("messages"))).text
    assert said_in(page) == ["Soon", "Is it &lt;i&gt;ready&lt;/i&gt;?"]
    assert re.findall(r'<span class="badge (\S+ \S+)"><svg.+?</svg> (\w+)</span>', page) == [
        ("in-state of-failed", "failed"),
        ("in-state of-received", "received"),
    ]
    assert f'<a href="{inbox.path(f"messages/{failed}")}">Soon</a>' in page
    assert '<td class="whom">+15550100007</td>' in page, "no conversation has begun"
    assert re.search(r'">Ana</a><br><span class="quiet">\+15550100001</span></td>', page)
    assert "No &lt;b&gt;such&lt;/b&gt; number." in page
    assert page.count("Front desk</td>") == 2
    assert 'data-time="relative"' in page
    assert re.search(r'aria-current="page"><svg.+</svg> Messages</a>', page)


async def test_each_filter_finds_what_it_says(inbox: InboxScene, ada: Person, today: date) -> None:
    ana = await inbox.arrive(1, "Is it ready?", name="Ana", sender_phone_number=ANA)
    await inbox.send(ana, Text("Nearly ready"))
    await fail(inbox, "Bring a coat")
    other = await inbox.dashboard.device(inbox.acme, "Back office")
    await inbox.dashboard.send(other, Text("From elsewhere"))
    await read_words(inbox)
    day = timedelta(days=1)
    everything = ["From elsewhere", "Bring a coat", "Nearly ready", "Is it ready?"]
    of_ana = ["From elsewhere", "Nearly ready", "Is it ready?"]  # the device writes to her number
    wanted = {
        "": everything,
        "?status=failed": ["Bring a coat"],
        "?status=delivered": ["Nearly ready"],
        "?status=canceled": [],
        "?direction=inbound": ["Is it ready?"],
        "?direction=outbound&status=queued": ["From elsewhere"],
        f"?device={other.id}": ["From elsewhere"],
        f"?device={inbox.account.id}&direction=outbound": ["Bring a coat", "Nearly ready"],
        "?q=READY": ["Nearly ready", "Is it ready?"],
        "?q=is+ready": ["Is it ready?"],
        "?reason=SUCH": ["Bring a coat"],
        "?reason=nothing+like+it": [],
        "?person=ANA": of_ana,
        "?person=555+010-0001&direction=inbound": ["Is it ready?"],
        f"?person={ANA.replace('+', '%2B')}": of_ana,
        "?person=15550100001@sandbox": of_ana,
        "?person=%2B15550100007": ["Bring a coat"],
        "?person=ana&q=nearly": ["Nearly ready"],
        "?person=nobody": [],
        f"?since={today}&until={today}": everything,
        f"?since={today + day}": [],
        f"?until={today - day}": [],
        "?status=&direction=&device=&since=&until=&q=&reason=&person=": everything,
    }
    assert {query: await texts_on(inbox, ada, query) for query in wanted} == wanted


async def test_what_was_asked_for_stays_in_the_form_and_goes_into_the_file(
    inbox: InboxScene, ada: Person
) -> None:
    rest = f"direction=outbound&device={inbox.account.id}&since=2026-01-31"
    query = f'?q="<b>&person=%2B1 555&status=failed&{rest}'
    page = (await ada.get(inbox.path("messages") + query)).text
    assert 'value="&#34;&lt;b&gt;"' in page
    assert 'value="+1 555"' in page
    for value in ("failed", "outbound", inbox.account.id):
        assert f'<option value="{value}" selected>' in page
    assert 'name="since" value="2026-01-31"' in page
    assert "No message matches" in page
    for form in ("csv", "jsonl"):
        assert re.search(
            f'export\\?q=%22%3Cb%3E&amp;person=%2B1\\+555&amp;status=failed&amp;.+&amp;format={form}"',
            page,
        )


WRONG = {
    "device": ("?device=x", "There is no such device."),
    "status": ("?status=odd", "There is no such status."),
    "direction": ("?direction=up", "There is no such direction."),
    "no day": ("?since=yesterday", "Choose a day."),
    "far away": ("?until=9999-12-31", "Choose a day."),
    "words": ("?q=" + "x" * 201, "A search has at most 200 characters."),
    "person": ("?person=" + "x" * 101, "A search has at most 100 characters."),
    "reason": ("?reason=" + "x" * 201, "A search has at most 200 characters."),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_filter_that_is_none_is_explained(inbox: InboxScene, name: str) -> None:
    query, problem = WRONG[name]
    ada = await inbox.member("ada")
    await inbox.arrive(1)
    answer = await ada.get(inbox.path("messages") + query)
    assert answer.status_code == 422
    assert f"<p>{problem}</p>" in answer.text.partition('role="alert"')[2]
    assert said_in(answer.text) == []
    assert 'id="messages"' in answer.text
    export = await ada.get(inbox.path("messages/export") + query)
    assert export.status_code == 422
    assert problem in export.text


async def test_a_person_who_may_be_too_many_is_explained(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "MAX_PEOPLE", 1)
    for number in range(2):
        await inbox.arrive(number, name=f"Ana {number}")
    for path in ("messages?person=ana", "messages/export?person=ana"):
        answer = await ada.get(inbox.path(path))
        assert answer.status_code == 422
        assert "More than 1 people match: type more of the name or number." in answer.text
    assert len(await texts_on(inbox, ada, "?person=ana+1")) == 1


async def test_days_the_wrong_way_round_are_explained(inbox: InboxScene, ada: Person) -> None:
    for page in ("messages", "messages/export", "developers/deliveries"):
        answer = await ada.get(inbox.path(f"{page}?since=2026-11-29&until=2026-11-01"))
        assert answer.status_code == 422, page
        assert "The first day is after the last one." in answer.text


async def test_what_is_copied_from_a_phone_is_found(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, sender_phone_number=ANA)
    copied = quote(f"\u202a{ANA}\u202c")
    assert await texts_on(inbox, ada, f"?person={copied}") == ["Hello"]
    page = (await ada.get(inbox.path(f"inbox?q={copied}"))).text
    assert f'id="c-{ana}"' in page


async def test_pages_go_back_and_keep_the_filters(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    ada, seen = await inbox.member("ada"), []
    for number in range(5):
        await inbox.arrive(1, str(number))
    await fail(inbox, "Not this one")
    query: str | None = inbox.path("messages") + "?direction=inbound"
    while query:
        page = (await ada.get(query)).text
        seen.append(said_in(page))
        assert ('hx-trigger="sse:look' in page) == (len(seen) == 1), "only the newest change"
        query = older_in(page)
    assert seen == [["4", "3"], ["2", "1"], ["0"]]
    assert f'href="{inbox.path("messages")}?direction=inbound">' in page


async def test_a_page_without_any_leads_on(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MAX_SCANNED", 2)
    assert "No message yet" in (await ada.get(inbox.path("messages"))).text
    await fail(inbox, "Long ago")
    for _ in range(2):
        await inbox.arrive(1)
    first = (await ada.get(inbox.path("messages") + "?status=failed")).text
    assert said_in(first) == []
    assert "messages matches" in first
    older = older_in(first)
    assert older is not None
    second = (await ada.get(older)).text
    assert said_in(second) == ["Long ago"]
    assert older_in(second) is None
    nowhere = await ada.get(inbox.path("messages") + "?after=x")
    assert (nowhere.status_code, 'role="alert"' in nowhere.text) == (422, True)


# --- one message -------------------------------------------------------------------------------


async def test_a_message_tells_its_whole_way(inbox: InboxScene) -> None:
    owner = await inbox.member("olga", MemberRole.OWNER)
    gateway = inbox.dashboard.gateway
    created = await gateway.webhooks.create(inbox.principal, "https://example.com/hook")
    ana = await inbox.arrive(1, name="Ana")
    message = await inbox.send(ana, Text("On my <b>way</b>"))
    await inbox.report(receipt(message, "read"))
    page = (await owner.get(inbox.path(f"messages/{message.id}"))).text
    assert "<h1>To Ana</h1>" in page
    assert "On my &lt;b&gt;way&lt;/b&gt;" in page
    way = page.partition('<ol class="way">')[2].partition("</ol>")[0]
    steps = ["accepted", "queued", "sent", "delivered", "read"]
    assert re.findall(r"<li><span>([\w ]+)</span> <time", way) == steps
    assert 'data-time="precise"' in way
    assert "The message is read: the chat network confirmed it." in page
    assert f'href="{inbox.path(f"inbox/{ana}")}#m-{message.id}"' in page
    assert f'href="{inbox.path(f"devices/{inbox.account.id}")}">Front desk</a>' in page
    assert str(message.id) in page
    told = page.partition("Webhook deliveries")[2]
    [row] = await inbox.dashboard.rows(
        "SELECT id FROM delivery_queue WHERE webhook_id = $1 AND event_type = 'message.read'",
        created.webhook.id,
    )
    delivery = inbox.path(f"developers/deliveries/{row['id']}")
    assert f'<a href="{delivery}">' in told
    assert "https://example.com/hook" in told
    assert "Send again" not in page


async def test_a_message_that_came_in_has_a_way_of_its_own(inbox: InboxScene, ada: Person) -> None:
    ana = await inbox.arrive(1, name="Ana")
    page = (await ada.get(inbox.path(f"messages/{await inbox.message_in(ana)}"))).text
    assert "<h1>From Ana</h1>" in page
    way = page.partition('<ol class="way">')[2].partition("</ol>")[0]
    assert re.findall(r"<li><span>([\w ]+)</span>", way) == ["sent", "received"]


FAR_FROM_THEIR_CHANGES = """
UPDATE messages
SET created_at = created_at - interval '1 hour', updated_at = updated_at + interval '1 hour'
"""


async def test_a_message_that_was_edited_or_taken_back_says_so(inbox: InboxScene) -> None:
    ada = await inbox.member("ada", MemberRole.ADMIN)
    gateway, jid, later = inbox.dashboard.gateway, jid_of(1), timedelta(seconds=9)
    await gateway.webhooks.create(inbox.principal, "https://example.com/hook")
    for number, text in enumerate(("As it was", "At seven", "At eight")):
        await inbox.report(arrival(f"W{number}", jid, text=text))
    await inbox.report(changed(1, "edited", later, content=Text("At nine")))
    await inbox.report(changed(2, "edited", later), changed(2, "deleted", 2 * later))
    await inbox.dashboard.rows(FAR_FROM_THEIR_CHANGES)
    page = (await ada.get(inbox.path("messages"))).text
    notes = re.findall(r'</a><span class="badge quiet"><svg.+?</svg> ([\w ]+)</span></td>', page)
    assert notes == ["deleted", "edited"]
    assert "At nine" in said_in(page)
    rows = re.findall(r'<td class="said"><a href="([^"]+)">', page)
    ways, deliveries = [], []
    for row in rows[::-1]:
        shown = (await ada.get(row)).text
        way = shown.partition('<ol class="way">')[2].partition("</ol>")[0]
        ways.append(re.findall(r"<li><span>([\w ]+)</span> <time", way))
        deliveries.append(re.findall(r"message\.\w+", shown.partition("Webhook deliveries")[2]))
    assert ways == [
        ["sent", "received"],
        ["sent", "received", "edited"],
        ["sent", "received", "edited", "deleted"],
    ]
    assert "message.edited" in deliveries[1]
    assert "message.deleted" in deliveries[2]
    thread = (await ada.get(inbox.path(f"inbox/{await inbox.id_of(jid)}"))).text
    assert thread.count("<li><span>edited</span> <time") == 2
    assert thread.count("<li><span>deleted</span> <time") == 1


async def test_a_change_stands_among_the_steps_where_it_happened() -> None:
    at = datetime(2026, 1, 31, 12, tzinfo=UTC)
    times = dict.fromkeys(("scheduled_for", "failed_at", "deleted_at"))
    steps = list_steps(
        {
            "direction": "outbound",
            "status": "read",
            "created_at": at,
            "queued_at": at,
            "sent_at": at - timedelta(seconds=2),  # by a clock that is late
            "edited_at": at + timedelta(seconds=5),
            "delivered_at": at + timedelta(seconds=3),
            "read_at": at + timedelta(seconds=9),
            **times,
        }
    )
    names = ["accepted", "queued", "sent", "delivered", "edited", "read"]
    assert [step.name for step in steps] == names


async def test_a_message_that_failed_says_why(inbox: InboxScene) -> None:
    ada, message_id = await inbox.member("ada"), await fail(inbox, "Soon")
    page = (await ada.get(inbox.path(f"messages/{message_id}"))).text
    assert "The message failed and is not tried again: No &lt;b&gt;such&lt;/b&gt; number." in page
    assert "No deliveries are stored" in page


async def test_a_message_of_a_removed_device_is_shown(inbox: InboxScene) -> None:
    ada, message_id = await inbox.member("ada"), await fail(inbox, "Soon")
    account = inbox.account
    await inbox.dashboard.gateway.removals.remove(inbox.principal, account.id, account.name)
    for path in ("messages", f"messages/{message_id}"):
        page = await ada.get(inbox.path(path))
        assert page.status_code == 200
        assert "a removed device" in page.text


async def test_a_message_that_is_not_there_is_said_to_be_missing(inbox: InboxScene) -> None:
    ada = await inbox.member("ada")
    for rest in ("", "/again"):
        path = inbox.path(f"messages/{uuid4()}{rest}")
        answer = await (ada.post(path) if rest else ada.get(path))
        assert answer.status_code == 404


# --- sending again -----------------------------------------------------------------------------


async def test_a_form_that_is_sent_twice_sends_a_message_again_once(inbox: InboxScene) -> None:
    ada, message_id = await inbox.member("ada"), await fail(inbox, "Soon")
    path = inbox.path(f"messages/{message_id}")
    page = (await ada.get(path)).text
    assert f'action="{path}/again"' in page
    form_id = re.findall(r'name="form_id" value="(\w+)"', page)[0]
    answers = [await ada.post(f"{path}/again", form_id=form_id) for _ in range(2)]
    [new] = await inbox.claim()
    location = inbox.path(f"messages/{new.id}?done=again")
    assert [answer.headers["location"] for answer in answers] == [location] * 2
    assert "It is being sent again." in (await ada.get(location)).text
    assert (new.content, new.recipient) == (Text("Soon"), "15550100007@sandbox")
    [row] = await inbox.dashboard.rows("SELECT phone_number FROM messages WHERE id = $1", new.id)
    assert row["phone_number"] == "+15550100007"
    assert await texts_on(inbox, ada) == ["Soon", "Soon"]
    assert await texts_on(inbox, ada, "?status=failed") == ["Soon"]


@pytest.mark.parametrize("certain", [True, False])
async def test_who_sends_again_what_may_be_on_the_phone_is_warned(
    inbox: InboxScene, certain: bool
) -> None:
    ada, message_id = await inbox.member("ada"), await fail(inbox, "Soon", certain=certain)
    page = (await ada.get(inbox.path(f"messages/{message_id}"))).text
    assert "Send again" in page
    assert ("If you send it again, it may arrive twice." in page) is not certain
    assert ("Sent again, it may arrive twice." in page) is not certain
    assert ('aria-describedby="twice"' in page) is not certain
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    seen = (await viewer.get(inbox.path(f"messages/{message_id}"))).text
    assert "If you send it again" not in seen


async def test_a_file_goes_out_again_with_its_text(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    await ada.upload(
        inbox.path(f"inbox/{ana}/file"), ("dot.png", PNG, "image/png"), caption="A dot"
    )
    [message] = await inbox.claim()
    await inbox.report(MessageRefused(message.id, REASON))
    answer = await ada.post(inbox.path(f"messages/{message.id}/again"))
    assert answer.status_code == 303
    [new] = await inbox.claim()
    assert isinstance(new.content, Image)
    assert isinstance(message.content, Image)
    assert (new.content.caption, new.content.media_id) == ("A dot", message.content.media_id)


async def test_what_did_not_fail_is_not_offered_and_refused(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Hello")
    came, sent = await inbox.message_in(ana), (await inbox.send(ana, Text("Hi"))).id
    for message_id, status in ((came, "received"), (sent, "delivered")):
        path = inbox.path(f"messages/{message_id}")
        assert "/again" not in (await ada.get(path)).text
        answer = await ada.post(f"{path}/again")
        assert answer.status_code == 422
        alert = answer.text.partition('role="alert"')[2]
        assert f"and this is {status}. Nothing was sent." in alert
    assert await inbox.claim() == []


async def test_a_spent_plan_sends_nothing_again(inbox: InboxScene) -> None:
    ada, message_id = await inbox.member("ada"), await fail(inbox, "Soon")
    await inbox.limit_messages(0)
    answer = await ada.post(inbox.path(f"messages/{message_id}/again"))
    assert answer.status_code == 429
    assert "reached the limit of its plan" in answer.text
    assert await inbox.claim() == []


# --- as a file ---------------------------------------------------------------------------------


async def exported(inbox: InboxScene, person: Person, query: str = "") -> list[dict[str, str]]:
    """The rows of the file for a spreadsheet."""
    answer = await person.get(inbox.path("messages/export") + query)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="messages.csv"'
    assert answer.content[:3] == b"\xef\xbb\xbf", "what spreadsheets know UTF-8 by"
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


async def test_no_cell_of_a_spreadsheet_is_a_formula(inbox: InboxScene, ada: Person) -> None:
    said = {
        '=HYPERLINK("http://x","y")': '\'=HYPERLINK("http://x","y")',
        "+1+1": "'+1+1",
        "@SUM(1)": "'@SUM(1)",
        "+4930123": "+4930123",
        'Two\nlines, "quoted"': 'Two\nlines, "quoted"',
        "1=1": "1=1",
        "Hi;=1+1": "Hi;'=1+1",
        "＝1+1": "'＝1+1",
        "We need:\n- eggs": "We need:\n'- eggs",  # where semicolons end cells, lines may, too
        "Hi\r\n=1+1;x": "Hi\r\n'=1+1;x",
        'a;"=1+1;b': "a;\"'=1+1;b",
        'a;""@SUM(1)': 'a;""\'@SUM(1)',
        'a,"=1+1': "a,\"'=1+1",
        "a\u2028=1+1": "a\u2028'=1+1",
        '"=1+1': "\"'=1+1",
        "\tx": "'\tx",
        "Hi, @Ana": "Hi, @Ana",
        'She said "-5" - no, +5': 'She said "-5" - no, +5',
    }
    for text in said:
        name = "=cmd|' /C calc'!A0"
        await inbox.arrive(1, text, name=name, sender_phone_number=ANA)
    rows = await exported(inbox, ada)
    assert [row["content"] for row in rows] == list(said.values())[::-1]
    assert {row["contact_name"] for row in rows} == {"'=cmd|' /C calc'!A0"}
    assert {row["phone_number"] for row in rows} == {ANA}


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_NONE])
@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@given(st.lists(st.text(alphabet='=+-@a1;,\t\r\n "', max_size=12), min_size=1, max_size=3))
def test_no_separator_makes_a_formula_of_a_part_of_a_text(
    delimiter: str, quoting: Literal[1, 3], texts: list[str]
) -> None:
    records = [dict.fromkeys(message_export.COLUMNS, text) for text in texts]
    write = message_export.FORMATS["csv"][1]
    file = io.StringIO(write(records, False), newline="")
    for row in csv.reader(file, delimiter=delimiter, quoting=quoting):
        for cell in row:
            assert cell.lstrip('"')[:1] not in ("=", "-", "@"), (texts, row)  # a number may have +


async def test_a_file_has_all_that_fits_whatever_the_pages(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_export, "_PAGE", 2)
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    for number in range(5):
        await inbox.arrive(1, str(number))
    failed = await fail(inbox, "Soon")
    rows = await exported(inbox, viewer)
    assert [row["content"] for row in rows] == ["Soon", "4", "3", "2", "1", "0"]
    assert tuple(rows[0]) == message_export.COLUMNS
    assert (rows[0]["id"], rows[0]["failure_reason"]) == (str(failed), REASON)
    assert (rows[0]["sent_at"], rows[0]["retry_count"]) == ("", "0")
    await read_words(inbox)
    found = await exported(inbox, viewer, "?direction=inbound&q=3&format=csv")
    assert [row["content"] for row in found] == ["3"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
async def test_a_file_has_the_messages_of_the_person_alone(inbox: InboxScene, form: str) -> None:
    ada = await inbox.member("ada")
    await inbox.arrive(1, "Of Ana", name="Ana")
    await inbox.arrive(2, "Of Ben", name="Ben")
    in_group: dict[str, Any] = {"chat_jid": "12345@g.sandbox", "is_group": True}
    await inbox.arrive(1, "Of Ana to all", **in_group)
    await inbox.arrive(2, "Of Ben to all", **in_group)
    answer = await ada.get(inbox.path(f"messages/export?person=ana&format={form}"))
    said = re.findall(r"Of (\w+(?: to all)?)", answer.text)
    assert list(dict.fromkeys(said)) == ["Ana to all", "Ana"]


async def test_a_line_for_each_message_is_its_record(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_export, "_PAGE", 1)
    await inbox.arrive(1, "=1+1\nnext")
    await fail(inbox, "Soon")
    answer = await ada.get(inbox.path("messages/export") + "?format=jsonl")
    assert answer.headers["content-type"] == "application/jsonl"
    assert answer.headers["content-disposition"] == 'attachment; filename="messages.jsonl"'
    lines = [msgspec.json.decode(line) for line in answer.text.splitlines()]
    page = await inbox.dashboard.gateway.message_lists.list(inbox.principal)
    for line, record in zip(lines, page.records, strict=True):
        assert {**line, "media_url": None} == msgspec.to_builtins(record)
    assert [line["content"] for line in lines] == ["Soon", "=1+1\nnext"]
    other = await ada.get(inbox.path("messages/export") + "?format=xlsx")
    assert (other.status_code, "The format is csv or jsonl." in other.text) == (422, True)


async def test_a_file_that_a_stop_cuts_off_is_no_whole_one(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_export, "_PAGE", 1)
    await inbox.arrive(1, "One")
    await inbox.arrive(1, "Two")
    stopping = create_dashboard(inbox.dashboard.gateway, NO_CALLS, lambda: True)
    transport = httpx.ASGITransport(stopping)
    async with httpx.AsyncClient(
        transport=transport, base_url=PUBLIC_URL, cookies=ada.browser.cookies
    ) as browser:
        with pytest.raises(ConnectionAbortedError):
            await browser.get(inbox.path("messages/export"))
    assert message_export._running == {}


async def test_a_person_has_two_files_under_way_at_most(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = await inbox.member("ada"), await inbox.member("bob")
    await inbox.arrive(1)
    path, waiting, gate = inbox.path("messages/export"), 0, asyncio.Event()
    list_messages = MessageListService.list

    async def wait(*args: Any, **more: Any) -> Page:
        nonlocal waiting
        waiting += 1
        await gate.wait()
        return await list_messages(*args, **more)

    async def count() -> int:
        return waiting

    with monkeypatch.context() as patched:
        patched.setattr(MessageListService, "list", wait)
        first = [asyncio.create_task(ada.get(path)) for _ in range(2)]
        await inbox.dashboard.until(count, lambda count: count == 2)
        refused = await ada.get(path)
        other = asyncio.create_task(bob.get(path))
        await inbox.dashboard.until(count, lambda count: count == 3)
        gate.set()
        answers = await asyncio.gather(*first, other)
    assert refused.status_code == 429
    assert "Two of your exports are already running" in refused.text
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert len(await exported(inbox, ada)) == 1


async def reader_of_two_pages(inbox: InboxScene, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Somebody whose file has two messages, each read by itself."""
    monkeypatch.setattr(message_export, "_PAGE", 1)
    for _ in range(2):
        await inbox.arrive(1)
    return await inbox.member("ada")


@pytest.mark.parametrize("ended", ["browser_sessions", "members"])
async def test_a_file_ends_with_the_right_to_read_it(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch, ended: str
) -> None:
    ada = await reader_of_two_pages(inbox, monkeypatch)
    list_messages = MessageListService.list

    async def list_and_end(*args: Any, **more: Any) -> Page:
        page = await list_messages(*args, **more)
        await inbox.dashboard.rows(f"DELETE FROM {ended}")  # noqa: S608 - ours
        return page

    monkeypatch.setattr(MessageListService, "list", list_and_end)
    with pytest.raises(ConnectionAbortedError):
        await ada.get(inbox.path("messages/export"))
    assert message_export._running == {}


@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_file_that_is_left_is_under_way_no_longer(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch, is_begun: bool
) -> None:
    ada = await reader_of_two_pages(inbox, monkeypatch)
    list_messages = MessageListService.list

    async def stop(*args: Any, **more: Any) -> Page:
        if ("cursor" in more) == is_begun:
            reached.set()
            await asyncio.sleep(3600)
        return await list_messages(*args, **more)

    for _ in range(3):
        reached = asyncio.Event()
        with monkeypatch.context() as patched:
            patched.setattr(MessageListService, "list", stop)
            left = asyncio.create_task(ada.get(inbox.path("messages/export")))
            await reached.wait()
            left.cancel()
            await asyncio.gather(left, return_exceptions=True)
    assert len(await exported(inbox, ada)) == 2


async def test_a_file_rests_as_long_as_it_reads(
    inbox: InboxScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await reader_of_two_pages(inbox, monkeypatch)
    list_messages, seconds = MessageListService.list, 0.4

    async def list_slowly(*args: Any, **more: Any) -> Page:
        if "cursor" in more:
            await asyncio.sleep(seconds)
        return await list_messages(*args, **more)

    monkeypatch.setattr(MessageListService, "list", list_slowly)
    began = time.monotonic()
    assert len(await exported(inbox, ada)) == 2
    assert time.monotonic() - began >= 2 * seconds


async def test_a_file_that_is_refused_is_not_under_way(inbox: InboxScene) -> None:
    globex = await inbox.dashboard.organization("Globex")
    theirs = await inbox.dashboard.device(globex)
    ada = await inbox.member("ada")
    for _ in range(3):
        refused = await ada.get(inbox.path("messages/export") + f"?device={theirs.id}")
        assert refused.status_code == 403
    assert await exported(inbox, ada) == []


# --- times in sentences -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Nothing <b>", "Nothing &lt;b&gt;"),
        (
            "Held until 2026-11-29T09:51:26Z: wait.",
            'Held until <time datetime="2026-11-29T09:51:26+00:00" data-time="precise">'
            "2026-11-29 09:51:26 UTC</time>: wait.",
        ),
        ("2026-13-45T99:99:99Z", "2026-13-45T99:99:99Z"),
    ],
)
def test_a_time_in_a_sentence_is_one_of_the_page(sentence: str, shown: str) -> None:
    assert timed(sentence) == shown
