"""What drivers of networks with archives report: how far they have read, and texts that may be
pressed buttons."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import asyncpg
import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, Scene, arrival, message_id_of, sent_to
from core_scene import scene as scene
from heliograph.core.accounts import sql as accounts
from heliograph.core.ingest.model import MessageTaken, ReportedEvent
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.networks.content import Button, Buttons
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Cursor

ROOM = "4242@g.sandbox"


async def cursors(scene: Scene) -> dict[str, str]:
    found = await scene.database.read(
        accounts.find_for_session, scene.principal.tenant, scene.account.id
    )
    assert found is not None
    return found.cursors


async def ask(scene: Scene, *buttons: str, to: str = ADA, at: datetime = AT) -> str:
    """A question that the network has taken; its id on the network."""
    choices = tuple(Button(button, button.title()) for button in buttons)
    question = SendMessage(SendTo(to), Buttons("Well?", choices), f"run_{buttons}")
    message_id = message_id_of(await scene.messages.send(scene.principal, question, None))
    await scene.claim()
    await scene.report(MessageTaken(message_id, replace(sent_to(to), sent_at=at)))
    return (await scene.message(message_id)).chat_message_id


async def replied_to(scene: Scene, name: str) -> tuple[str, str | None]:
    row = (await scene.rows("SELECT * FROM messages WHERE chat_message_id = $1", name))[0]
    return row["message_type"], row["reply_to_chat_message_id"]


# --- cursors ---


async def test_the_next_session_begins_where_the_last_one_had_stored_it_was(scene: Scene) -> None:
    assert await cursors(scene) == {}
    await scene.report(arrival("A1"), Cursor("", "7"), Cursor(ROOM, "70"))
    await scene.report(Cursor("", "8"))
    assert await cursors(scene) == {"": "8", ROOM: "70"}


async def test_a_cursor_is_forgotten_when_the_driver_says_so(scene: Scene) -> None:
    await scene.report(Cursor("", "7"), Cursor(ROOM, "70"))
    await scene.report(Cursor(ROOM, None))
    assert await cursors(scene) == {"": "7"}


async def test_a_session_without_its_lease_moves_no_cursor(scene: Scene) -> None:
    await scene.report(Cursor("", "7"))
    old = scene.lease
    await scene.take_over()
    with pytest.raises(LeaseLostError):
        await scene.report(Cursor("", "8"), lease=old)
    assert await cursors(scene) == {"": "7"}


@pytest.mark.one_server("has a trigger, which no distributed table can have")
async def test_a_cursor_does_not_pass_what_could_not_be_written(scene: Scene) -> None:
    """A batch that fails is split until the one to blame stands alone, and the cursor elsewhere."""
    news: list[ReportedEvent] = [*(arrival(f"A{n}") for n in range(9)), Cursor("", "9")]
    async with refusing(scene, "A4"):
        with pytest.raises(asyncpg.RaiseError):
            await scene.report(*news)
        assert await cursors(scene) == {}
    await scene.report(*news)
    assert await cursors(scene) == {"": "9"}
    assert await scene.count("messages") == 9


async def test_a_cursor_passes_what_can_never_be_written(scene: Scene) -> None:
    await scene.report(arrival("A1"), arrival("a\x00b"), arrival("A2"), Cursor("", "9"))
    assert await cursors(scene) == {"": "9"}


@asynccontextmanager
async def refusing(scene: Scene, name: str) -> AsyncIterator[None]:
    """The database does not take the message of this id."""
    pool = scene.database.pool
    await pool.execute(
        "CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'not now'; END $$"
    )
    await pool.execute(
        "CREATE TRIGGER refuse_one BEFORE INSERT ON messages FOR EACH ROW "
        f"WHEN (NEW.chat_message_id = '{name}') EXECUTE FUNCTION refuse_one()"
    )
    try:
        yield
    finally:
        await pool.execute("DROP FUNCTION refuse_one() CASCADE")


async def test_cursors_go_with_their_account(scene: Scene) -> None:
    await scene.report(Cursor("", "7"))
    await scene.database.pool.execute("DELETE FROM accounts")
    assert await scene.count("account_cursors") == 0


# --- texts that may be presses ---


async def test_a_text_that_is_a_buttons_id_is_a_press_of_the_newest_question(scene: Scene) -> None:
    await ask(scene, "yes", "no")
    newest = await ask(scene, "yes", "no")
    await scene.report(arrival("A1", text="yes", may_press=True))
    assert await replied_to(scene, "A1") == ("button_reply", newest)


async def test_an_older_question_is_meant_when_the_newest_has_no_such_button(scene: Scene) -> None:
    older = await ask(scene, "red", "blue")
    await ask(scene, "yes", "no")
    await scene.report(arrival("A1", text=" RED ", may_press=True))
    assert await replied_to(scene, "A1") == ("button_reply", older)


async def test_a_number_is_a_choice_of_the_newest_question(scene: Scene) -> None:
    await ask(scene, "red", "blue")
    newest = await ask(scene, "yes", "no", at=AT + timedelta(seconds=1))
    later = AT + timedelta(seconds=2)
    for name, text in (("A1", "2."), ("A2", "“1”!")):
        await scene.report(replace(arrival(name, text=text, may_press=True), sent_at=later))
        assert await replied_to(scene, name) == ("button_reply", newest)
    rows = await scene.rows(
        "SELECT content ->> 'id' AS id FROM messages WHERE direction = 'inbound' ORDER BY seq"
    )
    assert [row["id"] for row in rows] == ["no", "yes"]


async def test_a_number_is_no_choice_once_something_else_was_said(scene: Scene) -> None:
    asked = await ask(scene, "yes", "no")
    await scene.send("How many will you be?")
    await scene.database.pool.execute(
        "UPDATE messages SET sent_at = $1 WHERE message_type = 'text'", AT + timedelta(seconds=5)
    )
    before, after = AT + timedelta(seconds=2), AT + timedelta(seconds=9)
    await scene.report(replace(arrival("A1", text="2", may_press=True), sent_at=after))
    await scene.report(replace(arrival("A2", text="2", may_press=True), sent_at=before))
    await scene.report(replace(arrival("A3", text="no", may_press=True), sent_at=after))
    named = arrival("A4", text="1", may_press=True, reply_to_chat_message_id=asked)
    await scene.report(replace(named, sent_at=after))
    assert await replied_to(scene, "A1") == ("text", None)
    for name in ("A2", "A3", "A4"):
        assert await replied_to(scene, name) == ("button_reply", asked)


async def test_any_other_text_stays_a_text(scene: Scene) -> None:
    await ask(scene, "yes", "no")
    await scene.report(
        arrival("A1", text="perhaps", may_press=True),
        arrival("A2", text="yes"),
        arrival("B1", BOB, text="yes", may_press=True),
    )
    for name in ("A1", "A2", "B1"):
        assert await replied_to(scene, name) == ("text", None)


async def test_a_text_that_names_the_question_it_answers_is_of_no_other(scene: Scene) -> None:
    older = await ask(scene, "yes", "no")
    await ask(scene, "yes", "no")
    named = arrival("A1", text="yes", may_press=True, reply_to_chat_message_id=older)
    await scene.report(named)
    unknown = arrival("A2", text="yes", may_press=True, reply_to_chat_message_id="elsewhere")
    await scene.report(unknown)
    assert await replied_to(scene, "A1") == ("button_reply", older)
    assert await replied_to(scene, "A2") == ("text", "elsewhere")


async def test_a_question_that_did_not_go_out_is_not_meant(scene: Scene) -> None:
    seen = await ask(scene, "yes", "no")
    unseen = await ask(scene, "yes", "no")
    await scene.database.pool.execute(
        "UPDATE messages SET status = 'failed' WHERE chat_message_id = $1", unseen
    )
    await scene.report(arrival("A1", text="yes", may_press=True))
    assert await replied_to(scene, "A1") == ("button_reply", seen)


async def test_what_was_said_before_a_question_does_not_answer_it(scene: Scene) -> None:
    """An archive is read, and a question has been asked since."""
    older = await ask(scene, "yes", "no")
    for _ in range(6):
        newer = await ask(scene, "yes", "no", at=AT + timedelta(hours=1))
    await ask(scene, "yes", "no", to=BOB, at=AT + timedelta(hours=1))
    await scene.report(
        arrival("A1", text="yes", may_press=True), arrival("B1", BOB, text="yes", may_press=True)
    )
    named = arrival("A2", text="yes", may_press=True, reply_to_chat_message_id=newer)
    await scene.report(named)
    assert await replied_to(scene, "A1") == ("button_reply", older)
    assert await replied_to(scene, "A2") == ("button_reply", newer)
    assert await replied_to(scene, "B1") == ("text", None)


async def test_an_answer_counts_whose_clock_is_a_little_behind(scene: Scene) -> None:
    asked = await ask(scene, "yes", "no", at=AT + timedelta(seconds=30))
    await scene.report(arrival("A1", text="yes", may_press=True))
    assert await replied_to(scene, "A1") == ("button_reply", asked)
