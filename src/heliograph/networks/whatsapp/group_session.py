"""The part of a session that creates, joins and changes groups."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from neonize.proto.Neonize_pb2 import GroupInfo, GroupParticipant
from neonize.utils.enum import ParticipantChange

from heliograph.networks import errors
from heliograph.networks.participants import find_participant
from heliograph.networks.port import GroupDetails, GroupSeen, Session
from heliograph.networks.whatsapp import addresses
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.connection import Connection
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.conversion.people import details_of
from heliograph.networks.whatsapp.failures import (
    group_failure_of,
    invite_failure_of,
    participant_failure_of,
)
from heliograph.networks.whatsapp.library_client import LibraryClient
from heliograph.networks.whatsapp.recipients import Recipients

T = TypeVar("T")

_NOT_THERE = 404


class GroupSession(Session):
    """A session's operations on groups."""

    _connection: Connection
    _recipients: Recipients

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        run = self._connection.current_run()
        await self._recipients.ask_for_other_forms(run, participants)
        people = dict.fromkeys(map(self._recipients.chat, participants))
        members = [to_jid(jid) for jid in people]
        info = await run.ask(lambda client: client.create_group(subject, members))
        info.GroupName.Name = info.GroupName.Name or subject
        [group] = await self._groups([info])
        return group

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        infos = await self._connection.current_run().ask(lambda client: client.get_joined_groups())
        own = self._connection.own_jid
        named = [info for info in infos if info.GroupName.Name == subject]
        ours = [
            group
            for group in await self._groups(named)
            if group.owner_jid == own and group.created_at and group.created_at >= since
        ]
        return max(ours, key=lambda group: group.created_at or since, default=None)

    async def join_group(self, invite_link: str) -> GroupSeen:
        run, code = self._connection.current_run(), addresses.invite_code(invite_link)
        known = await run.ask(
            lambda client: client.get_group_info_from_link(code), invite_failure_of
        )
        group_jid = to_text(known.JID)
        if await self._find_joined(run, group_jid) is not None:
            raise errors.AlreadyInGroupError("The account is in this group.", remote_jid=group_jid)
        await run.ask(lambda client: client.join_group_with_link(code), invite_failure_of)
        joined = await self._find_joined(run, group_jid)
        if joined is None:
            raise errors.ApprovalRequiredError(
                "The account has asked to join: an admin must let it in."
            )
        return joined

    # --- changing groups ---

    async def get_group(self, remote_jid: str) -> GroupDetails:
        run = self._connection.current_run()
        info = await self._info(run, remote_jid)
        hidden = [to_text(member.JID) for member in info.Participants]
        await self._connection.report(await self._connection.directory.resolve(hidden, run))
        return details_of(info, self._connection.directory.book)

    async def add_participants(
        self, remote_jid: str, participants: Sequence[str]
    ) -> Mapping[str, str]:
        run = self._connection.current_run()
        numbers = [number for jid in participants if (number := addresses.phone_number(jid))]
        found = await self._recipients.list_addresses(run, numbers) if numbers else {}
        refused, asked = {}, {}
        for jid in participants:
            number = addresses.phone_number(jid)
            if number is not None and number not in found:
                refused[jid] = participant_failure_of(404)
            else:
                asked[found[number] if number else jid] = jid
        answers = await self._update(run, remote_jid, list(asked), ParticipantChange.ADD)
        return refused | {asked[jid]: participant_failure_of(code) for jid, code in answers.items()}

    async def remove_participant(self, remote_jid: str, participant: str) -> None:
        run = self._connection.current_run()
        people = (await self.get_group(remote_jid)).participants
        found = find_participant(people, participant, addresses.phone_number(participant))
        address = participant if found is None else found.remote_jid
        member = await self._recipients.member(run, remote_jid, address)
        refused = await self._update(run, remote_jid, [member], ParticipantChange.REMOVE)
        for code in refused.values():
            reason = participant_failure_of(code)
            if code == _NOT_THERE:
                raise errors.ParticipantNotFoundError(reason, value=participant)
            raise errors.NetworkError(reason, permanent=True, value=participant)

    async def change_group(
        self, remote_jid: str, *, subject: str | None = None, description: str | None = None
    ) -> None:
        run, group = self._connection.current_run(), to_jid(remote_jid)
        if subject is not None:
            await self._change(
                run, remote_jid, lambda client: client.set_group_name(group, subject)
            )
        if description is not None:
            await self._change(
                run,
                remote_jid,
                lambda client: client.set_group_topic(group, "", "", description),
            )

    async def get_invite_link(self, remote_jid: str) -> str:
        run, group = self._connection.current_run(), to_jid(remote_jid)
        return await self._change(
            run, remote_jid, lambda client: client.get_group_invite_link(group)
        )

    async def leave_group(self, remote_jid: str) -> None:
        run, group = self._connection.current_run(), to_jid(remote_jid)
        # WhatsApp accepts a leave from a group that the account is not in
        await self._info(run, remote_jid)
        await self._change(run, remote_jid, lambda client: client.leave_group(group))

    # --- parts ---

    async def _update(
        self, run: ClientRun, group_jid: str, people: Sequence[str], action: ParticipantChange
    ) -> dict[str, int]:
        """Add or remove people. Returns WhatsApp's code for each who was refused."""
        if not people:
            return {}
        group, jids = to_jid(group_jid), [to_jid(jid) for jid in people]
        answers = await self._change(
            run, group_jid, lambda client: client.update_group_participants(group, jids, action)
        )
        hidden = [to_text(answer.JID) for answer in answers]
        await self._connection.report(await self._connection.directory.resolve(hidden, run))
        return self._codes(answers, people)

    def _codes(self, answers: Sequence[GroupParticipant], people: Sequence[str]) -> dict[str, int]:
        """Return the error codes in the answers, by the people in the request."""
        canonical = self._connection.directory.canonical
        named = {canonical(jid): jid for jid in people}
        codes = {}
        for place, answer in enumerate(answers):
            known = {
                canonical(to_text(jid)) for jid in (answer.JID, answer.PhoneNumber, answer.LID)
            }
            who = next((named[jid] for jid in known if jid in named), None)
            if who is None and len(answers) == len(people):
                who = people[place]  # answers come in the order of the request
            if answer.Error and who is not None:
                codes[who] = answer.Error
        return codes

    async def _change(
        self, run: ClientRun, group_jid: str, call: Callable[[LibraryClient], T]
    ) -> T:
        """Request a change that may be reserved for admins.

        Raises `GroupNotFoundError` and `NotAllowedError`.
        """
        try:
            return await run.ask(call, group_failure_of)
        except errors.NotAllowedError:
            await self._info(run, group_jid)  # WhatsApp gives the same answer outside the group
            raise

    async def _info(self, run: ClientRun, group_jid: str) -> GroupInfo:
        group = to_jid(group_jid)
        try:
            info = await run.ask(lambda client: client.get_group_info(group), group_failure_of)
        except errors.NotAllowedError as error:
            raise errors.GroupNotFoundError("The account is not in this group.") from error
        await self._groups([info])
        return info

    async def _find_joined(self, run: ClientRun, group_jid: str) -> GroupSeen | None:
        """Find the group, if the account is in it."""
        try:
            info = await run.ask(
                lambda client: client.get_group_info(to_jid(group_jid)), group_failure_of
            )
        except errors.GroupNotFoundError:
            return None
        [group] = await self._groups([info])
        return group

    async def _groups(self, infos: Sequence[GroupInfo]) -> list[GroupSeen]:
        learned, groups = self._connection.directory.record_groups(infos)
        await self._connection.report(learned)
        return groups
