"""The other side: what the people with the virtual phones do.

Everything here is a statement on the network's tables and a wake-up, so that it works from any
process: a command beside a running gateway, a page on another node.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from msgspec.structs import replace

from heliograph.networks.content import ButtonReply, Content, Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import (
    GroupSeen,
    NetworkContext,
    Person,
    RestrictionKind,
    SimulatedGroup,
    SimulatedMessage,
)
from heliograph.networks.sandbox import addresses, chats, devices, groups, mailbox, phones, pictures
from heliograph.networks.sandbox.database_access import (
    database_errors,
    restriction_topic,
    topic,
)
from heliograph.networks.sandbox.phones import Phone
from heliograph.platform.aio.group_commit import GroupCommit

LONGEST_TEXT = 65_536
MOST_RESTRICTED = 30 * 86_400.0


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
        with database_errors():
            owner, chat_jid = await self._open(phone, group_jid)
            _require_online(owner)
            shown = await chats.list_messages(
                self._pool, self._account_id, chat_jid, owner, chats.BUTTON_SEARCH
            )
            message, pressed = chats.find_button(shown, button, chat_message_id)
            reply = ButtonReply(pressed)
            return await self._arrive(owner, chat_jid, reply, message.chat_message_id)

    async def say(self, phone: str, text: str, *, group_jid: str | None = None) -> SimulatedMessage:
        if not 1 <= len(text) <= LONGEST_TEXT:
            raise NetworkError(f"A text has 1 to {LONGEST_TEXT} characters.", permanent=True)
        return await self.send(phone, Text(text), group_jid=group_jid)

    async def send(
        self,
        phone: str,
        content: Content,
        *,
        group_jid: str | None = None,
        reply_to: str | None = None,
    ) -> SimulatedMessage:
        with database_errors():
            owner, chat_jid = await self._open(phone, group_jid)
            _require_online(owner)
            return await self._arrive(owner, chat_jid, content, reply_to)

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
        if not 0 <= seconds <= MOST_RESTRICTED:
            raise NetworkError(
                f"A restriction is 0 to {MOST_RESTRICTED:.0f} seconds.", permanent=True
            )
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

    async def _arrive(
        self, owner: Phone, chat_jid: str, content: Content, reply_to: str | None
    ) -> SimulatedMessage:
        arriving = chats.Arriving(
            account_id=self._account_id,
            chat_jid=chat_jid,
            sender_jid=owner.jid,
            chat_message_id=addresses.new_message_id(),
            content=content,
            sent_at=self._context.now(),
            reply_to=reply_to,
        )
        await self._arrivals.commit.submit(None, arriving)
        return SimulatedMessage(
            chat_message_id=arriving.chat_message_id,
            chat_jid=chat_jid,
            sender_jid=owner.jid,
            content=content,
            sent_at=arriving.sent_at,
            mine=True,
            status="sent",
        )


def _require_online(phone: Phone) -> None:
    if not phone.online:
        raise NetworkError(f"{phone.display_name}'s phone is switched off.", permanent=True)
