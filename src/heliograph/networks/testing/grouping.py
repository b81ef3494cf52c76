"""Groups: made, joined, written in, managed."""

from datetime import timedelta

import pytest

from heliograph.networks import errors
from heliograph.networks.port import GroupManagement, Groups, Inbound
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import Suite, address_of, require


class Grouping(Suite):
    async def test_a_group_is_created_with_its_members(
        self, harness: Harness, one: Connected
    ) -> None:
        session = groups_of(one)
        people = [address_of(one, harness.person), address_of(one, harness.other_person)]

        group = await session.create_group("Picnic on Sunday", people)

        assert group.subject == "Picnic on Sunday"
        assert group.created_at is not None
        assert {*people, group.owner_jid} <= set(group.participants)
        found = await session.find_group("Picnic on Sunday", group.created_at)
        assert found is not None
        assert found.remote_jid == group.remote_jid

    async def test_a_group_made_before_is_not_mistaken_for_a_later_one(
        self, harness: Harness, one: Connected
    ) -> None:
        session = groups_of(one)
        group = await session.create_group("Choir", [address_of(one, harness.person)])
        assert group.created_at is not None

        later = group.created_at + timedelta(seconds=1)
        assert await session.find_group("Choir", later) is None
        assert await session.find_group("Another choir", group.created_at) is None

    async def test_group_messages_go_out_and_come_in(
        self, harness: Harness, one: Connected
    ) -> None:
        session = groups_of(one)
        group = await session.create_group("Chess club", [address_of(one, harness.person)])

        _, sent = await one.send(group.remote_jid, "Saturday, six o'clock?")
        await harness.say(one, harness.person, "I bring the boards", group.remote_jid)

        inbound = await one.events.next(Inbound)
        assert inbound.is_group
        assert sent.is_group or (sent.is_group is None and one.network.is_group(sent.remote_jid))
        assert inbound.chat_jid == group.remote_jid
        assert inbound.sender_jid == address_of(one, harness.person)
        assert inbound.group_subject == "Chess club"

    async def test_an_invite_link_leads_into_the_group_once(
        self, harness: Harness, one: Connected
    ) -> None:
        session = groups_of(one)
        link = await harness.invite(one, "Gardeners")

        group = await session.join_group(link)

        assert group.subject == "Gardeners"
        assert group.created_at is not None or not harness.groups_tell_creation
        with pytest.raises(errors.AlreadyInGroupError) as refused:
            await session.join_group(link)
        assert refused.value.remote_jid == group.remote_jid

    async def test_bad_invite_links_are_told_apart(self, harness: Harness, one: Connected) -> None:
        session = groups_of(one)
        revoked = await harness.invite(one, "Closed")
        await harness.revoke(revoked)

        closed = (
            errors.InviteRevokedError if harness.groups_tell_closing else errors.InviteNotFoundError
        )
        with pytest.raises(closed):
            await session.join_group(revoked)
        with pytest.raises(errors.InviteNotFoundError):
            await session.join_group(harness.unknown_invite())
        for no_link in ("", "Gardeners", "https://example.com/elsewhere"):
            with pytest.raises(errors.InvalidInviteError):
                harness.network.check_invite_link(no_link)
        with pytest.raises(errors.ApprovalRequiredError):
            await session.join_group(await harness.invite(one, "Board", approval=True))

    # --- managing them ---

    async def test_a_group_is_shown_with_its_owner_and_members(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        people = [address_of(one, harness.person), address_of(one, harness.other_person)]
        group = await groups_of(one).create_group("Rowers", people)

        details = await managing.get_group(group.remote_jid)

        assert (details.remote_jid, details.subject) == (group.remote_jid, "Rowers")
        roles = {each.remote_jid: each.role for each in details.participants}
        assert roles.keys() == set(group.participants)
        assert [roles[person] for person in people] == ["member", "member"]
        others = roles.keys() - set(people)
        assert [roles[each] for each in others] in (["owner"], ["admin"])

    async def test_people_are_added_to_a_group_and_removed(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        person, other = (address_of(one, who) for who in (harness.person, harness.other_person))
        group = await groups_of(one).create_group("Rowers", [person])

        refused = await managing.add_participants(
            group.remote_jid, [other, address_of(one, harness.nobody)]
        )

        assert refused.keys() <= {address_of(one, harness.nobody)}
        assert refused or not harness.groups_refuse_nobody, "nobody is taken for a member"
        assert all(refused.values()), "a reason is missing"
        assert {person, other} <= await _members(managing, group.remote_jid)
        await managing.remove_participant(group.remote_jid, person)
        left = await _members(managing, group.remote_jid)
        assert (person in left, other in left) == (False, True)
        with pytest.raises(errors.ParticipantNotFoundError):
            await managing.remove_participant(group.remote_jid, person)

    async def test_a_groups_subject_and_description_are_changed_apart(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        group = await groups_of(one).create_group("Rowers", [address_of(one, harness.person)])

        await managing.change_group(group.remote_jid, description="Every Sunday at six")
        await managing.change_group(group.remote_jid, subject="Early rowers")

        details = await managing.get_group(group.remote_jid)
        assert (details.subject, details.description) == ("Early rowers", "Every Sunday at six")

    async def test_a_groups_link_has_the_networks_form_and_stays(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        group = await groups_of(one).create_group("Rowers", [address_of(one, harness.person)])

        link = await managing.get_invite_link(group.remote_jid)

        harness.network.check_invite_link(link)
        assert await managing.get_invite_link(group.remote_jid) == link

    async def test_a_group_that_was_left_is_not_found(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        group = await groups_of(one).create_group("Rowers", [address_of(one, harness.person)])

        await managing.leave_group(group.remote_jid)

        with pytest.raises(errors.GroupNotFoundError):
            await managing.get_group(group.remote_jid)

    async def test_a_group_of_somebody_else_is_theirs_to_change(
        self, harness: Harness, one: Connected
    ) -> None:
        managing = management_of(one)
        group = await groups_of(one).join_group(await harness.invite(one, "Gardeners"))

        with pytest.raises(errors.NotAllowedError):
            await managing.change_group(group.remote_jid, description="All mine")
        with pytest.raises(errors.NotAllowedError):
            await managing.remove_participant(group.remote_jid, address_of(one, harness.person))


async def _members(managing: GroupManagement, group_jid: str) -> set[str]:
    details = await managing.get_group(group_jid)
    return {each.remote_jid for each in details.participants}


def groups_of(at: Connected) -> Groups:
    if not at.network.capabilities.create_group:
        pytest.skip("the network has no groups")
    return require(at, "create_group", Groups)  # type: ignore[type-abstract]  # a protocol


def management_of(at: Connected) -> GroupManagement:
    if not at.network.capabilities.manage_groups:
        pytest.skip("groups can't be managed on the network")
    return require(at, "manage_groups", GroupManagement)  # type: ignore[type-abstract]
