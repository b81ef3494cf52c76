"""A stand-in for WhatsApp and the library's client, with the client's surface.

Like the real ones: what arrives is acknowledged before the driver has taken it, a message's id is
the network's choice, people are told of under hidden ids, callbacks come from a foreign thread.
"""

import itertools
import queue
import secrets
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from threading import Event, RLock
from typing import Any

from neonize import exc
from neonize.proto.Neonize_pb2 import (
    JID,
    LOGGED_OUT,
    Connected,
    Contact,
    ContactInfo,
    Disconnected,
    GetProfilePictureParams,
    GetProfilePictureReturnFunction,
    GroupInfo,
    GroupParticipant,
    IsOnWhatsAppResponse,
    LoggedOut,
    ProfilePictureInfo,
    SendResponse,
    StreamReplaced,
    UploadResponse,
)
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, PollVoteMessage
from neonize.utils.enum import (
    ChatPresence,
    ChatPresenceMedia,
    MediaType,
    ParticipantChange,
    ReceiptType,
)

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from citus import fetch
from databases import run
from heliograph.networks.errors import NetworkError
from heliograph.networks.whatsapp.conversion.jids import to_text
from heliograph.networks.whatsapp.library_client import DEVICE, Callbacks

DEVICES = """
CREATE TABLE IF NOT EXISTS whatsapp.whatsmeow_device (jid text PRIMARY KEY)
"""
CODES = {
    Connected: 3,
    LoggedOut: 6,
    StreamReplaced: 7,
    Disconnected: 12,
    ReceiptEvent: 18,
}
PICTURES = {"image": b"p" * 5000, "preview": b"p" * 500}
_END = object()


def lid_of(person: str) -> str:
    """The hidden id of a person, by the address with the number."""
    return f"7{person.partition('@')[0].zfill(14)}@lid"


@dataclass
class Room:
    """A group. `members` are addresses with the number."""

    info: GroupInfo
    members: set[str]
    code: str = ""
    approval: bool = False


@dataclass
class World:
    """WhatsApp: people, groups, devices, and what waits for devices that are not connected."""

    url: str
    nobody: str = "4915112349999@s.whatsapp.net"
    scans: bool = True
    """Whether somebody scans the codes of new devices."""
    pairing_end: str = "timeout"
    pairing_code: str = "ABCD-EFGH"
    send_error: str = ""
    restricted: set[str] = field(default_factory=set)
    """Devices that may write to nobody who has got nothing from them."""
    files: dict[str, bytes] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)
    hangs: Event | None = None
    """While it is not set, the servers that have files say nothing."""
    dials: Event | None = None
    """While it is not set, phones dial and are not connected yet."""
    moved: dict[str, str] = field(default_factory=dict)
    """Numbers that have changed their form, to the ones that WhatsApp has for them."""
    answers_hidden: bool = True
    """Whether WhatsApp names people by their hidden ids when it is asked for a number."""
    got: defaultdict[str, list[tuple[str, str, Message]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """What each person got: (device, id, message)."""
    read: set[str] = field(default_factory=set)
    uploaded: list[tuple[bytes, MediaType]] = field(default_factory=list)
    upload_error: str = ""
    uploading: Event | None = None
    """While it is not set, the servers that take files say nothing."""
    typing: list[tuple[str, ChatPresence]] = field(default_factory=list)
    marked: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    """What was marked as read: (chat, sender, ids)."""
    unwilling: dict[str, int] = field(default_factory=dict)
    """People who can't be added to groups, and WhatsApp's code for it."""
    admin_error: str = ""
    """What WhatsApp says to who changes a group."""
    online: dict[str, "StandInPhone"] = field(default_factory=dict)
    waiting: defaultdict[str, deque[tuple[int, Any]]] = field(
        default_factory=lambda: defaultdict(deque)
    )
    rooms: dict[str, Room] = field(default_factory=dict)
    revoked: set[str] = field(default_factory=set)
    phones: list["StandInPhone"] = field(default_factory=list)
    lock: RLock = field(default_factory=RLock)
    connections: list["StandInPhone"] = field(default_factory=list)
    """Each connection that was ever made, by the phone that made it."""
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def phone(self, name: str, device: str | None) -> "StandInPhone":
        """What makes a phone, in the place of the library's client."""
        phone = StandInPhone(name, device, self)
        self.phones.append(phone)
        return phone

    def send(self, device: str, event: Any, code: int = 17) -> None:
        """To the device: at once, or when it connects."""
        with self.lock:
            phone = self.online.get(device)
            if phone is None:
                self.waiting[device].append((code, event))
            else:
                phone.events.put((code, event))

    def say(self, device: str, person: str, text: str, group: str = "") -> str:
        """As WhatsApp tells it: the sender under the hidden id, the number beside it."""
        chat = group or lid_of(person)
        where = made.source(chat, lid_of(person), sender_alt=person)
        message_id = "3A" + secrets.token_hex(9).upper()
        self.send(
            device,
            made.message(
                Message(conversation=text),
                where,
                message_id=message_id,
                name="Somebody",
                at=int(time.time()),
            ),
        )
        return message_id

    def open_chat(self, device: str, person: str) -> list[Message]:
        """What the person got from the device; looking at it reads it."""
        with self.lock:
            got = [(message_id, text) for by, message_id, text in self.got[person] if by == device]
            unread = [message_id for message_id, _ in got if message_id not in self.read]
            self.read.update(unread)
        for message_id in unread:
            self._receipt(device, person, ReceiptEvent.READ, message_id)
        return [message for _, message in got]

    def cut(self, device: str) -> None:
        """The connection is lost; the library connects again by itself."""
        self.send(device, Disconnected(status=True), CODES[Disconnected])
        self.send(device, Connected(status=True), CODES[Connected])

    def expel(self, device: str, reason: Any = LOGGED_OUT) -> None:
        self.forget(device)
        self.send(device, LoggedOut(OnConnect=False, Reason=reason), CODES[LoggedOut])

    def make_room(self, subject: str, owner: str, *, approval: bool = False) -> Room:
        group_jid = f"12036300000000{next(self.numbers):04d}@g.us"
        info = made.group(
            subject,
            [made.member(owner, lid_of(owner))],
            group_jid=group_jid,
            owner=lid_of(owner),
            created=int(time.time()),
        )
        info.Participants[0].IsSuperAdmin = True
        room = Room(info, {owner}, secrets.token_hex(11), approval)
        self.rooms[group_jid] = room
        return room

    def fetch(self, url: str, most: int) -> bytes:
        """What a link to a picture or a file leads to."""
        self.fetched.append(url)
        if self.hangs is not None:
            self.hangs.wait(20)
        data = self.files.get(url) or PICTURES.get(url.rpartition("/")[2])
        if data is None:
            raise NetworkError("It could not be fetched: WhatsApp answers 404.")
        return data

    # --- what phones ask ---

    def take_message(self, device: str, to: str, message: Message) -> str:
        if self.send_error:
            raise exc.SendMessageError(self.send_error)
        message_id = "3EB0" + secrets.token_hex(9).upper()
        with self.lock:
            if device in self.restricted and all(by != device for by, _, _ in self.got[to]):
                raise exc.SendMessageError("server returned error 463")
            room = self.rooms.get(to)
            people = sorted(room.members) if room else [to]
            for person in people:
                self.got[person].append((device, message_id, message))
        if room is None:
            self._receipt(device, to, ReceiptEvent.DELIVERED, message_id)
        return message_id

    def room_by_code(self, code: str) -> Room:
        if code in self.revoked:
            raise exc.GetGroupInfoError("that group invite link has been revoked")
        for room in self.rooms.values():
            if room.code == code:
                return room
        raise exc.GetGroupInfoError("that group invite link is not valid")

    def remember(self, device: str) -> None:
        run(fetch(self.url, "INSERT INTO whatsapp.whatsmeow_device VALUES ($1)", device))

    def forget(self, device: str) -> None:
        run(fetch(self.url, "DELETE FROM whatsapp.whatsmeow_device WHERE jid = $1", device))

    def connect(self, phone: "StandInPhone", device: str) -> None:
        with self.lock:
            self.connections.append(phone)
            older = self.online.get(device)
            self.online[device] = phone
            if older is not None:
                older.events.put((CODES[StreamReplaced], StreamReplaced()))
            phone.events.put((CODES[Connected], Connected(status=True)))
            while self.waiting[device]:
                phone.events.put(self.waiting[device].popleft())

    def disconnect(self, phone: "StandInPhone") -> None:
        with self.lock:
            for device in [device for device, online in self.online.items() if online is phone]:
                del self.online[device]

    def _receipt(self, device: str, person: str, kind: Any, message_id: str) -> None:
        where = made.source(lid_of(person), lid_of(person), sender_alt=person)
        event = made.receipt(kind, message_id, where=where, at=int(time.time()))
        self.send(device, event, CODES[ReceiptEvent])


class ContactBook:
    def __init__(self, phone: "StandInPhone") -> None:
        self._phone = phone

    def get_all_contacts(self) -> list[Contact]:
        self._phone.require()
        return [
            made.contact(made.ADA, name="Ada Abara", push_name="ada"),
            made.contact(lid_of(made.ADA), push_name="ada"),
            made.contact(made.BRUNO, name="Bruno Berg"),
            made.contact("70000000009999@lid"),
        ]

    def get_contact(self, user: JID) -> ContactInfo:
        self._phone.require()
        return made.contact_info("Ada Abara", "ada")


class StandInPhone:
    """The surface of the library's client, over a `World`."""

    def __init__(self, name: str, device: str | None, world: World) -> None:
        self.name = name
        self.device = device
        self.world = world
        self.contact = ContactBook(self)
        self.events: queue.Queue[Any] = queue.Queue()
        self.asked: list[str] = []
        self.is_stopped = False
        self.is_dialing = False
        self.callbacks: Callbacks | None = None

    def run(self, callbacks: Callbacks) -> str:
        self.callbacks = callbacks
        if self.device is None and not self._pair(callbacks):
            return ""
        assert self.device is not None
        self._dial()
        self.world.connect(self, self.device)
        callbacks.on_event(DEVICE, made.device(self.device, lid_of(self._own)))
        while (item := self.events.get()) is not _END:
            if isinstance(item, str):
                return item
            callbacks.on_event(*item)
        return ""

    def _dial(self) -> None:
        if self.world.dials is not None:
            self.is_dialing = True
            self.world.dials.wait(120)
            self.is_dialing = False

    def _pair(self, callbacks: Callbacks) -> bool:
        for code in ("2@first", "2@second"):
            callbacks.on_code(code)
            if self.world.scans:
                number = 4915199900000 + next(self.world.numbers)
                self.device = f"{number}:3@s.whatsapp.net"
                self.world.remember(self.device)
                callbacks.on_pairing("success")
                return True
        time.sleep(1)  # in which a person would have scanned
        callbacks.on_pairing(self.world.pairing_end)
        return False

    @property
    def _own(self) -> str:
        return to_text(made.jid(self.device or ""))

    def require(self) -> None:
        """Where the real one would end the process, a test fails."""
        assert self.device is not None
        assert not self.is_stopped

    def pair_phone(self, number: str) -> str:
        self.asked.append(number)
        if not self.world.pairing_code:
            raise exc.PairPhoneError("info query returned status 429: rate-overlimit")
        return self.world.pairing_code

    def disconnect(self) -> None:
        self.world.disconnect(self)

    def stop(self) -> None:
        assert not self.is_stopped
        self.is_stopped = True
        self.world.disconnect(self)
        self.events.put(_END)

    def logout(self) -> None:
        self._require_connection(exc.LogoutError)
        assert self.device is not None
        self.world.forget(self.device)
        self.world.disconnect(self)

    def set_passive(self, passive: bool) -> None:
        self._require_connection(exc.SendMessageError)

    def send_message(self, to: JID, message: Message) -> SendResponse:
        self._require_connection(exc.SendMessageError)
        assert self.device is not None
        return made.response(self.world.take_message(self.device, to_text(to), message))

    def is_on_whatsapp(self, *numbers: str) -> list[IsOnWhatsAppResponse]:
        self._require_connection(exc.IsOnWhatsAppError)
        jids = [f"{number[1:]}@s.whatsapp.net" for number in numbers]
        if all(jid == self.world.nobody for jid in jids):
            raise exc.IsOnWhatsAppError("Function returned nothing.")
        people = [self.world.moved.get(jid, jid) for jid in jids]
        named = [lid_of(person) if self.world.answers_hidden else person for person in people]
        return [
            IsOnWhatsAppResponse(Query=asked, JID=made.jid(name), IsIn=True)
            for asked, name in zip(numbers, named, strict=True)
            if asked[1:] != self.world.nobody.partition("@")[0]
        ]

    def get_pn_from_lid(self, jid: JID) -> JID:
        self.require()
        text = to_text(jid)
        people = (made.ADA, made.BRUNO, self._own, *self.world.moved.values())
        return made.jid({lid_of(person): person for person in people}.get(text, ""))

    def get_lid_from_pn(self, jid: JID) -> JID:
        self.require()
        text = to_text(jid)
        known = (made.ADA, made.BRUNO, self._own)
        return made.jid(lid_of(text) if text in known else "")

    def upload(self, binary: bytes, media_type: MediaType | None = None) -> UploadResponse:
        self._require_connection(exc.UploadError)
        if self.world.uploading is not None:
            self.world.uploading.wait(20)
        if self.world.upload_error:
            raise exc.UploadError(self.world.upload_error)
        assert media_type is not None
        self.world.uploaded.append((binary, media_type))
        return made.upload(binary)

    def decrypt_poll_vote(self, message: MessageEvent) -> PollVoteMessage:
        """Votes are not encrypted here: the real one has its own test."""
        self.require()
        vote = message.Message.pollUpdateMessage.vote
        if vote.encIV != made.VOTE_IV:
            raise exc.DecryptPollVoteError("original message secret key not found")
        return PollVoteMessage.FromString(vote.encPayload)

    def send_chat_presence(self, jid: JID, state: ChatPresence, media: ChatPresenceMedia) -> None:
        self._require_connection(exc.SendPresenceError)
        self.world.typing.append((to_text(jid), state))

    def mark_read(
        self,
        *message_ids: str,
        chat: JID,
        sender: JID,
        receipt: ReceiptType,
        timestamp: int | None = None,
    ) -> None:
        self._require_connection(exc.MarkReadError)
        assert receipt is ReceiptType.READ
        self.world.marked.append((to_text(chat), to_text(sender), message_ids))

    def update_group_participants(
        self, jid: JID, participants_changes: list[JID], action: ParticipantChange
    ) -> list[GroupParticipant]:
        room = self._room_to_change(jid, exc.UpdateGroupParticipantsError)
        return [self._update(room, to_text(person), action) for person in participants_changes]

    def _update(self, room: Room, person: str, action: ParticipantChange) -> GroupParticipant:
        """As in a group that hides numbers: people are named by hidden ids there."""
        numbers = {lid_of(member): member for member in (*room.members, made.ADA, made.BRUNO)}
        number = numbers.get(person, person)
        if action is ParticipantChange.ADD:
            error = self.world.unwilling.get(number, 409 if number in room.members else 0)
            if not error:
                room.members.add(number)
                room.info.Participants.append(made.member(number, lid_of(number)))
            return made.member("", lid_of(number), error=error)
        if number not in room.members:
            return made.member("", lid_of(number), error=404)
        room.members.discard(number)
        left = [one for one in room.info.Participants if to_text(one.PhoneNumber) != number]
        del room.info.Participants[:]
        room.info.Participants.extend(left)
        return made.member("", lid_of(number))

    def set_group_name(self, jid: JID, name: str) -> None:
        self._room_to_change(jid, exc.SetGroupNameError).info.GroupName.Name = name

    def set_group_topic(self, jid: JID, previous_id: str, new_id: str, topic: str) -> None:
        self._room_to_change(jid, exc.SetGroupTopicError).info.GroupTopic.Topic = topic

    def get_group_invite_link(self, jid: JID, revoke: bool = False) -> str:
        room = self._room_to_change(jid, exc.GetGroupInviteLinkError)
        return f"https://chat.whatsapp.com/{room.code}"

    def leave_group(self, jid: JID) -> None:
        self._require_connection(exc.LeaveGroupError)  # says nothing to who is not in it
        self.world.rooms[to_text(jid)].members.discard(self._own)

    def _room_to_change(self, jid: JID, error: Any) -> Room:
        self._require_connection(error)
        room = self.world.rooms.get(to_text(jid))
        if room is None or self._own not in room.members:
            raise error("info query returned status 403: forbidden")
        if self.world.admin_error:
            raise error(self.world.admin_error)
        admins = {to_text(one.PhoneNumber) for one in room.info.Participants if one.IsSuperAdmin}
        if self._own not in admins:
            raise error("info query returned status 401: not-authorized")
        return room

    def create_group(self, name: str, participants: list[JID]) -> GroupInfo:
        self._require_connection(exc.CreateGroupError)
        if len(name) > 100:
            raise exc.CreateGroupError("info query returned status 406: not-acceptable")
        room = self.world.make_room(name, self._own)
        people = [to_text(participant) for participant in participants]
        room.members |= set(people)
        room.info.Participants.extend(made.member(person, lid_of(person)) for person in people)
        return room.info

    def get_group_info(self, jid: JID) -> GroupInfo:
        self._require_connection(exc.GetGroupInfoError)
        room = self.world.rooms.get(to_text(jid))
        if room is None:
            raise exc.GetGroupInfoError("that group does not exist")
        if self._own not in room.members:
            raise exc.GetGroupInfoError("you're not participating in that group")
        return room.info

    def get_group_info_from_link(self, code: str) -> GroupInfo:
        self._require_connection(exc.GetGroupInfoError)
        return self.world.room_by_code(code).info

    def join_group_with_link(self, code: str) -> JID:
        self._require_connection(exc.InviteLinkError)
        room = self.world.room_by_code(code)
        if not room.approval:
            room.members.add(self._own)
            room.info.Participants.append(made.member(self._own, lid_of(self._own)))
        return room.info.JID

    def get_joined_groups(self) -> list[GroupInfo]:
        self._require_connection(exc.GetGroupInfoError)
        return [room.info for room in self.world.rooms.values() if self._own in room.members]

    def get_profile_picture(self, jid: JID, extra: GetProfilePictureParams) -> ProfilePictureInfo:
        self._require_connection(exc.GetProfilePictureError)
        if to_text(jid) == made.BRUNO:
            told = "the user has hidden their profile picture from you"
            raise exc.GetProfilePictureError(GetProfilePictureReturnFunction(Error=told))
        kind = "preview" if extra.Preview else "image"
        picture_id = f"17000-{kind}"
        if extra.ExistingID == picture_id:
            return ProfilePictureInfo()
        url = f"https://pps.whatsapp.net/v/{kind}"
        return ProfilePictureInfo(URL=url, ID=picture_id, Type=kind)

    def _require_connection(self, error: Any) -> None:
        self.require()
        if self.world.online.get(self.device or "") is not self:
            raise error("websocket not connected")


def make_devices(url: str) -> None:
    """The table that the library makes for its devices."""
    run(fetch(url, DEVICES))
