"""Canned replies in the dashboard: written by who may answer, and offered in every answer."""

import html
import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest

from dashboard_inbox_scene import InboxScene, open_inbox
from heliograph.core.members.model import MemberRole

HERE = "inbox/canned"


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as scene:
        yield scene


async def kept(scene: InboxScene) -> dict[str, str]:
    found = await scene.dashboard.gateway.canned_replies.list(scene.principal)
    return {reply.shortcut: reply.body for reply in found}


async def write(scene: InboxScene, shortcut: str, body: str) -> UUID:
    replies = scene.dashboard.gateway.canned_replies
    return (await replies.create(scene.principal, shortcut, body)).id


def offered_in(page: str) -> dict[str, str]:
    """What an answer offers, the texts by their shortcuts."""
    found = re.findall(r'data-canned="([^"]*)"', page)
    return msgspec.json.decode(html.unescape(found[0]), type=dict[str, str])


async def test_a_reply_is_written_changed_and_deleted(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    page = (await ada.get(scene.path(HERE))).text
    assert "There are no canned replies yet" in page
    assert re.search(r'aria-current="page"><svg.+</svg> Canned replies</a>', page)
    answer = await ada.post(scene.path(f"{HERE}/create"), shortcut="/Hours", body="One\r\nTwo")
    assert answer.headers["location"] == scene.path(f"{HERE}?done=saved")
    assert await kept(scene) == {"hours": "One\nTwo"}
    [reply] = await scene.dashboard.gateway.canned_replies.list(scene.principal)
    path = scene.path(f"{HERE}/{reply.id}")
    page = (await ada.get(scene.path(HERE))).text
    assert "<code>/hours</code>" in page
    assert "\nOne\nTwo</textarea>" in page
    await ada.post(f"{path}/change", shortcut="open", body="From nine")
    assert await kept(scene) == {"open": "From nine"}
    deleted = await ada.post(f"{path}/delete")
    assert deleted.headers["location"] == scene.path(f"{HERE}?done=deleted")
    assert await kept(scene) == {}


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
    scene: InboxScene, shortcut: str, body: str, problem: str
) -> None:
    ada = await scene.member("ada")
    await write(scene, "hours", "From nine")
    other = await write(scene, "other", "Else")
    for path, dialog in (("create", "new"), (f"{other}/change", f"reply-{other}")):
        answer = await ada.post(scene.path(f"{HERE}/{path}"), shortcut=shortcut, body=body)
        assert answer.status_code == 422
        assert re.findall(r'<dialog id="([^"]+)"[^>]* open>', answer.text) == [dialog]
        again = answer.text.partition(f'<dialog id="{dialog}"')[2].partition("</dialog>")[0]
        assert problem in again
        assert f'value="{html.escape(shortcut).replace("&quot;", "&#34;")}"' in again
        assert f"{html.escape(body.strip())}</textarea>" in again
        assert "<b>" not in answer.text
    assert await kept(scene) == {"hours": "From nine", "other": "Else"}


async def test_every_answer_offers_them(scene: InboxScene) -> None:
    ada, ana = await scene.member("ada"), await scene.arrive(1, name="A<na>")
    assert offered_in((await ada.get(scene.path(f"inbox/{ana}"))).text) == {}
    texts = {"bye": "</script>\"'&", "hours": "Dear {name},\nwe open at 9."}
    for shortcut, body in texts.items():
        await write(scene, shortcut, body)
    for path in (f"inbox/{ana}", f"inbox/new?device={scene.account.id}&to=%2B15550100009"):
        page = (await ada.get(scene.path(path))).text
        assert offered_in(page) == texts
        assert "</script>\"'&" not in page
    assert 'data-name="A&lt;na&gt;"' in (await ada.get(scene.path(f"inbox/{ana}"))).text


async def test_a_viewer_reads_and_changes_none(scene: InboxScene) -> None:
    viewer, reply_id = (
        await scene.member("vera", MemberRole.VIEWER),
        await write(scene, "a", "Ahoy"),
    )
    page = (await viewer.get(scene.path(HERE))).text
    assert "Ahoy" in page
    assert re.findall(r'action="[^"]*/canned/[^"]*"', page) == []
    for path in ("create", f"{reply_id}/change", f"{reply_id}/delete"):
        answer = await viewer.post(scene.path(f"{HERE}/{path}"), shortcut="b", body="x")
        assert answer.status_code == 403
    assert await kept(scene) == {"a": "Ahoy"}


async def test_another_organizations_reply_is_not_there(scene: InboxScene) -> None:
    reply_id = await write(scene, "a", "Secret")
    globex = await scene.dashboard.organization("Globex")
    mallory = await scene.dashboard.member("mallory", globex, MemberRole.OWNER)
    here = f"/dashboard/{globex.id}/{HERE}"
    assert "Secret" not in (await mallory.get(here)).text
    for found in (reply_id, uuid4()):
        answer = await mallory.post(f"{here}/{found}/change", shortcut="b", body="x")
        assert (answer.status_code, "Secret" in answer.text) == (404, False)
        await mallory.post(f"{here}/{found}/delete")
    assert await kept(scene) == {"a": "Secret"}
