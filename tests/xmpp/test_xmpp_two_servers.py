"""What groups and people do, as two servers of different makes tell it: Prosody and ejabberd."""

import asyncio
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from slixmpp.exceptions import IqError

from heliograph.networks.content import System, Text
from heliograph.networks.errors import GroupNotFoundError, NetworkError, NotAllowedError
from heliograph.networks.port import AccountStatus, GroupSeen, Inbound
from heliograph.networks.testing import Connected
from heliograph.networks.xmpp import rooms
from heliograph.networks.xmpp.disco import DISCO_INFO
from heliograph.networks.xmpp.stream import Stream
from xmpp_friend import Friend
from xmpp_server import GROUPS, XmppServer
from xmpp_world import FROM_THE_BEGINNING, Xmpp, new_room, session_of, xmpp_world

pytest_plugins = ("xmpp_fixtures",)

MUC_USER = "{http://jabber.org/protocol/muc#user}"
INVITE = "{jabber:x:conference}x"


@pytest.fixture(params=["prosody", pytest.param("ejabberd", marks=pytest.mark.extra_fault)])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[Xmpp]:
    server: XmppServer = request.getfixturevalue(request.param)
    async with xmpp_world(server) as found:
        yield found


async def laptop_of(world: Xmpp, at: Connected) -> Friend:
    """Another program of the account, which gets copies of what the others do."""
    laptop = await world.laptop(at)
    await laptop.ask("set", ET.Element("{urn:xmpp:carbons:2}enable"))
    return laptop


async def choir(world: Xmpp, at: Connected) -> str:
    """A group that the person has made and the account has joined."""
    friend = await world.friend(world.person)
    room = new_room()
    await friend.make_room(room, "Choir")
    await session_of(at).join_group(f"xmpp:{room}?join")
    return room


async def in_the_choir(world: Xmpp) -> tuple[Connected, Friend, str]:
    """An account, the person, and the group in which they are together."""
    one = await world.connected()
    return one, await world.friend(world.person), await choir(world, one)


# --- connected ---


async def test_who_is_connected_is_there_for_others(world: Xmpp) -> None:
    await world.connected()
    friend, account = await world.friend(world.person), await world.account()
    world.server.add_contact(account.settings["jid"], friend.jid, "Friend")
    there: list[str] = []
    friend.client.add_event_handler("presence_available", lambda it: there.append(it["from"].bare))
    world.proxies[account.id].delay_there = 0.2

    await world.connected(account)

    await friend.synchronize()
    assert account.settings["jid"] in there


# --- new groups ---


async def test_everybody_who_is_named_belongs_to_a_new_group(world: Xmpp) -> None:
    one = await world.connected()
    own = one.account.settings["jid"]
    people = [world.server.add_person(f"4930777{n:05d}") for n in range(25)]
    friends = [await world.friend(person) for person in (world.person, world.other_person)]
    asked = [*(friend.jid for friend in friends), own, *people]

    made = await session_of(one).create_group("Chess club", asked)

    group = await session_of(one).get_group(made.remote_jid)
    roles = {person.remote_jid: person.role for person in group.participants}
    assert roles == {own: "owner", **{jid: "member" for jid in asked if jid != own}}
    for friend in friends:
        async with asyncio.timeout(60):
            assert await friend.invited.get() == (own, made.remote_jid)
        await friend.say_in(made.remote_jid, f"here is {friend.jid}")
        await one.events.next(Inbound, content=Text(f"here is {friend.jid}"))


async def test_a_new_group_with_somebody_impossible_is_closed_again(
    world: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    impossible = "a\ue000b@example.org"
    made: list[str] = []
    configured = rooms.configure

    async def noted(stream: Stream, room: str, wanted: Mapping[str, str]) -> frozenset[str]:
        made.append(room)
        return await configured(stream, room, wanted)

    monkeypatch.setattr(rooms, "configure", noted)
    with pytest.raises(NetworkError) as refused:
        await session_of(one).create_group("Chess club", [friend.jid, impossible])

    assert (refused.value.value, refused.value.permanent) == (impossible, True)
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    assert await session_of(one).find_group("Chess club", long_ago) is None
    await friend.synchronize()
    assert friend.invited.empty()
    assert one.events.all(Inbound) == []
    [room] = made
    with pytest.raises(IqError, match=r"item-not-found|<gone"):
        await friend.ask("get", ET.Element(f"{DISCO_INFO}query"), room)


# --- what changes on the network ---


async def test_a_group_that_its_owner_renames_is_told_with_its_new_name(world: Xmpp) -> None:
    one, friend, room = await in_the_choir(world)

    await friend.make_room(room, "Orchestra")

    seen = await one.events.next(GroupSeen, remote_jid=room)
    assert seen.subject == "Orchestra"
    await friend.say_in(room, "tune up")
    assert (await one.events.next(Inbound)).group_subject == "Orchestra"


async def test_what_the_account_itself_renames_is_not_told_as_somebody_elses_doing(
    world: Xmpp,
) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    made = await session_of(one).create_group("Chess club", [friend.jid])

    await session_of(one).change_group(made.remote_jid, subject="Go club")
    await friend.say_in(made.remote_jid, "go")

    assert (await one.events.next(Inbound)).group_subject == "Go club"
    assert one.events.all(GroupSeen) == []


async def test_a_name_that_the_group_refuses_is_not_taken_for_its_name(world: Xmpp) -> None:
    one, friend, room = await in_the_choir(world)
    with pytest.raises(NotAllowedError):
        await session_of(one).change_group(room, subject="Mine")
    await friend.say_in(room, "no")

    assert (await one.events.next(Inbound)).group_subject == "Choir"


async def test_a_group_renamed_while_the_connection_is_broken_is_told(world: Xmpp) -> None:
    one, friend, room = await in_the_choir(world)
    proxy = world.proxies[one.account.id]
    await world.cut(one)
    await one.events.status(AccountStatus.DISCONNECTED)
    await friend.make_room(room, "Orchestra")

    assert (await one.events.next(GroupSeen, remote_jid=room)).subject == "Orchestra"
    assert proxy.connections > 1


# --- put out ---


async def told_of(at: Connected, room: str) -> str:
    told = await at.events.next(Inbound, chat_jid=room)
    assert isinstance(told.content, System)
    assert (told.content.kind, told.is_group) == ("removed", True)
    return told.content.body


async def is_refused(at: Connected, room: str) -> None:
    with pytest.raises(GroupNotFoundError, match="not in this group") as refused:
        await at.send(room, "let me in")
    assert refused.value.permanent
    with pytest.raises(GroupNotFoundError):
        await session_of(at).get_group(room)


@pytest.mark.parametrize("was_written_to", [True, False])
async def test_who_is_banned_from_a_group_is_told_so(world: Xmpp, was_written_to: bool) -> None:
    one, friend, room = await in_the_choir(world)
    if was_written_to:
        await one.send(room, "la")

    await friend.affiliate(room, one.account.settings["jid"], "outcast")

    assert "banned" in await told_of(one, room)
    await is_refused(one, room)


async def test_who_is_no_member_of_a_group_any_more_is_told_so(world: Xmpp) -> None:
    one, friend, room = await in_the_choir(world)
    own = one.account.settings["jid"]
    await friend.affiliate(room, own, "member")
    await friend.make_room(room, "Choir", membersonly="1")

    await friend.affiliate(room, own, "none")

    assert "member" in await told_of(one, room)
    await is_refused(one, room)


async def test_who_is_in_a_group_that_is_closed_is_told_so(world: Xmpp) -> None:
    one, friend, room = await in_the_choir(world)

    await friend.destroy_room(room)

    assert "closed" in await told_of(one, room)
    await is_refused(one, room)


@pytest.mark.parametrize("how", ["outcast", "closed"])
async def test_who_was_put_out_while_away_is_told_once(world: Xmpp, how: str) -> None:
    one, friend, room = await in_the_choir(world)
    other = await choir(world, one)
    await one.session.close()
    if how == "closed":
        await friend.destroy_room(room)
    else:
        await friend.affiliate(room, one.account.settings["jid"], "outcast")

    later = await world.connected(one.account)
    await told_of(later, room)
    await later.session.close()

    await friend.say_in(other, "anything else?")
    last = await world.connected(one.account)
    await last.events.next(Inbound, content=Text("anything else?"))
    assert [event for event in last.events.all(Inbound) if event.chat_jid == room] == []


async def test_a_group_that_the_account_leaves_tells_nothing(world: Xmpp) -> None:
    one, _, room = await in_the_choir(world)
    await session_of(one).leave_group(room)
    await world.say(one, world.person, "are you gone?")

    await one.events.next(Inbound, content=Text("are you gone?"))
    assert [event for event in one.events.all(Inbound) if event.chat_jid == room] == []
    await is_refused(one, room)


# --- invitations ---


async def test_who_is_invited_by_a_person_reads_it_in_their_chat(world: Xmpp) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    invited = ET.Element(INVITE, {"jid": f"choir@{GROUPS}", "reason": "We need a bass."})

    friend.post(one.account.settings["jid"], "Come!", invited)

    heard = await one.events.next(Inbound)
    assert (heard.chat_jid, heard.is_group) == (friend.jid, False)
    assert heard.content == Text(
        f"Come!\nInvitation to a group: xmpp:choir@{GROUPS}?join\nWe need a bass."
    )


async def test_who_is_invited_through_the_group_reads_it_there(world: Xmpp) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    room = new_room()
    await friend.make_room(room, "Choir")
    message = friend.client.make_message(room)
    user = ET.SubElement(message.xml, f"{MUC_USER}x")
    invite = ET.SubElement(user, f"{MUC_USER}invite", {"to": one.account.settings["jid"]})
    ET.SubElement(invite, f"{MUC_USER}reason").text = "We need a bass."
    message.send()

    heard = await one.events.next(Inbound)
    assert (heard.chat_jid, heard.sender_jid, heard.is_group) == (room, room, True)
    inviter = friend.jid.partition("@")[0]
    for said in (f"by {inviter}", f"xmpp:{room}?join", "We need a bass."):
        assert said in heard.content.summary
    group = await session_of(one).join_group(f"xmpp:{room}?join")
    assert group.remote_jid == room


async def test_what_the_gateway_invites_to_is_not_heard_back(world: Xmpp) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    await session_of(one).create_group("Chess club", [friend.jid])
    await friend.say_in((await friend.invited.get())[1], "thanks")
    await one.events.next(Inbound)
    await one.session.close()

    later = await world.connected(replace(one.account, cursors=FROM_THE_BEGINNING))

    await world.say(later, world.person, "and now?")
    await later.events.next(Inbound, content=Text("and now?"))
    mine = [event.content for event in later.events.all(Inbound) if event.from_me]
    assert mine == []


# --- ids that count ---


async def say_counted(friend: Friend, to: str, text: str) -> None:
    friend.post(to, text, message_id="2")
    await friend.synchronize()


async def test_two_messages_with_one_short_id_are_two(world: Xmpp) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    own, laptop = one.account.settings["jid"], await laptop_of(world, one)
    await say_counted(friend, own, "first")
    await say_counted(friend, own, "second")
    await say_counted(friend, f"{own}/laptop", "third, to the other program")
    await say_counted(laptop, friend.jid, "first, by the other program")
    await say_counted(laptop, friend.jid, "second, by the other program")

    heard = [await one.events.next(Inbound) for _ in range(5)]
    assert len({(event.sender_jid, event.chat_message_id) for event in heard}) == 5


async def test_a_message_with_a_short_id_is_one_live_and_in_the_archive(world: Xmpp) -> None:
    one, friend = await world.connected(), await world.friend(world.person)
    own, laptop = one.account.settings["jid"], await laptop_of(world, one)
    await say_counted(friend, own, "to all")
    await say_counted(friend, f"{own}/laptop", "to the other program")
    await say_counted(laptop, friend.jid, "by the other program")
    live = [await one.events.next(Inbound) for _ in range(3)]
    await one.session.close()

    later = await world.connected(replace(one.account, cursors=FROM_THE_BEGINNING))

    read = [await later.events.next(Inbound) for _ in range(3)]
    assert {event.chat_message_id for event in read} == {event.chat_message_id for event in live}
    assert len({event.chat_message_id for event in live}) == 3
