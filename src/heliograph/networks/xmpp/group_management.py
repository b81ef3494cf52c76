"""Group management: list participants, add and remove people, rename and leave groups."""

import asyncio
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from heliograph.networks.errors import (
    GroupNotFoundError,
    NetworkError,
    NotAllowedError,
    ParticipantNotFoundError,
)
from heliograph.networks.participants import find_participant
from heliograph.networks.port import GroupDetails, Participant
from heliograph.networks.xmpp.addresses import phone_number
from heliograph.networks.xmpp.bookmarks import withdraw_bookmark
from heliograph.networks.xmpp.groups import Groups
from heliograph.networks.xmpp.rooms import MUC_ADMIN, Room, Rooms, configure
from heliograph.networks.xmpp.stanzas import CLIENT, AnswerError, clean, element
from heliograph.networks.xmpp.stream import Stream

MEMBERS_ONLY = "muc_membersonly"
_NAME, _DESCRIPTION = "muc#roomconfig_roomname", "muc#roomconfig_roomdesc"
_NOT_ALLOWED = frozenset({"forbidden", "not-allowed", "not-authorized"})
_ROLES: Mapping[str, Literal["owner", "admin", "member"]] = {"owner": "owner", "admin": "admin"}
_AFFILIATIONS = ("owner", "admin", "member")


@dataclass(eq=False)
class GroupManagement:
    """Manages the groups of one account, with the account's rights."""

    _own_jid: str
    _settings: Mapping[str, str]
    _rooms: Rooms
    _groups: Groups
    _stream: Callable[[], Stream]

    async def get(self, jid: str) -> GroupDetails:
        """Query a group and its members. Raises `NetworkError`."""
        room = self._room(jid)
        await self._rooms.refresh(room)
        people = await self._people(room)
        owners = (person.remote_jid for person in people if person.role == "owner")
        return GroupDetails(
            jid,
            room.subject,
            people,
            room.description,
            room.owner_jid or next(owners, None),
            room.created_at,
        )

    async def _people(self, room: Room) -> tuple[Participant, ...]:
        """List the members of the group, and occupants who are not members."""
        affiliations = await self._affiliations(room)
        names: dict[str, str] = {}
        for nick, occupant in room.occupants.items():
            jid = occupant.jid or f"{room.jid}/{nick}"
            names[jid] = nick
            affiliations.setdefault(jid, occupant.affiliation)
        return tuple(
            Participant(
                jid,
                _ROLES.get(affiliation, "member"),
                self._number(jid),
                names.get(jid),
            )
            for jid, affiliation in affiliations.items()
        )

    def _number(self, jid: str) -> str | None:
        return phone_number(jid, self._settings)

    async def _affiliations(self, room: Room) -> dict[str, str]:
        """Return the members of the group with their affiliations."""
        affiliations: dict[str, str] = {}
        lists = await asyncio.gather(*(self._affiliated(room, each) for each in _AFFILIATIONS))
        for affiliation, jids in zip(_AFFILIATIONS, lists, strict=True):
            for jid in jids:
                affiliations.setdefault(jid, affiliation)
        # an account that may not read the lists still sees the occupants
        for occupant in room.occupants.values():
            if occupant.jid and occupant.affiliation in _AFFILIATIONS:
                affiliations.setdefault(occupant.jid, occupant.affiliation)
        return affiliations

    async def _affiliated(self, room: Room, affiliation: str) -> list[str]:
        query = ET.Element(f"{MUC_ADMIN}query")
        query.append(element(f"{MUC_ADMIN}item", affiliation=affiliation))
        try:
            answer = await self._stream().ask("get", query, room.jid)
        except AnswerError:
            return []
        items = answer.iter(f"{MUC_ADMIN}item")
        return [jid.lower() for item in items if (jid := item.get("jid", "").partition("/")[0])]

    async def add(self, jid: str, people: Sequence[str]) -> dict[str, str]:
        """Make people members and invite them. Returns the reasons for those who were refused."""
        room = self._room(jid)
        failed: dict[str, str] = {}
        is_for_members = MEMBERS_ONLY in (await self._rooms.info(jid)).features
        belonging = await self._affiliations(room) if is_for_members else {}
        if is_for_members and belonging.get(self._own_jid) not in ("owner", "admin"):
            raise _not_allowed()
        known = [Participant(each, phone_number=self._number(each)) for each in belonging]
        for person in people:
            found = find_participant(known, person, self._number(person))
            try:
                if is_for_members and found is None:
                    await self._rooms.affiliate(room, person, "member")
            except AnswerError as error:
                failed[person] = error.reason
            else:
                self._rooms.invite(room, person if found is None else found.remote_jid)
        return failed

    async def remove(self, jid: str, person: str) -> None:
        """Remove somebody. A group that is open to everybody lets them in again."""
        room = self._room(jid)
        if person == jid:  # the remains of somebody's address within the group
            raise NetworkError(
                "The group hides who is in it: nobody can be removed by address.", permanent=True
            )
        found = find_participant(await self._people(room), person, self._number(person))
        who = person if found is None else found.remote_jid
        with _permissions():
            await self._rooms.affiliate(room, who, "none")
            for nick in [nick for nick, each in room.occupants.items() if each.jid == who]:
                await self._kick(room, nick)
        if found is None:
            raise ParticipantNotFoundError("This person is not in the group.", value=person)

    async def _kick(self, room: Room, nick: str) -> None:
        query = ET.Element(f"{MUC_ADMIN}query")
        query.append(element(f"{MUC_ADMIN}item", role="none", nick=nick))
        try:
            await self._stream().ask("set", query, room.jid)
        except AnswerError as error:
            if error.refusal.condition != "item-not-found":  # they have left meanwhile
                raise

    async def change(self, jid: str, subject: str | None, description: str | None) -> None:
        """Change the name and the description, which requires an owner."""
        room = self._room(jid)
        values = {_NAME: subject, _DESCRIPTION: description}
        changed = {name: clean(value) for name, value in values.items() if value is not None}
        if not changed:
            return
        stream, before = self._stream(), room.subject
        # recorded before the group announces it, so that it does not count as somebody else's
        # change
        room.subject = before if subject is None else subject
        try:
            with _permissions():
                lacking = await configure(stream, jid, changed)
        except BaseException:  # nobody may wait any more
            room.subject = before
            raise
        if subject is not None:
            said = element(f"{CLIENT}subject", clean(subject))
            stream.post("message", {"to": jid, "type": "groupchat"}, said)
        if _DESCRIPTION in lacking:
            raise NetworkError("The group's server keeps no descriptions.", permanent=True)

    def invite_link(self, jid: str) -> str:
        return f"xmpp:{quote(self._room(jid).jid, safe='@')}?join"

    async def leave(self, jid: str) -> None:
        """Leave a group, and remove it from the account's other programs, too."""
        room = self._room(jid)
        with suppress(AnswerError):  # it is not in the list
            await withdraw_bookmark(self._stream(), jid)
        self._stream().post("presence", {"to": f"{jid}/{room.nick}", "type": "unavailable"})
        self._rooms.forget(jid)
        await self._groups.left(jid)

    def _room(self, jid: str) -> Room:
        room = self._rooms.find(jid)
        if room is not None and room.is_joined:
            return room
        if self._groups.knows(jid):
            raise NetworkError("The account is not in this group at the moment.")
        raise GroupNotFoundError("The account is in no such group.")


@contextmanager
def _permissions() -> Iterator[None]:
    """Raise `NotAllowedError` for refusals because of missing rights."""
    try:
        yield
    except AnswerError as error:
        if error.refusal.condition in _NOT_ALLOWED:
            raise _not_allowed() from None
        raise


def _not_allowed() -> NotAllowedError:
    return NotAllowedError("Only those who run the group may do this.")
