"""Groups: who is in them, letting people in and out, renaming, leaving. And typing, and markers."""

import pytest

from heliograph.networks.errors import GroupNotFoundError, NetworkError, ParticipantNotFoundError
from heliograph.networks.port import Cursor, GroupDetails, Inbound
from xmpp_things import MARKERS, everything, given_id
from xmpp_world import Xmpp, masked_room, new_room, session_of

pytest_plugins = ("xmpp_fixtures",)


def roles(group: GroupDetails) -> dict[str, str]:
    return {person.remote_jid: person.role for person in group.participants}


async def test_who_is_let_into_a_group_is_invited_and_named_by_number(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    jid, friend = one.account.settings["jid"], await xmpp.friend(xmpp.person)
    other = await xmpp.friend(xmpp.other_person)
    room = (await session_of(one).create_group("Chess club", [friend.jid])).remote_jid
    assert await session_of(one).add_participants(room, [other.jid]) == {}
    assert (await other.invited.get())[1] == room
    await other.say_in(room, "thanks")
    await one.events.next(Inbound)

    group = await session_of(one).get_group(room)
    assert group.owner_jid == jid
    numbers = {person.remote_jid: person.phone_number for person in group.participants}
    assert numbers[friend.jid] == f"+{xmpp.person}"


async def test_either_form_of_a_number_is_the_same_person(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    member, given = xmpp.address("5511977776601"), xmpp.address("551177776601")
    room = (await session_of(one).create_group("Chess club", [member])).remote_jid
    own = one.account.settings["jid"]
    assert await session_of(one).add_participants(room, [given]) == {}
    assert set(roles(await session_of(one).get_group(room))) == {own, member}

    await session_of(one).remove_participant(room, given)
    assert set(roles(await session_of(one).get_group(room))) == {own}
    with pytest.raises(ParticipantNotFoundError):
        await session_of(one).remove_participant(room, given)


async def test_who_belongs_to_a_group_keeps_their_role_when_added_again(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = new_room()
    await friend.make_room(room, "Choir")
    await friend.affiliate(room, one.account.settings["jid"], "admin")
    await session_of(one).join_group(f"xmpp:{room}?join")
    await friend.make_room(room, "Choir", membersonly="1")
    people = [friend.jid, xmpp.address(xmpp.nobody)]
    assert await session_of(one).add_participants(room, people) == {}

    group = await session_of(one).get_group(room)
    assert roles(group) == {
        friend.jid: "owner",
        one.account.settings["jid"]: "admin",
        xmpp.address(xmpp.nobody): "member",
    }


async def test_nobody_is_removed_from_a_group_that_hides_addresses(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = await masked_room(friend, one)
    group = await session_of(one).get_group(room)
    masked = f"{room}/{friend.jid.partition('@')[0]}"
    assert masked in roles(group)

    recipient = one.network.recipient(masked, one.account.settings)
    with pytest.raises(NetworkError, match="hides") as refused:
        await session_of(one).remove_participant(room, recipient)
    assert refused.value.permanent


async def test_a_group_that_was_left_stays_left(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    room = (await session_of(one).join_group(await xmpp.invite(one, "Choir"))).remote_jid
    await session_of(one).leave_group(room)
    assert one.events.all(Cursor)[-1] == Cursor(room, None)
    with pytest.raises(GroupNotFoundError):
        await session_of(one).get_group(room)
    await one.session.close()

    later = await xmpp.connected(one.account)
    await session_of(later).ping()
    with pytest.raises(GroupNotFoundError):
        await session_of(later).get_group(room)


# --- typing and markers ---


async def test_the_newest_message_is_marked_as_read(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    room = (await session_of(one).create_group("Chess club", [friend.jid])).remote_jid
    said = [await xmpp.say(one, xmpp.person, text) for text in ("one", "two")]
    await friend.say_in(room, "three")
    heard = [await one.events.next(Inbound) for _ in range(3)]
    in_group = next(each for each in heard if each.is_group)
    came = await everything(friend)

    await session_of(one).mark_read(friend.jid, [(id_, friend.jid) for id_ in said])
    await session_of(one).mark_read(room, [(in_group.chat_message_id, friend.jid)])
    await session_of(one).ping()
    await friend.synchronize()

    marked = [marker.get("id") for xml in came for marker in xml.iter(f"{MARKERS}displayed")]
    assert marked == [said[1], given_id(friend.received[-1], room)]
