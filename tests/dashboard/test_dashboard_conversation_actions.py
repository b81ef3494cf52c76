"""What people do with a conversation besides answering it: notes, snoozing, marking it unread; and
with one of its messages: quoting, reacting, editing, taking back."""

import re
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from core_scene import arrival
from dashboard_inbox_scene import InboxScene, said_in
from dashboard_scene import Person
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.inbox import thread as area
from heliograph.faces.dashboard.inbox.conversation_actions import SNOOZES
from heliograph.faces.dashboard.inbox.thread import EMOJIS
from heliograph.networks.content import Text, decode_content
from heliograph.networks.port import Changed
from inbox_scene import jid_of


async def changes(inbox: InboxScene) -> list[tuple[object, ...]]:
    """The changes of messages that wait to be made."""
    rows = await inbox.dashboard.rows(
        "SELECT message_id, kind, emoji, content FROM message_changes ORDER BY id"
    )
    return [
        (row["message_id"], row["kind"], row["content"] and decode_content(row["content"]))
        if row["kind"] == "edited"
        else (row["message_id"], row["kind"], row["emoji"])
        for row in rows
    ]


async def send_now(inbox: InboxScene, conversation_id: UUID, text: str) -> UUID:
    """An answer that the network has taken at this moment; its id."""
    message = await inbox.send(conversation_id, Text(text))
    await inbox.dashboard.rows("UPDATE messages SET sent_at = now() WHERE id = $1", message.id)
    return message.id


# --- notes -------------------------------------------------------------------------------------


async def test_a_note_stands_among_the_messages_and_is_sent_to_nobody(inbox: InboxScene) -> None:
    ada, viewer = await inbox.member("ada"), await inbox.member("vera", MemberRole.VIEWER)
    ana = await inbox.arrive(1, "one")
    answer = await ada.post(inbox.path(f"inbox/{ana}/note"), note=" She is\r\n<b>kind</b> ")
    assert answer.headers["location"] == inbox.path(f"inbox/{ana}?sent=note#note")
    await inbox.arrive(1, "two")
    for reader in (ada, viewer):
        page = (await reader.get(inbox.path(f"inbox/{ana}"))).text
        assert said_in(page) == ["one", "She is\n&lt;b&gt;kind&lt;/b&gt;", "two"]
        note = page.partition('class="note"')[2].partition("</li>")[0]
        assert re.search(r'</svg> Ada <span class="quiet">to colleagues', note)
    assert await inbox.claim() == []
    assert not (await inbox.row(ana))["agent_paused"], "a note is no answer"


async def test_a_note_that_is_sent_twice_is_kept_once(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    for note in ("Kind", "Kind", "Kind, and patient"):
        await ada.post(inbox.path(f"inbox/{ana}/note"), note=note, form_id="f")
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    assert said_in(page) == ["Hello", "Kind", "Kind, and patient"]


@pytest.mark.parametrize("note", ["", " \n", "<b>" + "x" * 4096])
async def test_what_is_no_note_is_kept_and_explained(inbox: InboxScene, note: str) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    answer = await ada.post(inbox.path(f"inbox/{ana}/note"), note=note)
    assert answer.status_code == 422
    assert "A note has 1 to 4096 characters, not all of them blank." in answer.text
    assert note.strip().replace("<b>", "&lt;b&gt;") in answer.text
    assert '<input type="radio" name="mode" id="mode-note" class="unseen" checked>' in answer.text
    assert said_in(answer.text) == ["Hello"]


async def test_notes_stay_with_the_messages_of_their_time(
    inbox: InboxScene, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(area, "PAGE", 2)
    ana = await inbox.arrive(1, "0")
    for number in range(1, 5):
        if number in (1, 3, 4):
            await ada.post(inbox.path(f"inbox/{ana}/note"), note=f"before {number}")
        await inbox.arrive(1, str(number))
    await ada.post(inbox.path(f"inbox/{ana}/note"), note="last")
    seen, query = [], ""
    while True:
        page = (await ada.get(inbox.path(f"inbox/{ana}{query}"))).text
        seen.append(said_in(page))
        found = re.search(r'(\?before=\d+)">Earlier messages', page)
        if found is None:
            break
        query = found[1]
    assert seen == [
        ["3", "before 4", "4", "last"],
        ["1", "2", "before 3"],
        ["0", "before 1"],
    ]
    far = (await ada.get(inbox.path(f"inbox/{ana}?before={10**17}"))).text
    assert said_in(far) == seen[0]


# --- snoozed, and unread -----------------------------------------------------------------------


@pytest.mark.parametrize("hours", SNOOZES)
async def test_a_conversation_is_snoozed_for_as_long_as_was_chosen(
    inbox: InboxScene, hours: str
) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    path = inbox.path(f"inbox/{ana}")
    assert (
        f'<button name="hours" value="{hours}">{SNOOZES[hours]}</button>'
        in (await ada.get(path)).text
    )
    clock = inbox.dashboard.gateway.database.clock
    began = clock.now()
    answer = await ada.post(f"{path}/snooze", hours=hours)
    assert answer.headers["location"] == f"{path}?done=snoozed"
    row = await inbox.row(ana)
    assert row["status"] == "snoozed"
    until = row["snoozed_until"]
    if hours:
        assert isinstance(until, datetime)
        assert began <= until - timedelta(hours=int(hours)) <= clock.now()
    else:
        assert until is None
    assert "Ana</a>" not in (await ada.get(inbox.path("inbox"))).text
    page = (await ada.get(path)).text
    actions = page.partition('id="thread-actions"')[2]
    assert re.search(r"</svg> snoozed</span>", actions)
    assert ("until <time" in actions) == bool(hours)
    await ada.post(f"{path}/reopen")
    assert (await inbox.row(ana))["status"] == "open"


async def test_a_snooze_that_is_not_offered_is_refused(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    for hours in ("2", "-1", "x"):
        answer = await ada.post(inbox.path(f"inbox/{ana}/snooze"), hours=hours)
        assert answer.status_code == 422
        assert "Choose for how long." in answer.text
    assert (await inbox.row(ana))["status"] == "open"


async def test_what_is_marked_unread_stays_so_until_it_is_opened(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, name="Ana")
    path = inbox.path(f"inbox/{ana}")
    assert f'action="{path}/unread?q=an"' in (await ada.get(f"{path}?q=an")).text
    assert (await inbox.row(ana))["unread_count"] == 0
    answer = await ada.post(f"{path}/unread?q=an")
    assert answer.headers["location"] == inbox.path("inbox?q=an&done=unread")
    page = (await ada.get(answer.headers["location"])).text
    assert "Marked as unread." in page
    assert '<span class="count">1<span class="unseen"> unread</span>' in page
    assert (await inbox.row(ana))["unread_count"] == 1
    await ada.get(path)
    assert (await inbox.row(ana))["unread_count"] == 0


# --- one message -------------------------------------------------------------------------------


async def test_a_message_is_chosen_by_its_address(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Ready?")
    came, sent = await inbox.message_in(ana), await send_now(inbox, ana, "Nearly")
    path = inbox.path(f"inbox/{ana}")
    page = (await ada.get(path)).text
    for message_id in (came, sent):
        assert f'href="{path}?at={message_id}#text"' in page
    assert 'id="selected"' not in page
    chosen = (await ada.get(f"{path}?at={came}")).text
    assert f'<input type="hidden" name="reply_to" value="{came}">' in chosen
    for emoji in EMOJIS:
        assert f'aria-label="React with {emoji}"' in chosen
    assert 'id="edit"' not in chosen, "it is somebody else's"
    own = (await ada.get(f"{path}?at={sent}")).text
    assert '<dialog id="edit"' in own
    assert "\nNearly</textarea>" in own
    assert '<dialog id="delete"' in own
    assert 'id="selected"' not in (await ada.get(f"{path}?at={uuid4()}")).text
    viewer = await inbox.member("vera", MemberRole.VIEWER)
    page = (await viewer.get(f"{path}?at={sent}")).text
    assert 'id="selected"' not in page
    assert "?at=" not in page


async def test_an_answer_quotes_the_chosen_message(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Ready?")
    asked = await inbox.message_in(ana)
    path = inbox.path(f"inbox/{ana}")
    answer = await ada.post(f"{path}/answer", text="Nearly", reply_to=str(asked))
    assert answer.status_code == 303
    [message] = await inbox.claim()
    [row] = await inbox.dashboard.rows(
        "SELECT reply_to_message_id AS id FROM messages WHERE id = $1", message.id
    )
    assert row["id"] == asked
    page = (await ada.get(path)).text
    quote = page.partition(f'id="m-{message.id}"')[2].partition("</a>")[0]
    assert f'<a class="quote" href="#m-{asked}"><span class="unseen">Answers </span>Ready?' in quote


async def test_what_cannot_be_quoted_is_explained_and_the_answer_kept(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    ben = await inbox.arrive(2, "Secret")
    for wrong in ("x", str(uuid4()), str(await inbox.message_in(ben))):
        answer = await ada.post(inbox.path(f"inbox/{ana}/answer"), text="On my way", reply_to=wrong)
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
        assert "\nOn my way</textarea>" in answer.text
    assert await inbox.claim() == []


async def test_a_reaction_is_queued_and_taken_back(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    came = await inbox.message_in(ana)
    path = inbox.path(f"inbox/{ana}")
    for emoji in (EMOJIS[0], ""):
        answer = await ada.post(f"{path}/message/{came}/react", emoji=emoji)
        assert answer.headers["location"] == path
    older = await ada.post(f"{path}/message/{came}/react?before=7", emoji="")
    assert older.headers["location"] == f"{path}?before=7", "the page that it is on"
    assert await changes(inbox) == [
        (came, "reaction", EMOJIS[0]),
        (came, "reaction", ""),
        (came, "reaction", ""),
    ]


async def test_a_text_that_was_sent_is_edited(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    sent = await send_now(inbox, ana, "Nerly")
    path = inbox.path(f"inbox/{ana}")
    answer = await ada.post(f"{path}/message/{sent}/edit", new_text=" Nearly\r\nthere ")
    assert answer.headers["location"] == f"{path}?done=saved"
    assert await changes(inbox) == [(sent, "edited", Text("Nearly\nthere"))]


async def test_a_text_that_waits_is_another_at_once(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    await ada.post(inbox.path(f"inbox/{ana}/answer"), text="Nerly")
    waits = await inbox.message_in(ana)
    await ada.post(inbox.path(f"inbox/{ana}/message/{waits}/edit"), new_text="Nearly")
    assert said_in((await ada.get(inbox.path(f"inbox/{ana}"))).text) == ["Hello", "Nearly"]
    assert await changes(inbox) == []


async def test_what_was_sent_is_taken_back(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    sent = await send_now(inbox, ana, "Oops")
    path = inbox.path(f"inbox/{ana}")
    answer = await ada.post(f"{path}/message/{sent}/delete")
    assert answer.headers["location"] == f"{path}?done=deleting"
    assert [change[:2] for change in await changes(inbox)] == [(sent, "deleted")]


async def test_what_cannot_be_changed_is_explained(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1, "Ready?")
    came, sent = await inbox.message_in(ana), (await inbox.send(ana, Text("Long ago"))).id
    path = inbox.path(f"inbox/{ana}/message")
    wanted = {
        f"{came}/edit": (422, "only what was sent from here can be edited"),
        f"{came}/delete": (422, "only what was sent from here can be edited or taken back"),
        f"{sent}/edit": (409, "was sent too long ago"),
        f"{sent}/delete": (409, "was sent too long ago"),
        f"{uuid4()}/react": (404, ""),
    }
    for act, (status, problem) in wanted.items():
        answer = await ada.post(f"{path}/{act}", new_text="Else", emoji="👍")
        assert (answer.status_code, problem in answer.text) == (status, True), act
    for text in ("", "x" * 4097):
        answer = await ada.post(f"{path}/{sent}/edit", new_text=text)
        assert answer.status_code == 422
    assert await changes(inbox) == []


async def test_dialogs_of_a_refused_form_open_on_the_page_that_it_is_on(inbox: InboxScene) -> None:
    ada, ana = await inbox.member("ada"), await inbox.arrive(1)
    page = (await ada.post(inbox.path(f"inbox/{ana}/answer?status=any"), text="")).text
    assert f'href="{inbox.path(f"inbox/{ana}")}?status=any&amp;open=send-file#send-file"' in page


async def test_reactions_of_others_are_shown(inbox: InboxScene, ada: Person, ana: UUID) -> None:
    sent = await inbox.send(ana, Text("Nearly"))
    reaction = Changed(
        kind="reaction",
        chat_jid=jid_of(1),
        sender_jid=jid_of(1),
        change_id="R",
        chat_message_id=sent.chat_message_id,
        message_sender_jid="",
        at=arrival("x").sent_at,
        emoji="🎉",
    )
    await inbox.report(reaction)
    page = (await ada.get(inbox.path(f"inbox/{ana}"))).text
    bubble = page.partition(f'id="m-{sent.id}"')[2].partition("</li>")[0]
    assert 'aria-label="Reactions"><span>🎉</span>' in bubble
