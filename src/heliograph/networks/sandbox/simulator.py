"""The other side: what the people with the virtual phones do.

Everything here is a statement on the network's tables and a wake-up, so that it works from any
process: a command beside a running gateway, a page on another node.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from msgspec.structs import replace

from heliograph.networks.content import Buttons, Content, ListMessage, Media, Text
from heliograph.networks.emoji import is_emoji
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import (
    ChangeKind,
    GroupSeen,
    NetworkContext,
    Person,
    RestrictionKind,
    SimulatedFile,
    SimulatedGroup,
    SimulatedMessage,
)
from heliograph.networks.sandbox import (
    addresses,
    changes,
    chats,
    devices,
    files,
    groups,
    mailbox,
    phones,
    pictures,
)
from heliograph.networks.sandbox.choices import (
    SEARCHED,
    Question,
    find_choice,
    find_message,
    find_poll,
)
from heliograph.networks.sandbox.database_access import (
    database_errors,
    restriction_topic,
    topic,
)
from heliograph.networks.sandbox.phones import Phone
from heliograph.platform.aio.group_commit import GroupCommit

LONGEST_TEXT = 65_536
LONGEST = 30 * 86_400.0  # seconds, of an outage and of a restriction


class Arrivals:
    """What all phones of the process send, inserted many in one statement."""

    def __init__(self, context: NetworkContext) -> None:
        self.context = context
        self.commit: GroupCommit[None, chats.Arriving, None] = GroupCommit(
            self._deliver, splits=False
        )

    async def _deliver(self, _: None, messages: Sequence[chats.Arriving]) -> list[Exception | None]:
        chat_jids = {message.chat_jid for message in messages}
        rooms = await groups.find_rooms(self.context.pool, chat_jids)
        copies = [
            replace(message, account_id=account_id)
            for message in messages
            for account_id in _audience(message, rooms)
        ]
        await chats.insert_arriving(self.context.pool, copies)
        for account_id in {copy.account_id for copy in copies}:
            self.context.notify(topic(account_id))
        return [None] * len(messages)


def _audience(message: chats.Arriving, rooms: dict[str, groups.Room]) -> tuple[UUID, ...]:
    """Return the accounts that get a message: in a group, every account of the network in it."""
    room = rooms.get(message.chat_jid)
    return (message.account_id,) if room is None else room.accounts


class SandboxSimulator:
    """What the people around one account do: `heliograph.networks.port.Simulator`."""

    def __init__(self, arrivals: Arrivals, account_id: UUID) -> None:
        self._arrivals = arrivals
        self._context = arrivals.context
        self._pool = arrivals.context.pool
        self._account_id = account_id

    async def people(self, *, most: int | None = None) -> Sequence[Person]:
        with database_errors():
            await self._device()
            return await phones.list_people(self._pool, self._account_id, most)

    async def find_person(self, who: str) -> Person:
        with database_errors():
            return (await self._phone(who)).person

    async def find_names(self, jids: Sequence[str]) -> Mapping[str, str]:
        with database_errors():
            return await phones.find_names(self._pool, self._account_id, jids)

    async def groups(self, phone: str) -> Sequence[SimulatedGroup]:
        with database_errors():
            device = await self._device()
            owner = await self._phone(phone)
            return await groups.list_groups(self._pool, self._account_id, device.jid, owner.jid)

    async def receive(
        self, phone: str, *, limit: int = 20, group_jid: str | None = None
    ) -> Sequence[SimulatedMessage]:
        with database_errors():
            owner, chat_jid = await self._open(phone, group_jid)
            return await chats.list_messages(self._pool, self._account_id, chat_jid, owner, limit)

    async def press(
        self,
        phone: str,
        button: str,
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> SimulatedMessage:
        return await self._choose(Buttons, phone, button, chat_message_id, group_jid)

    async def choose(
        self,
        phone: str,
        row: str,
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> SimulatedMessage:
        return await self._choose(ListMessage, phone, row, chat_message_id, group_jid)

    async def _choose(
        self,
        kind: type[Question],
        phone: str,
        wanted: str,
        chat_message_id: str | None,
        group_jid: str | None,
    ) -> SimulatedMessage:
        with database_errors():
            owner, chat_jid, shown = await self._look(phone, group_jid)
            message, asked, choice = find_choice(shown, kind, wanted, chat_message_id)
            reply = asked.reply((choice,))
            return await self._arrive(owner, chat_jid, reply, message.chat_message_id)

    async def vote(
        self,
        phone: str,
        options: Sequence[str],
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> SimulatedMessage:
        with database_errors():
            owner, chat_jid, shown = await self._look(phone, group_jid)
            message, chosen = find_poll(shown, options, chat_message_id)
            reply = message.content.reply(chosen)
            return await self._arrive(owner, chat_jid, reply, message.chat_message_id)

    async def say(
        self,
        phone: str,
        text: str,
        *,
        group_jid: str | None = None,
        reply_to: str | None = None,
    ) -> SimulatedMessage:
        _require_length(text)
        return await self.send(phone, Text(text), group_jid=group_jid, reply_to=reply_to)

    async def send(
        self,
        phone: str,
        content: Content,
        *,
        group_jid: str | None = None,
        reply_to: str | None = None,
        file: bytes | None = None,
    ) -> SimulatedMessage:
        with database_errors():
            owner, chat_jid = await self._open(phone, group_jid)
            _require_online(owner)
            return await self._arrive(owner, chat_jid, content, reply_to, file)

    async def react(
        self,
        phone: str,
        emoji: str,
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> None:
        if emoji and not is_emoji(emoji):
            raise NetworkError("A reaction is one emoji.", permanent=True)
        await self._change("reaction", phone, chat_message_id, group_jid, emoji=emoji)

    async def edit(
        self,
        phone: str,
        text: str,
        *,
        chat_message_id: str | None = None,
        group_jid: str | None = None,
    ) -> None:
        _require_length(text)
        await self._change("edited", phone, chat_message_id, group_jid, content=Text(text))

    async def delete(
        self, phone: str, *, chat_message_id: str | None = None, group_jid: str | None = None
    ) -> None:
        await self._change("deleted", phone, chat_message_id, group_jid)

    async def _change(
        self,
        kind: ChangeKind,
        phone: str,
        chat_message_id: str | None,
        group_jid: str | None,
        *,
        content: Content | None = None,
        emoji: str = "",
    ) -> None:
        with database_errors():
            owner, chat_jid, shown = await self._look(phone, group_jid)
            wanted = find_message(shown, chat_message_id, mine=kind != "reaction")
            change = changes.Change(
                kind=kind,
                change_id=addresses.new_message_id(),
                chat_message_id=wanted,
                sender_jid=owner.jid,
                at=self._context.now(),
                content=content,
                emoji=emoji,
            )
            await changes.require_changeable(self._pool, self._account_id, chat_jid, change)
            room = (await groups.find_rooms(self._pool, [chat_jid])).get(chat_jid)
            accounts = room.accounts if room else (self._account_id,)
            await changes.insert_change(self._pool, accounts, change)
        for account_id in accounts:
            self._context.notify(topic(account_id))

    async def open_file(self, chat_message_id: str) -> SimulatedFile:
        with database_errors():
            return await chats.get_file(self._pool, self._account_id, chat_message_id)

    async def is_typing(self, phone: str, *, group_jid: str | None = None) -> bool:
        with database_errors():
            owner = await self._phone(phone)
            return owner.online and await chats.is_typing(
                self._pool, self._account_id, group_jid or owner.jid, self._context.now()
            )

    async def scan(self, payload: str) -> None:
        with database_errors():
            paired_id = await devices.accept_pairing(
                self._pool, payload.strip(), self._context.now()
            )
        self._context.notify(topic(paired_id))

    async def set_online(self, phone: str, online: bool) -> None:
        with database_errors():
            await self._device()
            owner = await self._phone(phone)
            if online:
                now = self._context.now()
                await mailbox.release_waiting(self._pool, self._account_id, owner.jid, now)
            await phones.set_online(self._pool, self._account_id, owner.jid, online)
        self._context.notify(topic(self._account_id))

    async def change_picture(self, phone: str) -> str:
        with database_errors():
            await self._device()
            owner = await self._phone(phone)
            version = await phones.change_picture(self._pool, self._account_id, owner.jid)
        return pictures.picture_id(owner.jid, version)

    async def disconnect(self, *, log_out: bool = False, seconds: float = 0.0) -> None:
        _check_length("An outage", seconds)
        with database_errors():
            await self._device()
            if log_out:
                await devices.end(self._pool, self._account_id, "logged_out")
            else:
                now = self._context.now()
                await devices.cut(self._pool, self._account_id, now=now, seconds=seconds)
        self._context.notify(topic(self._account_id))

    async def silence(self) -> None:
        with database_errors():
            await self._device()
            await devices.silence(self._pool, self._account_id)

    async def invite(self, subject: str, *, owner: str, approval: bool = False) -> str:
        with database_errors():
            await self._device()
            phone = await self._phone(owner)
            now = self._context.now()
            group = await groups.create_group(
                self._pool, subject, phone.jid, (), now, account_id=self._account_id
            )
            return await groups.insert_invite(self._pool, group.remote_jid, approval=approval)

    async def revoke_invite(self, invite_link: str) -> None:
        with database_errors():
            await groups.revoke_invite(self._pool, invite_link)

    async def approve(self, invite_link: str) -> GroupSeen:
        with database_errors():
            await self._device()
            group = await groups.approve(self._pool, self._account_id, invite_link)
        self._context.notify(topic(self._account_id))
        return group

    async def set_delays(
        self, *, delivered: float | None = None, read: float | None = None
    ) -> None:
        with database_errors():
            await self._device()
            await devices.set_delays(self._pool, self._account_id, delivered, read)

    async def restrict(self, kind: RestrictionKind, seconds: float) -> None:
        _check_length("A restriction", seconds)
        until = self._context.now() + timedelta(seconds=seconds) if seconds else None
        with database_errors():
            await self._device()
            await devices.restrict(self._pool, self._account_id, until)
        self._context.notify(restriction_topic(self._account_id))

    # --- what several of them do ---

    async def _device(self) -> devices.Device:
        return await devices.get_device(self._pool, self._account_id)

    async def _phone(self, who: str) -> Phone:
        return await phones.get_phone(self._pool, self._account_id, who)

    async def _open(self, phone: str, group_jid: str | None) -> tuple[Phone, str]:
        """Open a chat on a phone, which reads a direct one; returns phone and chat."""
        device = await self._device()
        owner = await self._phone(phone)
        if group_jid is not None:
            await self._require_members(group_jid, owner, device.jid)
            return owner, group_jid
        if await chats.open_chat(self._pool, self._account_id, owner, self._context.now()):
            self._context.notify(topic(self._account_id))
        return owner, owner.jid

    async def _require_members(self, group_jid: str, owner: Phone, account_jid: str) -> None:
        room = (await groups.find_rooms(self._pool, [group_jid])).get(group_jid)
        if room is None:
            raise NetworkError(f"There is no group {group_jid}.", permanent=True)
        for jid, who in ((owner.jid, owner.display_name), (account_jid, "The account")):
            if jid not in room.members:
                raise NetworkError(f"{who} is not in the group {group_jid}.", permanent=True)

    async def _look(
        self, phone: str, group_jid: str | None
    ) -> tuple[Phone, str, Sequence[SimulatedMessage]]:
        """Open a chat on a phone that is switched on; returns phone, chat and what it shows."""
        owner, chat_jid = await self._open(phone, group_jid)
        _require_online(owner)
        shown = await chats.list_messages(self._pool, self._account_id, chat_jid, owner, SEARCHED)
        return owner, chat_jid, shown

    async def _arrive(
        self,
        owner: Phone,
        chat_jid: str,
        content: Content,
        reply_to: str | None,
        file: bytes | None = None,
    ) -> SimulatedMessage:
        arriving = chats.Arriving(
            account_id=self._account_id,
            chat_jid=chat_jid,
            sender_jid=owner.jid,
            chat_message_id=addresses.new_message_id(),
            content=content if file is None else _with_size(content, file),
            sent_at=self._context.now(),
            reply_to=reply_to,
        )
        if file is not None:
            pieces = files.in_pieces(file)
            id_, now = arriving.chat_message_id, arriving.sent_at
            await files.store(self._pool, self._account_id, id_, pieces, now)
        await self._arrivals.commit.submit(None, arriving)
        return SimulatedMessage(
            chat_message_id=arriving.chat_message_id,
            chat_jid=chat_jid,
            sender_jid=owner.jid,
            content=arriving.content,
            sent_at=arriving.sent_at,
            mine=True,
            status="sent",
            reply_to=reply_to,
            has_file=file is not None,
        )


def _with_size(content: Content, file: bytes) -> Content:
    if not isinstance(content, Media):
        raise NetworkError(
            "Only a picture, a video, a sound or a document has a file.", permanent=True
        )
    if not 1 <= len(file) <= files.MOST_FROM_PHONES:
        raise NetworkError(
            f"A phone sends files of 1 to {files.MOST_FROM_PHONES} bytes.", permanent=True
        )
    return replace(content, size=len(file))


def _require_length(text: str) -> None:
    if not 1 <= len(text) <= LONGEST_TEXT:
        raise NetworkError(f"A text has 1 to {LONGEST_TEXT} characters.", permanent=True)


def _require_online(phone: Phone) -> None:
    if not phone.online:
        raise NetworkError(f"{phone.display_name}'s phone is switched off.", permanent=True)


def _check_length(what: str, seconds: float) -> None:
    if not 0 <= seconds <= LONGEST:
        raise NetworkError(f"{what} must be 0 to {LONGEST:.0f} seconds long.", permanent=True)
