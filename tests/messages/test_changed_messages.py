"""Messages that are edited, taken back or reacted to, as sessions report it."""

from typing import Any

import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, Scene, arrival
from heliograph.networks.content import Image, Text, decode_content
from heliograph.networks.port import Changed


def change(kind: Any, of: str, change_id: str = "C1", **said: Any) -> Changed:
    """Ada's, of a message of hers unless it says whose."""
    said.setdefault("message_sender_jid", ADA)
    return Changed(
        kind=kind,
        chat_jid=ADA,
        sender_jid=ADA,
        change_id=change_id,
        chat_message_id=of,
        at=AT,
        **said,
    )


async def last_event(scene: Scene) -> tuple[str, dict[str, Any]]:
    """Its type and its data."""
    return (await scene.event_types())[-1], (await scene.told())[-1]


async def test_an_edited_message_says_the_new_text(scene: Scene) -> None:
    await scene.report(arrival("A1"))

    await scene.report(change("edited", "A1", content=Text("after noon")))

    kind, data = await last_event(scene)
    assert kind == "message.edited"
    assert (data["content"], data["changed_by"]) == ("after noon", ADA)
    [row] = await scene.rows("SELECT content FROM messages")
    assert decode_content(row["content"]) == Text("after noon")


async def test_an_edit_in_the_batch_of_its_message_is_kept_too(scene: Scene) -> None:
    await scene.report(arrival("A1"), change("edited", "A1", content=Text("after noon")))

    assert sorted(await scene.event_types()) == ["message.edited", "message.received"]
    [row] = await scene.rows("SELECT content FROM messages")
    assert decode_content(row["content"]) == Text("after noon")


async def test_a_deleted_message_is_told_and_stays(scene: Scene) -> None:
    await scene.report(arrival("A1"))

    await scene.report(change("deleted", "A1"))

    kind, data = await last_event(scene)
    assert kind == "message.deleted"
    assert "emoji" not in data
    assert await scene.count("messages") == 1
    assert await scene.counted() == {("inbound", "received"): 1}


async def preview(scene: Scene) -> str | None:
    [row] = await scene.rows("SELECT last_message_preview FROM conversations")
    shown: str | None = row["last_message_preview"]
    return shown


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_a_conversation_shows_its_last_message_as_it_is_now(
    scene: Scene, in_one_batch: bool
) -> None:
    edit = change("edited", "A1", content=Text("after noon"))
    await scene.report_each(arrival("A1"), edit, at_once=in_one_batch)
    assert await preview(scene) == "after noon"
    await scene.report(change("deleted", "A1", "C2"))
    assert await preview(scene) is None


async def test_a_conversation_shows_no_earlier_message_that_is_changed(scene: Scene) -> None:
    await scene.report(arrival("A1", text="first"))
    ours = await scene.send("Hello")
    await scene.report(change("edited", "A1", content=Text("second")))
    assert await preview(scene) == "Hello"
    await scene.report(arrival("A2", text="last"), change("deleted", "A1", "C2"))
    assert await preview(scene) == "last"
    assert (await scene.message(ours.id)).deleted_at is None


async def test_a_reaction_to_our_message_shows_which(scene: Scene) -> None:
    ours = await scene.send("Shall we?")

    await scene.report(
        change("reaction", ours.chat_message_id, emoji="👍", message_sender_jid="777@sandbox")
    )

    kind, data = await last_event(scene)
    assert (kind, data["id"]) == ("message.reaction", str(ours.id))
    assert (data["emoji"], data["run_id"]) == ("👍", "run_Shall we?")


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_a_change_finds_its_message_under_the_address_it_came_from(
    scene: Scene, in_one_batch: bool
) -> None:
    hidden = "77@lid"
    changed = change("deleted", "A1", earlier_jids={ADA: hidden})
    await scene.report_each(arrival("A1", hidden), changed, at_once=in_one_batch)
    assert sorted(await scene.event_types()) == ["message.deleted", "message.received"]


async def test_a_change_in_a_group_finds_the_message_of_a_hidden_sender(scene: Scene) -> None:
    group, hidden = "9@g.sandbox", "77@lid"
    await scene.report(arrival("A1", hidden, chat_jid=group, is_group=True))

    await scene.report(replace(change("edited", "A1", content=Text("after noon")), chat_jid=group))
    assert await scene.event_types() == ["message.received"]
    known = replace(change("edited", "A1", "C2", content=Text("after noon")), chat_jid=group)
    await scene.report(replace(known, earlier_jids={ADA: hidden}))

    assert await scene.event_types() == ["message.received", "message.edited"]


async def test_a_change_that_comes_twice_is_told_once(scene: Scene) -> None:
    await scene.report(arrival("A1"))
    for _ in range(2):
        await scene.report(change("reaction", "A1", emoji="👍"))
    await scene.report(change("reaction", "A1", "C2", emoji=""))

    assert (await scene.event_types()).count("message.reaction") == 2


async def test_a_change_of_nobodys_message_is_nothing(scene: Scene) -> None:
    await scene.report(arrival("A1"))

    await scene.report(
        change("deleted", "A1", message_sender_jid=BOB), change("deleted", "A9", "C2")
    )

    assert await scene.event_types() == ["message.received"]


async def test_an_edit_of_a_file_is_of_its_caption(scene: Scene) -> None:
    picture = Image("image/png", "Us", size=9)
    await scene.report(replace(arrival("A1"), content=picture))

    await scene.report(change("edited", "A1", content=Text("Both of us")))

    [row] = await scene.rows("SELECT content, message_type, media_type FROM messages")
    assert decode_content(row["content"]) == Image("image/png", "Both of us", size=9)
    assert (row["message_type"], row["media_type"]) == ("image", "image/png")
    assert (await last_event(scene))[1]["media_type"] == "image/png"
