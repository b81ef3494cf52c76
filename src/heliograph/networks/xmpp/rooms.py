"""Groups in XMPP: rooms (XEP-0045), with members, an archive and a subject.

A room that this gateway makes is persistent, hidden, open to members only, and shows its members'
addresses to each other. Its name tells when it was made.
"""

import asyncio
import secrets
import xml.etree.ElementTree as ET
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from heliograph.networks.connection import ANSWER_TIMEOUT
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import GroupSeen
from heliograph.networks.xmpp.addresses import (
    bare,
    bare_or_none,
    domain_of,
    looks_like_ours,
    new_room_name,
    room_made_at,
)
from heliograph.networks.xmpp.archive import NAMESPACE
from heliograph.networks.xmpp.disco import (
    DISCO_INFO,
    ask_info,
    features_of,
    find_service,
    form_fields,
)
from heliograph.networks.xmpp.expulsions import why_put_out
from heliograph.networks.xmpp.forms import fill_in
from heliograph.networks.xmpp.stanzas import (
    CLIENT,
    DATA,
    IDS,
    INVITE,
    MUC_USER,
    OCCUPANT,
    AnswerError,
    Message,
    attribute,
    clean,
    element,
    occupant_id,
    read_time,
    refusal_of,
    write_time,
)
from heliograph.networks.xmpp.stream import Stream
from heliograph.platform.aio.futures import resolve
from heliograph.platform.aio.periodic import wait_until_set

MUC = "{http://jabber.org/protocol/muc}"
MUC_OWNER = "{http://jabber.org/protocol/muc#owner}"
MUC_ADMIN = "{http://jabber.org/protocol/muc#admin}"
OCCUPANTS = OCCUPANT[1:].partition("}")[0]
PAST_TIMEOUT = 20.0
"""Seconds for a room to send what was said before, and for what comes to be told apart from it."""
MAX_NICK_LENGTH = 64
_ROOM = "muc#roomconfig_"
_LIMITS = frozenset({f"{_ROOM}membersonly", f"{_ROOM}publicroom"})
_OURS = {
    f"{_ROOM}persistentroom": "1",
    f"{_ROOM}membersonly": "1",
    f"{_ROOM}publicroom": "0",
    f"{_ROOM}whois": "anyone",
    f"{_ROOM}enablearchiving": "1",
    "mam": "1",  # ejabberd's name for the same option
}
"""The configuration of the gateway's rooms, as far as the server supports it."""
_STILL_IN = frozenset({"service-unavailable", "feature-not-implemented", "item-not-found"})
_AT_ONCE = 20
"""How many people are made members at a time."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Occupant:
    """Somebody in a room; `jid` is None where the room hides it."""

    jid: str | None
    affiliation: str


@dataclass(slots=True)
class Room:
    """A room that the account is in or was in; `is_joined` says which.

    `is_live` is set once the room has sent its history, which ends with its subject (XEP-0045,
    section 7.2).
    """

    jid: str
    nick: str
    subject: str
    created_at: datetime | None = None
    owner_jid: str | None = None
    features: frozenset[str] = frozenset()
    description: str = ""
    occupant_id: str | None = None
    is_joined: bool = False
    occupants: dict[str, Occupant] = field(default_factory=dict)
    is_live: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_archive(self) -> bool:
        return NAMESPACE in self.features

    @property
    def gives_ids(self) -> bool:
        """Whether the room assigns ids to messages, and prevents others from forging them."""
        return self.has_archive or IDS[1:-1] in self.features

    def person(self, nick: str) -> str | None:
        occupant = self.occupants.get(nick)
        return occupant.jid if occupant else None

    def place_of(self, person: str) -> str | None:
        """Return a person's address within the group, if they are present."""
        if person.startswith(f"{self.jid}/"):
            return person
        nicks = (nick for nick, occupant in self.occupants.items() if occupant.jid == person)
        nick = next(nicks, None)
        return None if nick is None else f"{self.jid}/{nick}"

    def seen(self) -> GroupSeen:
        people = {occupant.jid: None for occupant in self.occupants.values() if occupant.jid}
        owners = (
            occupant.jid
            for occupant in self.occupants.values()
            if occupant.jid and occupant.affiliation == "owner"
        )
        owner = self.owner_jid or next(owners, None)
        return GroupSeen(self.jid, self.subject, owner, self.created_at, tuple(people))


class Rooms:
    """The rooms of one account, over the stream that `stream` returns.

    `expelled` is called with each room that the account was removed from, and why.
    """

    def __init__(
        self,
        own_jid: str,
        nick: str,
        stream: Callable[[], Stream],
        expelled: Callable[[Room, str], None],
    ) -> None:
        self._own_jid = own_jid
        self._nick = clean(nick).strip()[:MAX_NICK_LENGTH] or own_jid.partition("@")[0]
        self._stream = stream
        self._expelled = expelled
        self._rooms: dict[str, Room] = {}
        self._joining: dict[str, asyncio.Future[None]] = {}

    def find(self, jid: str) -> Room | None:
        return self._rooms.get(jid)

    def forget(self, jid: str) -> None:
        """Forget a room that the account has left."""
        self._rooms.pop(jid, None)

    def joined(self) -> list[Room]:
        """List the rooms that the account is in."""
        return [room for room in self._rooms.values() if room.is_joined]

    async def is_still_in(self, room: Room) -> bool:
        """Ask the room whether the account is still in it (XEP-0410). Raises `NetworkError` if it
        does not answer."""
        try:
            place = f"{room.jid}/{room.nick}"
            ping = ET.Element("{urn:xmpp:ping}ping")
            await self._stream().ask("get", ping, place, timeout=ANSWER_TIMEOUT)
        except AnswerError as error:
            return error.refusal.condition in _STILL_IN
        return True

    def left_all(self) -> None:
        """Record that the connection is lost, and the account is in no room."""
        for room in self._rooms.values():
            room.is_joined = False
            room.occupants.clear()

    async def service(self) -> str | None:
        """Find the server's group service; None if it has none. Raises `NetworkError`."""
        host = domain_of(self._own_jid)
        return await find_service(self._stream(), host, MUC[1:-1], "conference")

    async def info(self, jid: str) -> Room:
        """Query a room before the account enters it. Raises `AnswerError`: `item-not-found` for a
        room that does not exist, `gone` for a destroyed one."""
        query = await ask_info(self._stream(), jid)
        fields = form_fields(query)
        return Room(
            jid=jid,
            nick=self._nick,
            subject=attribute(query, f"{DISCO_INFO}identity", "name") or jid.partition("@")[0],
            created_at=read_time(fields.get("muc#roominfo_creationdate")) or room_made_at(jid),
            owner_jid=bare_or_none(fields.get("muc#roominfo_contactjid", "")),
            features=features_of(query),
            description=fields.get("muc#roominfo_description", ""),
        )

    async def refresh(self, room: Room) -> None:
        """Query a room again. Raises `NetworkError`."""
        info = await self.info(room.jid)
        room.subject, room.description, room.features = (
            info.subject,
            info.description,
            info.features,
        )

    # --- going in ---

    async def join(
        self, jid: str, *, password: str | None = None, since: datetime | None = None
    ) -> Room:
        """Enter a room; `since` requests the history from then on, from a room without an archive.

        Raises `AnswerError` if it refuses, and `NetworkError` when it does not answer.
        """
        room = await self.info(jid)
        await self._enter(room, password, since)
        return room

    async def has_told_past(self, room: Room) -> bool:
        """Wait until the room has sent its history. Returns False if it does not."""
        return await wait_until_set(room.is_live, PAST_TIMEOUT)

    async def _enter(self, room: Room, password: str | None, since: datetime | None) -> None:
        known = self._rooms.get(room.jid)
        self._rooms[room.jid] = room
        try:
            await self._try_nicks(room, password, since)
        except BaseException:
            if known is not None:
                self._rooms[room.jid] = known
            else:
                self._rooms.pop(room.jid, None)
            raise

    async def _try_nicks(self, room: Room, password: str | None, since: datetime | None) -> None:
        try:
            await self._try_nick(room, password, since)
        except AnswerError as error:
            if error.refusal.condition != "conflict":
                raise
            room.nick = f"{self._nick[: MAX_NICK_LENGTH - 5]}-{secrets.token_hex(2)}"
            await self._try_nick(room, password, since)

    async def _try_nick(self, room: Room, password: str | None, since: datetime | None) -> None:
        join = ET.Element(f"{MUC}x")
        wants_past = since is not None and not room.has_archive
        past = {"since": write_time(since)} if since and wants_past else {"maxstanzas": "0"}
        ET.SubElement(join, f"{MUC}history", past)
        if password is not None:
            join.append(element(f"{MUC}password", password))
        inside: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._joining[room.jid] = inside
        try:
            self._stream().post("presence", {"to": f"{room.jid}/{room.nick}"}, join)
            await inside
        finally:
            del self._joining[room.jid]

    async def create(
        self,
        service: str,
        subject: str,
        people: Sequence[str],
        now: datetime,
        note: Callable[[Room], Awaitable[None]],
    ) -> Room:
        """Create a room, configure it and invite its members; `note` records it before it exists.

        Raises `NetworkError`, whose `value` is the person who can't be a member.
        """
        jid = bare(f"{new_room_name(now)}@{service}")
        room = Room(jid, self._nick, subject, room_made_at(jid), self._own_jid)
        await note(room)
        await self._enter(room, None, None)
        await self._set_up(room)
        await self._admit(room, [person for person in people if person != self._own_jid])
        room.features = (await self.info(jid)).features
        return room

    async def _set_up(self, room: Room) -> None:
        wanted = {f"{_ROOM}roomname": clean(room.subject), **_OURS}
        lacking = await configure(self._stream(), room.jid, wanted)
        if not lacking.isdisjoint(_LIMITS):
            log.warning("xmpp_group_is_open", group=room.jid, lacking=sorted(lacking & _LIMITS))
        said = element(f"{CLIENT}subject", clean(room.subject))
        self._stream().post("message", {"to": room.jid, "type": "groupchat"}, said)

    async def _admit(self, room: Room, people: Sequence[str]) -> None:
        """Make people members, and invite them once all are members."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def admit(person: str) -> None:
            async with gate:
                await self.affiliate(room, person, "member")

        await asyncio.gather(*(admit(person) for person in people))
        for person in people:
            self.invite(room, person)

    async def affiliate(self, room: Room, person: str, affiliation: str) -> None:
        """Make somebody a member, or end their membership. Raises `NetworkError`, with them as its
        `value`."""
        # Prosody silently reads only the first of several people in a request
        query = ET.Element(f"{MUC_ADMIN}query")
        query.append(element(f"{MUC_ADMIN}item", affiliation=affiliation, jid=person))
        try:
            await self._stream().ask("set", query, room.jid)
        except AnswerError as error:
            error.value = person
            raise

    def invite(self, room: Room, person: str) -> None:
        """Tell somebody that they may enter (XEP-0249)."""
        # the archive returns it, and its id shows that it is ours
        attributes = {"to": person, "id": secrets.token_hex(32)}
        self._stream().post("message", attributes, ET.Element(INVITE, {"jid": room.jid}))

    async def destroy(self, room: Room) -> None:
        """Close a room for good. Raises `NetworkError`."""
        self.forget(room.jid)
        query = ET.Element(f"{MUC_OWNER}query")
        query.append(ET.Element(f"{MUC_OWNER}destroy"))
        await self._stream().ask("set", query, room.jid)

    # --- what the rooms say ---

    def take_presence(self, xml: ET.Element) -> None:
        """Record who is in a room, and whether the account is."""
        jid, _, nick = xml.get("from", "").partition("/")
        room = self._rooms.get(jid.lower())
        if room is None:
            return
        kind = xml.get("type")
        if kind == "error":
            self._answer(room, AnswerError(refusal_of(xml)))
            return
        user = xml.find(f"{MUC_USER}x")
        if user is None:
            return
        codes = {status.get("code") for status in user.findall(f"{MUC_USER}status")}
        is_own = "110" in codes or nick == room.nick
        if kind == "unavailable":
            room.occupants.pop(nick, None)
            if is_own:
                self._left(room, why_put_out(user, codes))
            return
        room.occupants[nick] = Occupant(
            bare_or_none(attribute(user, f"{MUC_USER}item", "jid") or ""),
            attribute(user, f"{MUC_USER}item", "affiliation") or "none",
        )
        if is_own:
            room.nick, room.is_joined = nick, True
            room.occupant_id = occupant_id(xml)
            self._answer(room, None)

    def _left(self, room: Room, why: str | None) -> None:
        """Record that the account left; for good, if there is a reason."""
        room.is_joined = False
        if why is not None:
            del self._rooms[room.jid]
            self._expelled(room, why)

    def _answer(self, room: Room, error: NetworkError | None) -> None:
        if waiting := self._joining.get(room.jid):
            resolve(waiting, error)

    def sender(self, room: Room, message: Message) -> tuple[str, bool]:
        """Return a message's author, by the best known address, and whether that is the account."""
        # an archive names the person in the message; in a live message, its author could write any
        # name
        nick = message.sender.partition("/")[2]
        person = _person_in_archive(message) or room.person(nick)
        if person is None and _is_ours(room, message):
            person = self._own_jid
        place = f"{room.jid}/{nick}" if nick else room.jid
        return person or place, person == self._own_jid


def _is_ours(room: Room, message: Message) -> bool:
    """Return whether a message without an address is ours."""
    # while we are in the room nobody else has our nick; earlier, somebody else may have had it
    writer_id = occupant_id(message.xml)
    if writer_id and room.occupant_id and OCCUPANTS in room.features:
        return writer_id == room.occupant_id
    is_live = message.archived_as is None and room.is_live.is_set()
    has_our_id = any(looks_like_ours(id_) for id_ in (message.origin_id or "", message.stanza_id))
    return message.sender.partition("/")[2] == room.nick and (is_live or has_our_id)


def _person_in_archive(message: Message) -> str | None:
    if not message.archived_as:
        return None
    return bare_or_none(attribute(message.xml, f"{MUC_USER}x/{MUC_USER}item", "jid") or "")


async def configure(stream: Stream, room: str, wanted: Mapping[str, str]) -> frozenset[str]:
    """Change the wanted fields that the room's form offers. Returns the fields that it lacks.

    Raises `AnswerError` for one who may not, and `NetworkError`.
    """
    answer = await stream.ask("get", ET.Element(f"{MUC_OWNER}query"), room)
    filled = fill_in(answer.find(f"{MUC_OWNER}query/{DATA}x"), wanted)
    query = ET.Element(f"{MUC_OWNER}query")
    query.append(filled.xml)
    await stream.ask("set", query, room)
    return filled.lacking
