"""What could not be understood when it arrived is one message, also when it comes again and can be;
and where somebody came from is kept with it."""

from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, Scene, arrival
from heliograph.core.accounts.devices import DeviceUpdate
from heliograph.core.ingest.storable import storable
from heliograph.core.messages.model import Message
from heliograph.networks.content import Image, Referral, System, Text, not_understood
from heliograph.networks.port import Changed, Inbound

UNREADABLE = not_understood("undecryptable")
AD = Referral("120200000000000001", "ad", "https://fb.me/1", "Spring offer", "Half price", "ARAk")


def unread(name: str) -> Inbound:
    return replace(arrival(name), content=UNREADABLE)


async def told(scene: Scene) -> list[tuple[str, dict[str, Any]]]:
    return list(zip(await scene.event_types(), await scene.told(), strict=True))


async def only_message(scene: Scene) -> Message:
    [row] = await scene.rows("SELECT id FROM messages")
    return await scene.message(row["id"])


async def preview_of(scene: Scene) -> tuple[int, str]:
    [row] = await scene.rows("SELECT unread_count, last_message_preview FROM conversations")
    return row["unread_count"], row["last_message_preview"]


async def test_what_is_not_understood_is_a_message_like_any_other(scene: Scene) -> None:
    await scene.report(unread("A1"))

    [(kind, data)] = await told(scene)
    assert (kind, data["message_type"]) == ("message.received", "system")
    assert data["typed_content"] == {
        "type": "system",
        "kind": "undecryptable",
        "body": UNREADABLE.body,
    }
    assert data["content"] == UNREADABLE.body
    assert await preview_of(scene) == (1, UNREADABLE.body)


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_comes_again_and_is_understood_completes_the_message(
    scene: Scene, *, at_once: bool
) -> None:
    picture = replace(
        arrival("A1"),
        content=Image("image/png", "the bridge"),
        media_url="/media/files/1",
        referral=AD,
        reply_to_chat_message_id="3EB0",
    )
    await scene.report_each(unread("A1"), picture, at_once=at_once)
    await scene.report(picture)

    message = await only_message(scene)
    assert message.content == picture.content
    assert (message.message_type, message.media_type) == ("image", "image/png")
    assert message.media_url
    assert message.reply_to_chat_message_id == "3EB0"
    assert message.referral is not None
    assert message.edited_at is None, "nobody has edited it"
    assert await preview_of(scene) == (1, "the bridge")
    assert [kind for kind, _ in await told(scene)][-1] in ("message.edited", "message.received")
    assert (await told(scene))[-1][1]["typed_content"]["caption"] == "the bridge"
    assert await scene.counted() == {("inbound", "received"): 1}


async def test_the_completion_is_told_as_an_edit_by_its_sender(scene: Scene) -> None:
    await scene.report(unread("A1"))
    await scene.report(arrival("A1"))

    (first, unknown), (second, complete) = await told(scene)
    assert (first, second) == ("message.received", "message.edited")
    assert unknown["id"] == complete["id"]
    assert (complete["changed_by"], complete["content"]) == (ADA, "Hello")


async def test_what_is_understood_stays_when_it_comes_again_and_is_not(scene: Scene) -> None:
    await scene.report(arrival("A1"))
    await scene.report(unread("A1"))

    assert (await only_message(scene)).content == Text("Hello")
    assert len(await told(scene)) == 1


async def test_what_is_not_understood_twice_is_told_once(scene: Scene) -> None:
    await scene.report(unread("A1"), unread("A1"))
    await scene.report(replace(arrival("A1"), content=System("unavailable", "Look.")))

    assert (await only_message(scene)).content == UNREADABLE
    assert len(await told(scene)) == 1


async def test_what_was_taken_back_is_not_completed(scene: Scene) -> None:
    await scene.report(unread("A1"), Changed("deleted", ADA, ADA, "C1", "A1", ADA, AT))
    await scene.report(arrival("A1"))

    assert (await only_message(scene)).message_type == "system"
    assert [kind for kind, _ in await told(scene)] == ["message.received", "message.deleted"]


async def test_an_account_that_keeps_no_contents_keeps_none_of_a_completion(scene: Scene) -> None:
    await scene.change_account(DeviceUpdate(message_logging_enabled=False))
    await scene.report(unread("A1"))
    await scene.report(replace(arrival("A1"), referral=AD))

    message = await only_message(scene)
    assert (message.content, message.message_type, message.referral) == (Text(""), "text", None)
    kind, data = (await told(scene))[-1]
    assert (kind, data["content"]) == ("message.edited", "Hello")
    assert data["referral"]["ctwa_clid"] == "ARAk"


async def test_an_account_that_keeps_no_contents_keeps_none_of_an_edit(scene: Scene) -> None:
    await scene.change_account(DeviceUpdate(message_logging_enabled=False))
    await scene.report(arrival("A1"))
    await scene.report(Changed("edited", ADA, ADA, "C1", "A1", ADA, AT, content=Text("Bye")))

    assert (await only_message(scene)).content == Text("")
    assert (await told(scene))[-1][1]["content"] == "Bye"


async def test_where_somebody_came_from_is_in_the_record_and_in_what_is_told(scene: Scene) -> None:
    await scene.report(replace(arrival("A1"), referral=AD), arrival("A2"))

    first, second = [data for _, data in await told(scene)]
    assert first["referral"] == {
        "source_id": "120200000000000001",
        "source_type": "ad",
        "source_url": "https://fb.me/1",
        "headline": "Spring offer",
        "body": "Half price",
        "ctwa_clid": "ARAk",
    }
    assert second["referral"] is None
    stored = await scene.message(UUID(first["id"]))
    assert stored.referral == AD


def test_what_an_advertisement_says_is_made_storable() -> None:
    odd = replace(arrival("A1"), referral=replace(AD, headline="Spring\x00 offer"))

    event = storable(odd)

    assert isinstance(event, Inbound)
    assert event.referral == replace(AD, headline="Spring\ufffd offer")
