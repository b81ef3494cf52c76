"""Group services that are odd, or mean harm: they trouble their own group and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Text
from heliograph.networks.errors import AlreadyInGroupError
from heliograph.networks.port import Account, Cursor, GroupSeen, Inbound
from heliograph.networks.testing import QUESTION, Connected, Recorder
from heliograph.networks.xmpp.archive import CLOCK_SKEW, ArchivePosition, parse_position
from heliograph.networks.xmpp.rooms import Room, Rooms
from heliograph.networks.xmpp.stanzas import write_time
from prosody_server import running_prosody
from xmpp_odd_groups import MAM, OddGroups, OddRoom, delay, kept_as
from xmpp_world import Xmpp, outgoing, session_of, xmpp_world

pytest_plugins = ("xmpp_fixtures",)


@pytest.fixture
async def groups(xmpp: Xmpp) -> AsyncIterator[OddGroups]:
    service = await OddGroups(xmpp.server).come()
    yield service
    await service.go()


async def account_in(xmpp: Xmpp, *rooms: OddRoom, since: ArchivePosition | None = None) -> Account:
    """An account that has been in these groups before."""
    position = (since or ArchivePosition(datetime.now(UTC))).written()
    return replace(await xmpp.account(), cursors={room.jid: position for room in rooms})


async def entered(
    xmpp: Xmpp, groups: OddGroups, room: OddRoom, since: ArchivePosition | None = None
) -> Connected:
    """An account that has come back into the group."""
    one = await xmpp.connected(await account_in(xmpp, room, since=since))
    await groups.asked(room, "join")
    return one


# --- one bad group ---


async def test_a_group_of_an_impossible_age_keeps_nobody_out(xmpp: Xmpp, groups: OddGroups) -> None:
    odd, good = groups.room(name="hg" + "f" * 12 + "a" * 10), groups.room()
    one = await xmpp.connected(await account_in(xmpp, odd, good))
    await groups.asked(good, "join")
    await groups.asked(odd, "join")
    groups.say(good, "ann", "all well?")

    await one.events.next(Inbound, content=Text("all well?"))
    assert xmpp.proxies[one.account.id].connections == 1


async def test_a_group_that_the_gateway_fails_at_keeps_nobody_out(
    xmpp: Xmpp, groups: OddGroups, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is that nobody has thought of."""
    odd, good = groups.room(), groups.room()
    asked = Rooms.info

    async def fail_at_one(self: Rooms, jid: str) -> Room:
        info = await asked(self, jid)
        if jid == odd.jid:
            raise ValueError("what nobody has thought of")
        return info

    monkeypatch.setattr(Rooms, "info", fail_at_one)
    one = await xmpp.connected(await account_in(xmpp, odd, good))
    await groups.asked(good, "join")
    groups.say(good, "ann", "all well?")
    await one.events.next(Inbound, content=Text("all well?"))

    await one.session.ping()
    await groups.asked(odd, "info", 2)
    assert xmpp.proxies[one.account.id].connections == 1
    assert odd.asked["join"] == 0


# --- who has spoken ---


async def test_a_message_is_known_again_by_its_own_id_too(xmpp: Xmpp, groups: OddGroups) -> None:
    """Some groups give each message another id."""
    room = groups.room()
    room.rewrites_ids = True
    one = await entered(xmpp, groups, room)
    async with asyncio.timeout(60):
        await one.send(room.jid, "Saturday?")
    groups.say(room, "ann", "Sunday!")

    heard = await one.events.next(Inbound)
    assert heard.content == Text("Sunday!")


async def test_what_our_nick_said_before_we_came_is_ours_by_its_id_alone(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room(MAM)
    ours = "a1" * 32
    room.archive = [
        ("1", "Front desk", "not me"),
        (ours, "Front desk", "me"),
        ("3", "ann", "nor I"),
    ]
    one = await xmpp.connected(await account_in(xmpp, room))
    await one.events.next(Inbound, content=Text("nor I"))

    said = {event.content.summary: event.from_me for event in one.events.all(Inbound)}
    assert said == {"not me": False, "me": True, "nor I": False}


# --- archives ---


async def test_an_archive_that_could_not_be_read_is_read_later(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room(MAM)
    room.archive = [("1", "ann", "old"), ("2", "ann", "missed")]
    room.refuses.add("archive")
    account = await account_in(xmpp, room, since=ArchivePosition(datetime.now(UTC), "1"))
    one = await xmpp.connected(account)
    await groups.asked(room, "archive")
    groups.say(room, "ann", "live", kept_as(room, "3"))
    room.archive.append(("3", "ann", "live"))
    await one.events.next(Inbound, content=Text("live"))
    assert xmpp.cursors(account.id).get(room.jid) is None  # it would pass what was missed

    room.refuses.clear()
    await one.session.ping()
    await one.events.next(Inbound, content=Text("missed"))
    await one.events.next(Inbound, content=Text("live"), chat_message_id="3")
    groups.say(room, "ann", "and on", kept_as(room, "4"))
    await one.events.next(Inbound, content=Text("and on"))

    await one.session.close()
    position = parse_position(xmpp.cursors(account.id)[room.jid])
    assert position is not None
    assert position.archive_id == "4"
    assert "old" not in [event.content.summary for event in one.events.all(Inbound)]


async def test_what_waited_for_an_archive_does_not_move_past_it(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room(MAM)
    room.archive = [("1", "ann", "old"), ("2", "ann", "missed")]
    room.refuses.add("archive")
    room.says_while_asked = ("3", "ann", "live")
    account = await account_in(xmpp, room, since=ArchivePosition(datetime.now(UTC), "1"))
    one = await xmpp.connected(account)

    await one.events.next(Inbound, content=Text("live"))
    await one.session.close()
    assert xmpp.cursors(account.id).get(room.jid) is None


async def test_an_archive_that_goes_round_in_circles_is_left(xmpp: Xmpp, groups: OddGroups) -> None:
    room = groups.room(MAM)
    room.archive = [("1", "ann", "again")]
    room.goes_round = True
    one = await xmpp.connected(await account_in(xmpp, room))
    await one.events.next(Inbound, content=Text("again"))
    groups.say(room, "ann", "live")
    await one.events.next(Inbound, content=Text("live"))


async def test_a_group_that_is_joined_and_not_read_is_the_accounts(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room(MAM)
    room.archive = [("1", "ann", "old")]
    room.refuses.add("archive")
    one = await xmpp.connected()

    group = await session_of(one).join_group(f"xmpp:{room.jid}?join")

    assert group.remote_jid in xmpp.cursors(one.account.id)
    groups.say(room, "ann", "welcome")
    await one.events.next(Inbound, content=Text("welcome"))


async def test_a_group_joined_twice_at_once_is_joined(xmpp: Xmpp, groups: OddGroups) -> None:
    room = groups.room()
    one = await xmpp.connected()
    link = f"xmpp:{room.jid}?join"

    twice = await asyncio.gather(
        session_of(one).join_group(link), session_of(one).join_group(link), return_exceptions=True
    )

    assert {type(result) for result in twice} == {GroupSeen, AlreadyInGroupError}
    assert room.asked["join"] == 1


async def test_nobody_in_a_group_can_say_when_a_message_was_sent(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    """The group passes on what they write, and who held it up in their words."""
    room = groups.room(MAM)
    one = await xmpp.connected(await account_in(xmpp, room))
    await groups.asked(room, "archive")
    began = datetime.now(UTC)
    groups.say(room, "ann", "believe me", delay(began - timedelta(days=400), room.jid))

    heard = await one.events.next(Inbound)
    assert began <= heard.sent_at <= datetime.now(UTC)
    assert (await position_of(one.events, room)).at == heard.sent_at


async def test_what_was_said_before_a_question_does_not_answer_it(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room(MAM)
    room.refuses.add("archive")
    one = await xmpp.connected(
        await account_in(xmpp, room, since=ArchivePosition(datetime.now(UTC), "1"))
    )
    await groups.asked(room, "archive")
    asked, _ = await one.send(room.jid, QUESTION)
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    room.archive = [("1", "ann", "old"), ("2", "ann", "yes", an_hour_ago)]
    room.refuses.clear()
    await one.session.ping()

    before = await one.events.next(Inbound, chat_message_id="2")
    assert (before.content, before.may_press) == (Text("yes"), True)
    groups.say(room, "ann", "yes")
    answer = await one.events.next(Inbound)
    assert answer.reply_to_chat_message_id == asked.chat_message_id


# --- groups that change ---


NEW_CONFIGURATION = (
    "<message type='groupchat' from='{}' to='{}'>"
    "<x xmlns='http://jabber.org/protocol/muc#user'><status code='104'/></x></message>"
)


async def test_a_group_that_does_not_say_what_has_changed_is_not_asked_again_and_again(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room()
    one = await entered(xmpp, groups, room)
    room.refuses.add("info")
    asked = room.asked["info"]

    for _ in range(5):
        groups.client.send_raw(NEW_CONFIGURATION.format(room.jid, room.visitor))
    groups.say(room, "ann", "all well?")

    heard = await one.events.next(Inbound, content=Text("all well?"))
    assert heard.group_subject == room.jid.partition("@")[0]
    assert room.asked["info"] == asked + 1
    assert one.events.all(GroupSeen) == []


async def test_nobody_in_a_group_can_say_that_it_has_changed(xmpp: Xmpp, groups: OddGroups) -> None:
    room = groups.room()
    one = await entered(xmpp, groups, room)
    asked = room.asked["info"]
    groups.client.send_raw(NEW_CONFIGURATION.format(f"{room.jid}/ann", room.visitor))
    groups.say(room, "ann", "all well?")

    await one.events.next(Inbound, content=Text("all well?"))
    assert room.asked["info"] == asked


async def test_who_is_cut_off_from_a_group_by_a_failure_comes_back(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room()
    one = await entered(xmpp, groups, room)
    groups.client.send_raw(
        f"<presence type='unavailable' from='{room.jid}/{room.nick}' to='{room.visitor}'>"
        "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='none'/>"
        "<status code='110'/><status code='307'/><status code='333'/></x></presence>"
    )
    groups.say(room, "ann", "all well?")
    await one.events.next(Inbound, content=Text("all well?"))

    await one.session.ping()

    await groups.asked(room, "join", 2)
    assert room.jid in xmpp.cursors(one.account.id)


# --- groups without archives ---


async def test_the_past_of_a_group_is_stored_before_the_place_behind_it(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    room = groups.room()
    room.says_subject = False
    an_hour_ago = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    since = ArchivePosition(an_hour_ago - timedelta(hours=1))
    one = await entered(xmpp, groups, room, since)
    groups.say(room, "ann", "missed", delay(an_hour_ago, room.jid))
    assert (await one.events.next(Inbound)).sent_at == an_hour_ago
    assert await position_of(one.events, room) == ArchivePosition(an_hour_ago)

    groups.end_history(room)
    assert (await position_of(one.events, room)).at > an_hour_ago + timedelta(minutes=50)


async def test_a_group_is_asked_for_more_than_our_clock_says(xmpp: Xmpp, groups: OddGroups) -> None:
    kept, forgetful = groups.room(MAM), groups.room()
    at = datetime(2026, 1, 1, 12, tzinfo=UTC)
    await xmpp.connected(await account_in(xmpp, kept, forgetful, since=ArchivePosition(at)))
    await groups.asked(kept, "archive")
    await groups.asked(forgetful, "join")

    assert kept.archive_since == [write_time(at - CLOCK_SKEW)]
    assert forgetful.history_since == [write_time(at - CLOCK_SKEW)]


async def position_of(events: Recorder, room: OddRoom) -> ArchivePosition:
    """The next one that is told."""
    position = parse_position((await events.next(Cursor, chat_jid=room.jid)).position)
    assert position is not None
    return position


async def test_what_one_accounts_server_says_of_a_domain_changes_nothing_for_another_account(
    xmpp: Xmpp, groups: OddGroups
) -> None:
    """Two tenants of one process, each with a server that has the same domain: to one it is a group
    service, to the other it is people's."""
    room = groups.room()
    one = await entered(xmpp, groups, room)
    with running_prosody() as server:
        async with xmpp_world(server) as theirs:
            theirs.network = xmpp.network
            other = await theirs.connected()
            person = theirs.stranger(1)
            await theirs.say(other, person, "hello")
            assert not xmpp.network.is_group(person)

            sent = await other.session.send(outgoing(other, person, "hello"))
            assert (sent.remote_jid, sent.is_group) == (person, False)
            assert (await one.session.send(outgoing(one, room.jid, "hello"))).is_group
