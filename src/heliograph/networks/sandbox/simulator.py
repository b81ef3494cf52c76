"""The other side: what the people with the virtual phones do.

Each action is a statement on the network's tables and a wake-up, so it works from any process: a
command beside a running gateway, a page on another node.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import overload
from uuid import UUID

from msgspec.structs import replace

from heliograph.networks import phone_actions as actions
from heliograph.networks import port
from heliograph.networks.action_fields import check_bounds
from heliograph.networks.content import (
    Buttons,
    Content,
    ListMessage,
    ListReply,
    Media,
    Poll,
    Text,
)
from heliograph.networks.emoji import is_emoji
from heliograph.networks.errors import NetworkError
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
    find_answer,
    find_location_request,
    find_message,
)
from heliograph.networks.sandbox.database_access import (
    NetworkDatabase,
    restriction_topic,
    topic,
)
from heliograph.networks.sandbox.phones import Phone
from heliograph.platform.aio.group_commit import GroupCommit

_CHANGES: dict[type[actions.ChangeAction], port.ChangeKind] = {
    actions.React: "reaction",
    actions.Edit: "edited",
    actions.Delete: "deleted",
}


class Arrivals:
    """Inserts what the phones of the process send at the same time in one statement."""

    def __init__(self, context: port.NetworkContext) -> None:
        self.context = context
        self.database = NetworkDatabase(context.pool)
        self.commit: GroupCommit[None, chats.ArrivingMessage, None] = GroupCommit(
            self._deliver, splits=False
        )

    async def _deliver(
        self, _: None, messages: Sequence[chats.ArrivingMessage]
    ) -> list[Exception | None]:
        chat_jids = {message.chat_jid for message in messages}
        rooms = await groups.find_rooms(self.database, chat_jids)
        copies = [
            replace(message, account_id=account_id)
            for message in messages
            for account_id in _audience(message, rooms)
        ]
        await chats.insert_arriving(self.database, copies)
        for account_id in {copy.account_id for copy in copies}:
            self.context.notify(topic(account_id))
        return [None] * len(messages)


def _audience(message: chats.ArrivingMessage, rooms: dict[str, groups.Room]) -> tuple[UUID, ...]:
    """Return the accounts that get a message: in a group, every account of the network in it."""
    room = rooms.get(message.chat_jid)
    return (message.account_id,) if room is None else room.accounts


class SandboxSimulator:
    """What the people around one account do: `heliograph.networks.port.Simulator`."""

    def __init__(self, arrivals: Arrivals, account_id: UUID) -> None:
        self._arrivals = arrivals
        self._context = arrivals.context
        self._database = arrivals.database
        self._account_id = account_id

    async def people(self, *, most: int | None = None) -> Sequence[port.Person]:
        await self._device()
        return await phones.list_people(self._database, self._account_id, most)

    async def find_person(self, who: str) -> port.Person:
        return (await self._phone(who)).person

    async def find_names(self, jids: Sequence[str]) -> Mapping[str, str]:
        return await phones.find_names(self._database, self._account_id, jids)

    async def groups(self, phone: str) -> Sequence[port.SimulatedGroup]:
        device = await self._device()
        owner = await self._phone(phone)
        return await groups.list_groups(self._database, self._account_id, device.jid, owner.jid)

    async def receive(
        self, phone: str, *, limit: int = 20, group_jid: str | None = None
    ) -> Sequence[port.SimulatedMessage]:
        owner, chat_jid = await self._open(phone, group_jid)
        return await self._messages(owner, chat_jid, limit)

    @overload
    async def act(self, action: actions.MessageAction) -> port.SimulatedMessage: ...
    @overload
    async def act(self, action: actions.QuietAction) -> str: ...
    async def act(
        self, action: actions.MessageAction | actions.QuietAction
    ) -> port.SimulatedMessage | str:
        check_bounds(action)
        if isinstance(action, actions.MessageAction):
            return await self._send(action)
        if isinstance(action, actions.ChangeAction):
            return await self._change(action)
        if isinstance(action, actions.SwitchAction):
            return await self._switch(action)
        if isinstance(action, actions.GroupAction):
            return await self._manage_group(action)
        if isinstance(action, actions.Scan):
            return await self._scan(action)
        return await self._disturb(action)

    async def _send(self, action: actions.MessageAction) -> port.SimulatedMessage:
        owner, chat_jid = await self._open(action.phone, action.group)
        _require_online(owner)
        if isinstance(action, actions.AnswerAction):
            content, answered = await self._answer(action, owner, chat_jid)
            return await self._arrive(owner, chat_jid, content, answered)
        if isinstance(action, actions.SendFile | actions.Send):
            file = action.file.data if isinstance(action, actions.SendFile) else action.file
            return await self._arrive(owner, chat_jid, action.content, action.message, file)
        answered = None
        if isinstance(action, actions.SendLocation):
            answered = find_location_request(await self._messages(owner, chat_jid))
        return await self._arrive(owner, chat_jid, action.content, answered)

    async def _answer(
        self, action: actions.AnswerAction, owner: Phone, chat_jid: str
    ) -> tuple[Content, str | None]:
        """Return what the phone says in answer to a message, and that message's id."""
        shown = await self._messages(owner, chat_jid)
        match action:
            case actions.Reply(text=text):
                return Text(text), find_message(shown, action.message, mine=False)
            case actions.Choose(row=row, title=title) if title:
                return ListReply(row, title, action.description or None), action.message
            case actions.Press(button=button):
                return find_answer(shown, Buttons, (button,), action.message)
            case actions.Choose(row=row):
                return find_answer(shown, ListMessage, (row,), action.message)
            case actions.Vote(options=options):
                return find_answer(shown, Poll, options, action.message)

    async def _change(self, action: actions.ChangeAction) -> str:
        owner, chat_jid = await self._open(action.phone, action.group)
        _require_online(owner)
        shown = await self._messages(owner, chat_jid)
        change = changes.PhoneChange(
            kind=_CHANGES[type(action)],
            change_id=addresses.new_message_id(),
            chat_message_id=find_message(
                shown, action.message, mine=not isinstance(action, actions.React)
            ),
            sender_jid=owner.jid,
            at=self._context.now(),
            content=Text(action.text) if isinstance(action, actions.Edit) else None,
            emoji=_emoji_of(action),
        )
        await changes.require_changeable(self._database, self._account_id, chat_jid, change)
        room = (await groups.find_rooms(self._database, [chat_jid])).get(chat_jid)
        accounts = room.accounts if room else (self._account_id,)
        await changes.insert_change(self._database, accounts, change)
        for account_id in accounts:
            self._context.notify(topic(account_id))
        if isinstance(action, actions.React):
            return "Reacted." if action.emoji else "Withdrawn."
        return "Edited." if isinstance(action, actions.Edit) else "Deleted."

    async def _switch(self, action: actions.SwitchAction) -> str:
        await self._device()
        owner = await self._phone(action.phone)
        if isinstance(action, actions.Picture):
            version = await phones.change_picture(self._database, self._account_id, owner.jid)
            new_id = pictures.picture_id(owner.jid, version)
            return f"{owner.display_name} has the new picture {new_id}."
        is_online = isinstance(action, actions.Online)
        if is_online:
            now = self._context.now()
            await mailbox.release_waiting(self._database, self._account_id, owner.jid, now)
        await phones.set_online(self._database, self._account_id, owner.jid, is_online)
        self._context.notify(topic(self._account_id))
        return f"{owner.display_name}'s phone is switched {'on' if is_online else 'off'}."

    async def _manage_group(self, action: actions.GroupAction) -> str:
        if isinstance(action, actions.Revoke):
            await groups.revoke_invite(self._database, action.link)
            return "Revoked."
        await self._device()
        if isinstance(action, actions.Approve):
            group = await groups.approve(self._database, self._account_id, action.link)
            self._context.notify(topic(self._account_id))
            return f"The account is in the group {group.subject!r}: {group.remote_jid}"
        owner, now = await self._phone(action.owner), self._context.now()
        made = await groups.create_group(
            self._database, action.subject, owner.jid, (), now, account_id=self._account_id
        )
        return await groups.insert_invite(self._database, made.remote_jid, approval=action.approval)

    async def _scan(self, action: actions.Scan) -> str:
        now = self._context.now()
        paired_id = await devices.accept_pairing(self._database, action.payload.strip(), now)
        self._context.notify(topic(paired_id))
        return "Paired."

    async def _disturb(self, action: actions.ConnectionAction) -> str:
        await self._device()
        database, account_id, now = self._database, self._account_id, self._context.now()
        match action:
            case actions.Disconnect(log_out=log_out, seconds=seconds):
                if log_out:
                    await devices.end(database, account_id, "logged_out")
                else:
                    await devices.cut(database, account_id, now=now, seconds=seconds)
                self._context.notify(topic(account_id))
                return "Logged out." if log_out else "Disconnected."
            case actions.Silence():
                await devices.silence(database, account_id)
                return "Silent until the account connects again."
            case actions.Restrict(seconds=seconds):
                until = now + timedelta(seconds=seconds) if seconds else None
                await devices.restrict(database, account_id, until)
                self._context.notify(restriction_topic(account_id))
                return "Restricted: messages to new people wait." if until else "Not restricted."

    async def open_file(self, chat_message_id: str) -> port.SimulatedFile:
        return await chats.get_file(self._database, self._account_id, chat_message_id)

    async def is_typing(self, phone: str, *, group_jid: str | None = None) -> bool:
        owner = await self._phone(phone)
        return owner.online and await chats.is_typing(
            self._database, self._account_id, group_jid or owner.jid, self._context.now()
        )

    # --- shared steps ---

    async def _device(self) -> devices.Device:
        return await devices.get_device(self._database, self._account_id)

    async def _phone(self, who: str) -> Phone:
        return await phones.get_phone(self._database, self._account_id, who)

    async def _open(self, phone: str, group_jid: str | None) -> tuple[Phone, str]:
        """Open a chat on a phone, which marks a direct one as read. Return the phone and the
        chat."""
        device = await self._device()
        owner = await self._phone(phone)
        if group_jid is not None:
            await self._require_members(group_jid, owner, device.jid)
            return owner, group_jid
        if await chats.open_chat(self._database, self._account_id, owner, self._context.now()):
            self._context.notify(topic(self._account_id))
        return owner, owner.jid

    async def _require_members(self, group_jid: str, owner: Phone, account_jid: str) -> None:
        group = await groups.get_group(self._database, group_jid)
        for jid, who in ((owner.jid, owner.display_name), (account_jid, "The account")):
            if jid not in group.participants:
                raise NetworkError(f"{who} is not in the group {group_jid}.", permanent=True)

    async def _messages(
        self, owner: Phone, chat_jid: str, limit: int = SEARCHED
    ) -> Sequence[port.SimulatedMessage]:
        """Return the messages of a chat, by default as far back as somebody would scroll."""
        return await chats.list_messages(self._database, self._account_id, chat_jid, owner, limit)

    async def _arrive(
        self,
        owner: Phone,
        chat_jid: str,
        content: Content,
        reply_to: str | None = None,
        file: bytes | None = None,
    ) -> port.SimulatedMessage:
        arriving = chats.ArrivingMessage(
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
            await files.store(self._database, self._account_id, id_, pieces, now)
        await self._arrivals.commit.submit(None, arriving)
        return port.SimulatedMessage(
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
    if not 1 <= len(file) <= files.MAX_FROM_PHONES:
        raise NetworkError(
            f"A phone sends files of 1 to {files.MAX_FROM_PHONES} bytes.", permanent=True
        )
    return replace(content, size=len(file))


def _emoji_of(action: actions.ChangeAction) -> str:
    emoji = action.emoji if isinstance(action, actions.React) else ""
    if emoji and not is_emoji(emoji):
        raise NetworkError("A reaction is one emoji.", permanent=True)
    return emoji


def _require_online(phone: Phone) -> None:
    if not phone.online:
        raise NetworkError(f"{phone.display_name}'s phone is switched off.", permanent=True)
