"""Canned replies in the dashboard: written by who may answer, and offered in every answer."""

import html
import re
from uuid import UUID

import msgspec
import pytest

from dashboard_inbox_scene import InboxScene
from dashboard_scene import Person

HERE = "inbox/canned"


async def kept(inbox: InboxScene) -> dict[str, str]:
    found = await inbox.dashboard.gateway.canned_replies.list(inbox.principal)
    return {reply.shortcut: reply.body for reply in found}


async def write(inbox: InboxScene, shortcut: str, body: str) -> UUID:
    replies = inbox.dashboard.gateway.canned_replies
    return (await replies.create(inbox.principal, shortcut, body)).id


def offered_in(page: str) -> dict[str, str]:
    """What an answer offers, the texts by their shortcuts."""
    found = re.findall(r'data-canned="([^"]*)"', page)
    return msgspec.json.decode(html.unescape(found[0]), type=dict[str, str])


async def test_a_reply_is_written_changed_and_deleted(inbox: InboxScene, ada: Person) -> None:
    page = (await ada.get(inbox.path(HERE))).text
    assert "There are no canned replies yet" in page
    assert re.search(r'aria-current="page"><svg.+</svg> Canned replies</a>', page)
    answer = await ada.post(inbox.path(f"{HERE}/create"), shortcut="/Hours", body="One\r\nTwo")
    assert answer.headers["location"] == inbox.path(f"{HERE}?done=saved")
    assert await kept(inbox) == {"hours": "One\nTwo"}
    [reply] = await inbox.dashboard.gateway.canned_replies.list(inbox.principal)
    path = inbox.path(f"{HERE}/{reply.id}")
    page = (await ada.get(inbox.path(HERE))).text
    assert "<code>/hours</code>" in page
    assert "\nOne\nTwo</textarea>" in page
    await ada.post(f"{path}/change", shortcut="open", body="From nine")
    assert await kept(inbox) == {"open": "From nine"}
    deleted = await ada.post(f"{path}/delete")
    assert deleted.headers["location"] == inbox.path(f"{HERE}?done=deleted")
    assert await kept(inbox) == {}


@pytest.mark.parametrize(
    ("shortcut", "body", "problem"),
    [
        ("two words", "<b>x", "A shortcut has 1 to 30 letters, digits and hyphens"),
        ("", "x", "A shortcut has 1 to 30"),
        ("/HOURS", "x", "There is already a canned reply &#39;/hours&#39;."),
        ("bye", " ", "A canned reply has 1 to 4096 characters"),
        ('"><b>', "x", "A shortcut has 1 to 30"),
    ],
)
async def test_what_is_no_reply_is_shown_again_with_the_reason(
    inbox: InboxScene, ada: Person, shortcut: str, body: str, problem: str
) -> None:
    await write(inbox, "hours", "From nine")
    other = await write(inbox, "other", "Else")
    for path, dialog in (("create", "new"), (f"{other}/change", f"reply-{other}")):
        answer = await ada.post(inbox.path(f"{HERE}/{path}"), shortcut=shortcut, body=body)
        assert answer.status_code == 422
        assert re.findall(r'<dialog id="([^"]+)"[^>]* open>', answer.text) == [dialog]
        again = answer.text.partition(f'<dialog id="{dialog}"')[2].partition("</dialog>")[0]
        assert problem in again
        assert f'value="{html.escape(shortcut).replace("&quot;", "&#34;")}"' in again
        assert f"{html.escape(body.strip())}</textarea>" in again
        assert "<b>" not in answer.text
    assert await kept(inbox) == {"hours": "From nine", "other": "Else"}


async def test_every_answer_offers_them(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="A<na>")
    assert offered_in((await ada.get(inbox.path(f"inbox/{ana}"))).text) == {}
    texts = {"bye": "</script>\"'&", "hours": "Dear {name},\nwe open at 9."}
    for shortcut, body in texts.items():
        await write(inbox, shortcut, body)
    for path in (f"inbox/{ana}", f"inbox/new?device={inbox.account.id}&to=%2B15550100009"):
        page = (await ada.get(inbox.path(path))).text
        assert offered_in(page) == texts
        assert "</script>\"'&" not in page
    assert 'data-name="A&lt;na&gt;"' in (await ada.get(inbox.path(f"inbox/{ana}"))).text
