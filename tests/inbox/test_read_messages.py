"""Messages that came in are `read` once somebody has read the conversation: here, or on the phone
of the account's owner."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, Scene, arrival
from heliograph.core.messages.history import explain
from heliograph.networks.content import Text
from heliograph.networks.port import Changed, ReadElsewhere
from inbox_scene import Desk

OWNER, GROUP = "15550109999@sandbox", "424242@g.sandbox"


@pytest.fixture
def scene(desk: Desk) -> Scene:
    return desk.scene


def said(text: str, seconds: int, **more: Any) -> Any:
    return arrival(text, text=text, sent_at=AT + timedelta(seconds=seconds), **more)


def answered(text: str, seconds: int, to: str = ADA) -> Any:
    """What the owner wrote on their phone."""
    return said(text, seconds, sender=OWNER, chat_jid=to, from_me=True)


def read(seconds: int, chat: str = ADA, *, upto: tuple[str, ...] = ()) -> ReadElsewhere:
    return ReadElsewhere(chat, AT + timedelta(seconds=seconds), upto)


async def unread(scene: Scene) -> dict[str, int]:
    rows = await scene.rows("SELECT remote_jid, unread_count FROM conversations")
    return {row["remote_jid"]: row["unread_count"] for row in rows}


async def read_at(scene: Scene) -> dict[str, Any]:
    """When each message that is read was."""
    rows = await scene.rows(
        "SELECT content ->> 'body' AS text, status, read_at FROM messages"
        " WHERE direction = 'inbound'"
    )
    assert all((row["status"] == "read") == (row["read_at"] is not None) for row in rows)
    return {row["text"]: row["read_at"] for row in rows if row["read_at"]}


async def check_counts(scene: Scene) -> None:
    assert await scene.counted() == await scene.recounted()
    assert await scene.counted_of_account() == await scene.recounted()


async def mark_by_api(desk: Desk, conversation_id: Any) -> None:
    await desk.conversations.mark_read(desk.owner, conversation_id)


async def mark_in_dashboard(desk: Desk, conversation_id: Any) -> None:
    await desk.inbox.mark_read(desk.owner, conversation_id)


@pytest.mark.parametrize("mark", [mark_by_api, mark_in_dashboard])
async def test_what_is_read_here_is_read_with_its_time(desk: Desk, mark: Any) -> None:
    scene = desk.scene
    await scene.report(said("one", 1), said("two", 2))
    await scene.report(arrival("B", BOB, text="of Bob"))
    [row] = await scene.rows("SELECT id FROM conversations WHERE remote_jid = $1", ADA)
    before = scene.database.clock.now()
    for _ in range(2):  # a repeat changes nothing
        await mark(desk, row["id"])
    times = await read_at(scene)
    assert times.keys() == {"one", "two"}
    assert all(before <= at <= scene.database.clock.now() for at in times.values())
    assert await unread(scene) == {ADA: 0, BOB: 1}
    assert (await scene.event_types()).count("conversation.updated") == 1
    await check_counts(scene)


async def test_what_the_owner_reads_on_the_phone_is_read(scene: Scene) -> None:
    await scene.report(said("one", 1), said("two", 2), said("later", 9))
    await scene.report(read(5))
    assert (await read_at(scene)).keys() == {"one", "two"}
    assert await unread(scene) == {ADA: 1}
    await scene.report(read(20))
    assert await unread(scene) == {ADA: 0}
    assert (await scene.event_types()).count("conversation.updated") == 2
    await check_counts(scene)


async def test_what_the_owner_answers_on_the_phone_is_read(scene: Scene) -> None:
    await scene.report(said("question", 1), arrival("B", BOB, text="of Bob"))
    await scene.report(answered("answer", 5))
    assert (await read_at(scene)).keys() == {"question"}
    assert await unread(scene) == {ADA: 0, BOB: 1}
    await check_counts(scene)


async def test_all_of_it_at_once_as_after_a_night_without_a_connection(scene: Scene) -> None:
    await scene.report(said("before", 1))
    await scene.report(
        said("one", 2),
        read(3),
        said("two", 4),
        answered("answer", 5),
        said("three", 6),
        arrival("B", BOB, text="of Bob"),
    )
    assert (await read_at(scene)).keys() == {"before", "one", "two"}
    assert await unread(scene) == {ADA: 1, BOB: 1}
    await check_counts(scene)


async def test_an_answer_that_is_told_late_reads_nothing_newer(scene: Scene) -> None:
    await scene.report(said("newer", 10))
    await scene.report(answered("older", 5))
    assert await read_at(scene) == {}
    assert await unread(scene) == {ADA: 1}


ONE_TO_FOUR = [said(text, second) for second, text in enumerate(("one", "two", "three", "four"))]
EDIT = Changed("edited", ADA, ADA, "E1", "one", ADA, AT, content=Text("one, again"))


@pytest.mark.parametrize("in_one_batch", [True, False])
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("two",), {"one", "two"}),
        (("three", "one"), {"one", "two", "three"}),
        (("never heard of", "two"), {"one", "two"}),
    ],
)
async def test_a_named_message_is_read_with_those_before_it(
    scene: Scene, names: tuple[str, ...], expected: set[str], in_one_batch: bool
) -> None:
    await scene.report_each(*ONE_TO_FOUR, read(9, upto=names), at_once=in_one_batch)
    assert (await read_at(scene)).keys() == expected
    assert await unread(scene) == {ADA: 4 - len(expected)}
    await check_counts(scene)


async def test_a_message_that_nobody_knows_is_read_like_none_until_that_time(scene: Scene) -> None:
    await scene.report(*ONE_TO_FOUR)
    await scene.report(read(2, upto=("never heard of",)))
    assert (await read_at(scene)).keys() == {"one", "two", "three"}
    await check_counts(scene)


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_of_several_devices_the_one_that_is_further_counts(
    scene: Scene, in_one_batch: bool
) -> None:
    """A device that was away tells late what it has shown early."""
    await scene.report(*ONE_TO_FOUR)
    told = [read(5, upto=("three",)), said("five", 6), read(9, upto=("one",))]
    await scene.report_each(*told, at_once=in_one_batch)
    assert (await read_at(scene)).keys() == {"one", "two", "three"}
    assert await unread(scene) == {ADA: 2}
    await check_counts(scene)


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_who_has_seen_an_edit_has_seen_what_came_before_it(
    scene: Scene, in_one_batch: bool
) -> None:
    told = [said("one", 1), said("two", 2), EDIT, said("three", 3), read(9, upto=("E1",))]
    await scene.report_each(*told, at_once=in_one_batch)
    assert (await read_at(scene)).keys() == {"one, again", "two"}
    assert await unread(scene) == {ADA: 1}
    await check_counts(scene)


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_a_message_in_a_group_is_found_whoever_wrote_it(
    scene: Scene, in_one_batch: bool
) -> None:
    group: dict[str, Any] = {"chat_jid": GROUP, "is_group": True}
    told = [
        arrival("one", ADA, text="one", **group),
        arrival("two", BOB, text="two", **group),
        arrival("three", ADA, text="three", **group),
    ]
    await scene.report_each(*told, at_once=in_one_batch)
    await scene.report(read(9, GROUP, upto=("two",)))
    assert (await read_at(scene)).keys() == {"one", "two"}
    assert await unread(scene) == {GROUP: 1}
    await check_counts(scene)


async def test_what_stays_unread_between_read_ones_is_read_later(desk: Desk) -> None:
    scene = desk.scene
    await scene.report(said("newer", 9), said("older", 3), said("newest", 10))
    await scene.report(read(5))
    assert await unread(scene) == {ADA: 2}
    [row] = await scene.rows("SELECT id FROM conversations")
    await mark_by_api(desk, row["id"])
    assert (await read_at(scene)).keys() == {"newer", "older", "newest"}
    await check_counts(scene)


async def test_reading_what_nobody_wrote_changes_nothing(scene: Scene) -> None:
    await scene.report(read(5, BOB))
    assert await unread(scene) == {}
    assert await scene.event_types() == []


async def test_our_own_message_that_comes_back_reads_nothing(scene: Scene) -> None:
    """A network tells other devices' messages, and this gateway's, too."""
    message = await scene.send("from here")
    await scene.report(said("one", 1))
    await scene.report(replace(answered("from here", 9), chat_message_id=message.chat_message_id))
    assert await unread(scene) == {ADA: 1}


async def test_a_history_says_that_what_came_in_was_read(scene: Scene) -> None:
    await scene.report(said("one", 1))
    await scene.report(read(5))
    [row] = await scene.rows("SELECT id FROM messages")
    history = await scene.history.get(scene.principal, row["id"])
    assert explain(history)[0] == "The message came in, and was read."
