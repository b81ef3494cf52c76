"""Groups: entered again, caught up, and never heard twice."""

import asyncio

import pytest
from msgspec.structs import replace

from heliograph.networks.content import ButtonReply, Text
from heliograph.networks.errors import InviteRevokedError, NetworkError
from heliograph.networks.port import AccountStatus, Cursor, GroupSeen, Inbound
from heliograph.networks.testing import QUESTION, Connected
from prosody_server import ProsodyServer
from xmpp_world import FROM_THE_BEGINNING, Xmpp, masked_room, new_room, session_of, texts

pytest_plugins = ("xmpp_fixtures",)


async def in_a_group(xmpp: Xmpp) -> tuple[Connected, GroupSeen]:
    """An account, and the group of its own in which it is with the person."""
    one = await xmpp.connected()
    return one, await session_of(one).create_group("Chess club", [xmpp.address(xmpp.person)])


async def test_what_was_said_while_we_were_away_is_caught_up(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    await xmpp.say(one, xmpp.person, "one", group.remote_jid)
    await texts(one, 1)
    await one.session.close()
    await xmpp.say(one, xmpp.person, "two", group.remote_jid)
    await xmpp.say(one, xmpp.person, "three", group.remote_jid)

    later = await xmpp.connected(one.account)
    assert await texts(later, 2) == ["two", "three"]
    await xmpp.say(later, xmpp.person, "four", group.remote_jid)
    assert await texts(later, 1) == ["two", "three", "four"]
    senders = {event.sender_jid for event in later.events.all(Inbound)}
    assert senders == {xmpp.address(xmpp.person)}


async def test_after_a_new_connection_the_group_can_be_written_to(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    await one.session.close()
    later = await xmpp.connected(one.account)

    permanent = False
    async with asyncio.timeout(60):
        while True:
            try:
                await later.send(group.remote_jid, "here again")
                break
            except NetworkError as error:
                permanent |= error.permanent
                await asyncio.sleep(0.05)
    assert not permanent


async def test_a_button_pressed_in_a_group_names_its_message(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    sent, _ = await one.send(group.remote_jid, QUESTION)
    await xmpp.say(one, xmpp.person, "no", group.remote_jid)

    reply = await one.events.next(Inbound)
    assert reply.content == ButtonReply("no", "No, sorry")
    assert reply.reply_to_chat_message_id == sent.chat_message_id
    assert reply.is_group


async def test_an_occupant_can_not_speak_in_another_ones_name(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    friend = await xmpp.friend(xmpp.person)
    await friend.enter(group.remote_jid)
    friend.pretend_in(group.remote_jid, one.account.settings["jid"], "I resign")

    heard = await one.events.next(Inbound)
    assert (heard.sender_jid, heard.from_me) == (friend.jid, False)


async def test_in_a_group_that_hides_addresses_the_place_is_the_sender(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = await masked_room(friend, one)
    await friend.say_in(room, "who am I?")

    heard = await one.events.next(Inbound)
    assert heard.sender_jid == f"{room}/{friend.jid.partition('@')[0]}"
    assert heard.sender_phone_number is None


async def test_who_takes_our_nick_while_we_are_away_is_not_us(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = await masked_room(friend, one)
    await one.send(room, "it is me")
    await one.session.close()
    impostor = await xmpp.friend(xmpp.other_person)
    await impostor.enter(room, one.account.name)
    await impostor.say_in(room, "no, me")

    later = await xmpp.connected(one.account)

    theirs = await later.events.next(Inbound, content=Text("no, me"))
    assert (theirs.from_me, theirs.sender_jid) == (False, f"{room}/{one.account.name}")
    said = [(event.content.summary, event.from_me) for event in later.events.all(Inbound)]
    assert said.count(("it is me", True)) == 1
    assert ("it is me", False) not in said


async def test_what_is_whispered_in_a_group_is_not_the_groups(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    friend = await xmpp.friend(xmpp.person)
    await friend.whisper(group.remote_jid, one.account.name, "between us")
    await xmpp.say(one, xmpp.person, "for all", group.remote_jid)
    assert await texts(one, 1) == ["for all"]
    await one.session.close()

    for account in (one.account, replace(one.account, cursors=FROM_THE_BEGINNING)):
        later = await xmpp.connected(account)
        await xmpp.say(later, xmpp.person, "aloud")
        await later.events.next(Inbound, content=Text("aloud"))
        assert "between us" not in await texts(later, 0)
        await later.session.close()


async def test_a_link_may_hold_the_password(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = new_room()
    await friend.make_room(room, "Cave", passwordprotectedroom="1", roomsecret="open sesame")

    with pytest.raises(InviteRevokedError):
        await session_of(one).join_group(f"xmpp:{room}?join")
    group = await session_of(one).join_group(f"xmpp:{room}?join;password=open%20sesame")
    assert group.subject == "Cave"


async def test_a_group_that_shut_us_out_is_not_entered_again(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    link = await xmpp.invite(one, "Short")
    group = await session_of(one).join_group(link)
    await one.session.close()
    await xmpp.revoke(link)

    later = await xmpp.connected(one.account)
    await later.events.next(Cursor, chat_jid=group.remote_jid, position=None)
    assert group.remote_jid not in xmpp.cursors(one.account.id)


async def test_a_group_entered_by_another_program_is_ours_too(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    await one.session.close()
    xmpp.open.clear()  # as if no cursor had been stored: the server's own list is left

    later = await xmpp.connected(one.account)
    await later.events.next(Cursor, chat_jid=group.remote_jid)
    await xmpp.say(later, xmpp.person, "found you", group.remote_jid)
    await later.events.next(Inbound, content=Text("found you"))


async def test_what_the_owner_says_from_another_program_is_outbound(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    other = await xmpp.laptop(one)
    await other.say_in(group.remote_jid, "from my laptop")

    heard = await one.events.next(Inbound)
    assert (heard.from_me, heard.sender_jid) == (True, one.account.settings["jid"])


async def test_a_cut_connection_finds_its_groups_again(xmpp: Xmpp) -> None:
    one, group = await in_a_group(xmpp)
    await xmpp.cut(one)
    await one.events.status(AccountStatus.DISCONNECTED)
    await xmpp.say(one, xmpp.person, "still there?", group.remote_jid)

    assert await texts(one, 1) == ["still there?"]


async def test_a_group_that_lost_us_without_a_word_is_entered_again(
    xmpp: Xmpp, prosody: ProsodyServer
) -> None:
    one, group = await in_a_group(xmpp)
    await asyncio.to_thread(lose_occupants, prosody, group.remote_jid)
    await xmpp.say(one, xmpp.person, "nobody told me", group.remote_jid)
    await one.session.ping()

    assert await texts(one, 1) == ["nobody told me"]


def lose_occupants(prosody: ProsodyServer, room: str) -> None:
    """As a server does that dies and comes back: the room is there, and nobody is in it."""
    name, _, host = room.partition("@")
    prosody.shell(
        f'>local room = prosody.hosts["{host}"].modules.muc.get_room_from_jid("{name}@{host}"); '
        "for place, occupant in room:each_occupant() do "
        "room._occupants[place] = nil; for jid in occupant:each_session() do "
        "room._jid_nick[jid] = nil end end"
    )


async def test_a_group_that_refuses_every_nick_is_no_group_of_ours(
    xmpp: Xmpp, prosody: ProsodyServer
) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = new_room()
    await friend.make_room(room, "Closed")
    await asyncio.to_thread(refuse_nicks, prosody, room)
    with pytest.raises(NetworkError):
        await session_of(one).join_group(f"xmpp:{room}?join")

    with pytest.raises(NetworkError) as refused:
        await one.send(room, "is anybody there?")

    assert "at the moment" not in refused.value.reason


def refuse_nicks(prosody: ProsodyServer, room: str) -> None:
    """The room says that the first nick is taken, and lets nobody in with another."""
    prosody.shell(
        f'>local tries = 0; prosody.hosts["{room.partition("@")[2]}"].events.add_handler('
        "'muc-occupant-pre-join', function(event) "
        f'if event.room.jid ~= "{room}" then return end; tries = tries + 1; '
        "event.origin.send(require('util.stanza').error_reply(event.stanza, 'cancel', "
        "tries == 1 and 'conflict' or 'forbidden')); return true end, 1000)"
    )
