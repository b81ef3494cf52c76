"""WhatsApp over the stand-in: groups that are looked at and changed."""

import pytest

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.errors import (
    GroupNotFoundError,
    NetworkError,
    NotAllowedError,
    NotConnectedError,
)
from heliograph.networks.port import GroupManagement, GroupSeen, Participant
from heliograph.networks.testing import Connected
from heliograph.networks.whatsapp.failures import group_failure_of
from heliograph.networks.whatsapp.session import WhatsAppSession
from whatsapp_events import ADA, BRUNO
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)

NO_ADMIN = "info query returned status 401: not-authorized"


@pytest.fixture
async def group(one: Connected) -> GroupSeen:
    assert isinstance(one.session, WhatsAppSession)
    return await one.session.create_group("Choir", [ADA])


def session_of(at: Connected) -> GroupManagement:
    assert isinstance(at.session, GroupManagement)
    return at.session


async def test_a_group_is_shown_with_its_people(
    whatsapp: WhatsApp, one: Connected, group: GroupSeen
) -> None:
    info = whatsapp.world.rooms[group.remote_jid].info
    info.GroupTopic.Topic = "We sing"
    info.Participants[0].IsSuperAdmin = True
    info.Participants[1].IsAdmin = True

    details = await session_of(one).get_group(group.remote_jid)

    own = one.account.remote_jid or ""
    assert (details.subject, details.description) == ("Choir", "We sing")
    assert details.owner_jid == own
    assert details.participants == (
        Participant(own, "owner", f"+{own.partition('@')[0]}"),
        Participant(ADA, "admin", "+4915112340002"),
    )


async def test_people_are_added_or_it_is_said_why_not(
    whatsapp: WhatsApp, one: Connected, group: GroupSeen
) -> None:
    private = "4915112340004@s.whatsapp.net"
    left = "4915112340005@s.whatsapp.net"
    whatsapp.world.unwilling |= {private: 403, left: 408}

    refused = await session_of(one).add_participants(group.remote_jid, [BRUNO, ADA, private, left])

    assert BRUNO in whatsapp.world.rooms[group.remote_jid].members
    assert {jid: reason[-5:] for jid, reason in refused.items()} == {
        ADA: "409).",
        private: "403).",
        left: "408).",
    }


async def test_either_form_of_a_number_is_the_same_person(
    whatsapp: WhatsApp, one: Connected
) -> None:
    old, new = "5511987654321@s.whatsapp.net", "551187654321@s.whatsapp.net"
    whatsapp.world.moved[old] = new
    assert isinstance(one.session, WhatsAppSession)
    group = await one.session.create_group("Choir", [old, new])
    own, members = one.account.remote_jid, whatsapp.world.rooms[group.remote_jid].members

    assert members == {own, new}
    refused = await session_of(one).add_participants(group.remote_jid, [old])
    assert (members, "in the group already" in refused[old]) == ({own, new}, True)
    await session_of(one).remove_participant(group.remote_jid, old)
    assert members == {own}


async def test_a_group_can_be_left_without_a_description(
    whatsapp: WhatsApp, one: Connected, group: GroupSeen
) -> None:
    topic = whatsapp.world.rooms[group.remote_jid].info.GroupTopic
    topic.Topic = "We sing"

    await session_of(one).change_group(group.remote_jid, description="")

    assert topic.Topic == ""


async def test_what_is_the_admins_alone_says_so(
    whatsapp: WhatsApp, one: Connected, group: GroupSeen
) -> None:
    session = session_of(one)
    for refusal in (NO_ADMIN, "info query returned status 403: forbidden"):
        whatsapp.world.admin_error = refusal
        with pytest.raises(NotAllowedError):
            await session.change_group(group.remote_jid, subject="Band")
        with pytest.raises(NotAllowedError):
            await session.add_participants(group.remote_jid, [BRUNO])
        with pytest.raises(NotAllowedError):
            await session.get_invite_link(group.remote_jid)


async def test_a_group_that_the_account_is_not_in_can_not_be_changed_or_left(
    whatsapp: WhatsApp, one: Connected
) -> None:
    room = whatsapp.world.make_room("Strangers", ADA)
    strange = f"{room.info.JID.User}@g.us"

    for jid in (strange, made.GROUP):
        with pytest.raises(GroupNotFoundError):
            await session_of(one).change_group(jid, subject="Band")
        with pytest.raises(GroupNotFoundError):
            await session_of(one).remove_participant(jid, ADA)
        with pytest.raises(GroupNotFoundError):
            await session_of(one).leave_group(jid)


@for_each(
    ("said", "error"),
    [
        ("you're not participating in that group: info query returned 403", GroupNotFoundError),
        ("that group does not exist", GroupNotFoundError),
        ("info query returned status 404: item-not-found", GroupNotFoundError),
        ("you don't have the permission to get the group's invite link", NotAllowedError),
        (NO_ADMIN, NotAllowedError),
        ("websocket not connected", NotConnectedError),
    ],
)
def test_why_a_group_was_not_changed(said: str, error: type[NetworkError]) -> None:
    assert type(group_failure_of(said)) is error
