"""Replies, corrections, retractions and reactions, in both directions."""

import asyncio
import secrets
import xml.etree.ElementTree as ET
from contextlib import suppress

import pytest

from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Changed, Inbound, OutgoingChange, Quoted
from heliograph.networks.testing import Connected
from heliograph.networks.xmpp.stanzas import CLIENT
from xmpp_friend import Friend
from xmpp_things import (
    IDS,
    REACTIONS,
    REPLACE,
    REPLY,
    RETRACT,
    everything,
    given_id,
    reactions,
    with_id,
)
from xmpp_world import Xmpp, counted_pages, outgoing, session_of

pytest_plugins = ("xmpp_fixtures",)


def change(kind: str, chat: str, of: str, **more: object) -> OutgoingChange:
    made = {"kind": kind, "change_id": secrets.token_hex(32), "chat_jid": chat}
    return OutgoingChange(**{**made, "chat_message_id": of, "sender_jid": None, **more})  # type: ignore[arg-type]


async def in_a_group(xmpp: Xmpp) -> tuple[Connected, str, Friend]:
    """An account, the group in which it is with the person, and the person."""
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    group = await session_of(one).create_group("Chess club", [friend.jid])
    await friend.enter(group.remote_jid)
    return one, group.remote_jid, friend


async def written(at: Connected, room: str, friend: Friend, text: str) -> tuple[str, str]:
    """Write into the group; our id of the message, and the one that the group has given it."""
    sent, _ = await at.send(room, text)
    await friend.synchronize()
    return sent.chat_message_id, given_id(friend.received[-1], room)


async def back_in(at: Connected, room: str) -> None:
    """Wait until the account has entered the group again."""
    async with asyncio.timeout(60):
        while True:
            with suppress(NetworkError):
                await session_of(at).get_group(room)
                return
            await asyncio.sleep(0.05)


async def the_last(friend: Friend, came: list[ET.Element]) -> ET.Element:
    await friend.synchronize()
    return came[-1]


# --- between two ---


async def test_a_message_names_the_one_that_it_answers(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    said = await xmpp.say(one, xmpp.person, "How much\nis it?")
    quoted = Quoted(said, friend.jid, Text("How much\nis it?"))
    await one.session.send(outgoing(one, friend.jid, "Two", reply_to=quoted))

    await friend.synchronize()
    answer = friend.received[-1]
    reply = answer.find(REPLY)
    assert reply is not None
    assert (reply.get("id"), reply.get("to")) == (said, friend.jid)
    assert answer.findtext(f"{CLIENT}body") == "> How much\n> is it?\nTwo"


async def test_what_a_person_changes_is_reported(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    jid = one.account.settings["jid"]
    sent, _ = await one.send(xmpp.person, "Nine?")
    said = await xmpp.say(one, xmpp.person, "Tne")
    edit = friend.post(jid, "Ten", with_id(REPLACE, said))
    friend.post(jid, "", reactions(sent.chat_message_id, "👎", "🎉"))
    friend.post(jid, "", reactions(sent.chat_message_id))
    friend.post(jid, "gone", with_id(RETRACT, said))

    edited = await one.events.next(Changed, kind="edited")
    assert (edited.chat_message_id, edited.message_sender_jid) == (said, friend.jid)
    assert (edited.content, edited.change_id) == (Text("Ten"), edit)
    reacted = await one.events.next(Changed, kind="reaction")
    assert (reacted.chat_message_id, reacted.message_sender_jid) == (sent.chat_message_id, jid)
    assert (reacted.emoji, reacted.sender_jid) == ("🎉", friend.jid)
    assert (await one.events.next(Changed, kind="reaction")).emoji == ""
    deleted = await one.events.next(Changed, kind="deleted")
    assert (deleted.chat_message_id, deleted.sender_jid) == (said, friend.jid)
    assert not any(each.from_own_account for each in (edited, reacted, deleted))
    assert [event.content for event in one.events.all(Inbound)] == [Text("Tne")]


async def test_what_the_owner_changes_from_another_program_is_reported(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    jid = one.account.settings["jid"]
    said = await xmpp.say(one, xmpp.person, "Nine?")
    laptop = await xmpp.laptop(one)
    mine = laptop.post(friend.jid, "Tne")
    laptop.post(friend.jid, "Ten", with_id(REPLACE, mine))
    laptop.post(friend.jid, "", reactions(said, "👍"))

    edited = await one.events.next(Changed, kind="edited")
    assert (edited.chat_message_id, edited.message_sender_jid) == (mine, jid)
    reacted = await one.events.next(Changed, kind="reaction")
    assert (reacted.chat_message_id, reacted.message_sender_jid) == (said, friend.jid)
    assert {each.sender_jid for each in (edited, reacted)} == {jid}
    assert edited.from_own_account
    assert reacted.from_own_account


async def test_nobody_changes_what_the_account_has_written(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    jid = one.account.settings["jid"]
    sent, _ = await one.send(xmpp.person, "I pay 10")
    friend.post(jid, "I pay 1000", with_id(REPLACE, sent.chat_message_id))
    friend.post(jid, "", with_id(RETRACT, sent.chat_message_id))
    await xmpp.say(one, xmpp.person, "so you said")

    await one.events.next(Inbound, content=Text("so you said"))
    assert one.events.all(Changed) == []


async def test_an_id_that_no_index_holds_is_stored_as_a_short_one(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    jid, long = one.account.settings["jid"], "x" * 5000
    friend.post(jid, "odd", message_id=long)
    friend.post(jid, "even", with_id(REPLACE, long))
    friend.post(jid, "and", with_id(REPLY, long))

    came = await one.events.next(Inbound)
    edited = await one.events.next(Changed)
    answer = await one.events.next(Inbound)
    assert len(came.chat_message_id) < 100
    assert edited.chat_message_id == came.chat_message_id == answer.reply_to_chat_message_id


# --- in groups ---


async def test_in_a_group_messages_go_by_the_ids_that_the_group_gives_them(xmpp: Xmpp) -> None:
    one, room, friend = await in_a_group(xmpp)
    await friend.say_in(room, "Saturday?")
    said = await one.events.next(Inbound)
    assert said.chat_message_id == given_id(friend.received[-1], room)
    came = await everything(friend)
    await session_of(one).change(
        change("reaction", room, said.chat_message_id, sender_jid=friend.jid, emoji="👍")
    )
    reacted = await the_last(friend, came)
    assert [each.get("id") for each in reacted.iter(f"{REACTIONS}reactions")] == [
        said.chat_message_id
    ]
    quoted = Quoted(said.chat_message_id, friend.jid, said.content)
    await one.session.send(outgoing(one, room, "Yes", reply_to=quoted))
    reply = (await the_last(friend, came)).find(REPLY)
    assert reply is not None
    assert reply.get("id") == said.chat_message_id
    assert reply.get("to") == f"{room}/{friend.jid.partition('@')[0]}"


@pytest.mark.parametrize("remembers", [True, False])
async def test_in_a_group_what_concerns_our_message_finds_it(xmpp: Xmpp, remembers: bool) -> None:
    one, room, friend = await in_a_group(xmpp)
    ours, given = await written(one, room, friend, "Saturday?")
    if not remembers:  # as another node, which has not seen it sent
        await one.session.close()
        one = await xmpp.connected(one.account)
        await back_in(one, room)
    friend.post(room, "", reactions(given, "🎉"), kind="groupchat")
    friend.post(room, "Sunday!", with_id(REPLY, given), kind="groupchat")

    reacted = await one.events.next(Changed)
    jid = one.account.settings["jid"]
    assert (reacted.chat_message_id, reacted.message_sender_jid) == (ours, jid)
    answer = await one.events.next(Inbound, content=Text("Sunday!"))
    assert answer.reply_to_chat_message_id == ours
    came = await everything(friend)
    await session_of(one).change(change("deleted", room, ours))
    retracted = await the_last(friend, came)
    assert [each.get("id") for each in retracted.iter(RETRACT)] == [given]


async def test_in_a_group_a_correction_finds_its_message(xmpp: Xmpp) -> None:
    one, room, friend = await in_a_group(xmpp)
    said = await friend.say_in(room, "Tne")
    friend.post(room, "Ten", with_id(REPLACE, said), kind="groupchat")

    heard = await one.events.next(Inbound)
    edited = await one.events.next(Changed)
    assert edited.chat_message_id == heard.chat_message_id
    assert (edited.content, edited.sender_jid) == (Text("Ten"), friend.jid)


async def test_in_a_group_nobody_changes_what_others_have_written(xmpp: Xmpp) -> None:
    one, room, friend = await in_a_group(xmpp)
    ours, given = await written(one, room, friend, "I pay 10")
    friend.post(room, "I pay 1000", with_id(REPLACE, ours), kind="groupchat")
    for id_ in (given, ours, "unknown"):
        friend.post(room, "", with_id(RETRACT, id_), kind="groupchat")
    await friend.say_in(room, "so you said")

    await one.events.next(Inbound, content=Text("so you said"))
    told = one.events.all(Changed)
    assert not [each for each in told if each.message_sender_jid != friend.jid]
    assert ours not in {each.chat_message_id for each in told}


async def test_what_is_whispered_in_a_group_names_none_of_its_messages(xmpp: Xmpp) -> None:
    one, room, friend = await in_a_group(xmpp)
    ours, given = await written(one, room, friend, "I pay 10")
    forged = ET.Element(f"{IDS}stanza-id", {"by": room, "id": given})
    friend.post(f"{room}/{one.account.name}", "psst", forged, kind="chat")
    friend.post(room, "", reactions(given, "🎉"), kind="groupchat")

    assert (await one.events.next(Changed)).chat_message_id == ours


async def test_a_group_is_not_searched_for_every_unknown_id(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, room, friend = await in_a_group(xmpp)
    pages = counted_pages(monkeypatch)
    for n in range(5):
        friend.post(room, f"line {n}", with_id(REPLACE, f"nothing-{n}"), kind="groupchat")
        friend.post(room, f"answer {n}", with_id(REPLY, f"nothing-{n}"), kind="groupchat")

    texts = [(await one.events.next(Inbound)).content for _ in range(5)]
    assert texts == [Text(f"answer {n}") for n in range(5)]
    assert pages == [room]
