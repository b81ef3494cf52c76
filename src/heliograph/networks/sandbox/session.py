"""A session: what the gateway asks of one account's connection to the sandbox network."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import NoReturn
from uuid import UUID

from msgspec.structs import replace

from heliograph.networks import port
from heliograph.networks.content import Media
from heliograph.networks.errors import (
    BannedError,
    InvalidAddressError,
    NetworkError,
    NoAnswerError,
    PictureNotFoundError,
)
from heliograph.networks.sandbox import (
    addresses,
    changes,
    chats,
    devices,
    files,
    group_management,
    groups,
    phones,
    pictures,
)
from heliograph.networks.sandbox.connection import Connection, SessionResources
from heliograph.networks.sandbox.database_access import NetworkDatabase, topic
from heliograph.networks.sandbox.options import Options
from heliograph.networks.sandbox.outbox import Parcel
from heliograph.networks.sandbox.recipients import check_recipient
from heliograph.networks.sandbox.test_numbers import Misbehavior, misbehavior_of


class SandboxSession(port.Session):
    def __init__(
        self,
        account: port.Account,
        events: port.Events,
        resources: SessionResources,
        options: Options,
    ) -> None:
        self._resources = resources
        self._context = resources.context
        self._database = NetworkDatabase(resources.context.pool)
        self._account_id = account.id
        self._options = options
        self._connection = Connection(account, events, resources, options)
        self._making_group = asyncio.Lock()

    async def send(self, message: port.Outgoing) -> port.Sent:
        magic = misbehavior_of(message.recipient)
        if magic is Misbehavior.SLOW:
            await asyncio.sleep(self._resources.pace.slowness)
        if isinstance(message.content, Media):
            message = await self._upload(message, message.content)
        parcel = Parcel(self._account_id, self._connection.session_id, self._options, message)
        try:
            accepted = await self._resources.outbox.send(parcel)
        except BannedError:
            self._connection.dropped("banned")
            raise
        except NoAnswerError:
            await _wait_in_vain()
        except NetworkError as error:
            if error.permanent and isinstance(message.content, Media):
                await files.delete(self._database, message.chat_message_id)
            raise
        if accepted.new and magic is Misbehavior.UNCERTAIN:
            raise NetworkError("The network's answer was lost.", certain=False)
        return accepted.sent

    async def _upload(self, message: port.Outgoing, content: Media) -> port.Outgoing:
        """Store the message's file. Return the message as it reaches phones."""
        file = message.file
        if file is None:
            raise NetworkError("The message lacks its file.", permanent=True)
        if file.size > files.MAX_BYTES:
            raise NetworkError(f"A file has at most {files.MAX_BYTES} bytes here.", permanent=True)
        await self._device()
        size = await self._store(message.chat_message_id, file)
        name = content.file_name or file.file_name or None
        content = replace(content, file_name=name, size=size, media_id=None)
        return replace(message, content=content)

    async def _store(self, chat_message_id: str, file: port.OutgoingFile) -> int:
        """Store the file, unless an earlier attempt has. Return its size."""
        size = await files.find_size(self._database, chat_message_id)
        if size is not None:
            return size
        now = self._context.now()
        return await files.store(
            self._database, self._account_id, chat_message_id, file.chunks(), now
        )

    async def change(self, change: port.OutgoingChange) -> datetime:
        device = await self._device()
        database, jid = self._database, change.chat_jid
        made = changes.PhoneChange(
            kind=change.kind,
            change_id=change.change_id,
            chat_message_id=change.chat_message_id,
            sender_jid=device.jid,
            at=self._context.now(),
            content=change.content,
            emoji=change.emoji,
        )
        magic = misbehavior_of(jid)
        if magic is Misbehavior.SLOW:
            await asyncio.sleep(self._resources.pace.slowness)
        if known := await changes.find_time(database, self._account_id, change.change_id):
            return known
        room = (await groups.find_rooms(database, [jid])).get(jid)
        await check_recipient(database, self._account_id, device.jid, change.change_id, jid, room)
        await changes.require_changeable(database, self._account_id, jid, made)
        others = room.accounts if room else await self._peers(jid)
        accounts = [self._account_id, *others]
        await changes.insert_change(database.uncertain, accounts, made, by=self._account_id)
        for account_id in others:
            self._context.notify(topic(account_id))
        if magic is Misbehavior.UNCERTAIN:
            raise NetworkError("The network's answer was lost.", certain=False)
        return made.at

    async def _peers(self, jid: str) -> tuple[UUID, ...]:
        """Return the account that this address belongs to, if one does."""
        found = await devices.find_account(self._database, jid)
        return () if found is None else (found,)

    async def set_typing(self, chat_jid: str, is_typing: bool) -> None:
        await self._device()
        now = self._context.now()
        await chats.set_typing(self._database, self._account_id, chat_jid, is_typing, now)

    async def mark_read(self, chat_jid: str, messages: Sequence[tuple[str, str]]) -> None:
        await self._device()
        await chats.mark_read(self._database, self._account_id, chat_jid, messages)

    async def check_numbers(self, phone_numbers: Sequence[str]) -> Sequence[port.NumberCheck]:
        await self._device()
        return [port.NumberCheck(number, _address_of(number)) for number in phone_numbers]

    async def ping(self) -> None:
        await self._device()

    async def log_out(self) -> None:
        await devices.end(self._database, self._account_id, "logged_out")
        self._connection.dropped("logged_out")
        self._context.notify(topic(self._account_id))

    async def close(self) -> None:
        await self._connection.close()

    async def create_group(self, subject: str, participants: Sequence[str]) -> port.GroupSeen:
        device = await self._device()
        async with self._making_group:
            return await groups.create_group(
                self._database.uncertain, subject, device.jid, participants, self._context.now()
            )

    async def find_group(self, subject: str, since: datetime) -> port.GroupSeen | None:
        device = await self._device()
        return await groups.find_owned(self._database, device.jid, subject, since)

    async def join_group(self, invite_link: str) -> port.GroupSeen:
        device = await self._device()
        return await groups.join_group(
            self._database.uncertain, self._account_id, device.jid, invite_link
        )

    async def get_group(self, remote_jid: str) -> port.GroupDetails:
        device = await self._device()
        return await group_management.get_details(
            self._database, self._account_id, device.jid, remote_jid
        )

    async def add_participants(
        self, remote_jid: str, participants: Sequence[str]
    ) -> Mapping[str, str]:
        group = await self._owned(remote_jid)
        refused = await group_management.add_members(self._database.uncertain, group, participants)
        await self._tell_accounts(remote_jid)
        return refused

    async def remove_participant(self, remote_jid: str, participant: str) -> None:
        group = await self._owned(remote_jid)
        await group_management.remove_member(self._database.uncertain, group, participant)
        await self._tell_accounts(remote_jid)

    async def change_group(
        self, remote_jid: str, *, subject: str | None = None, description: str | None = None
    ) -> None:
        group = await self._owned(remote_jid)
        await group_management.change(self._database.uncertain, group, subject, description)
        await self._tell_accounts(remote_jid)

    async def get_invite_link(self, remote_jid: str) -> str:
        group = await self._owned(remote_jid)
        return await group_management.get_link(self._database.uncertain, group)

    async def leave_group(self, remote_jid: str) -> None:
        device = await self._device()
        group = await group_management.get_details(
            self._database, self._account_id, device.jid, remote_jid
        )
        await group_management.leave(self._database.uncertain, group, device.jid)
        await self._tell_accounts(remote_jid)

    async def _owned(self, group_jid: str) -> port.GroupDetails:
        device = await self._device()
        return await group_management.require_owned(
            self._database, self._account_id, device.jid, group_jid
        )

    async def _tell_accounts(self, group_jid: str) -> None:
        told = await group_management.tell_accounts(
            self._database.uncertain, group_jid, self._account_id
        )
        for account_id in told:
            self._context.notify(topic(account_id))

    async def contacts(self) -> AsyncIterator[Sequence[port.ContactSeen]]:
        """List the address book in pages of 100."""
        await self._device()
        after = ""
        while True:
            page = await phones.list_contacts(self._database, self._account_id, after)
            if page:
                yield page
            if len(page) < phones.PAGE:
                return
            after = page[-1].remote_jid

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> port.FetchedPicture | None:
        await self._device()
        match misbehavior_of(remote_jid):
            case Misbehavior.HIDDEN_PICTURE:
                raise PictureNotFoundError("This person hides their picture from the account.")
            case Misbehavior.NO_PICTURE | Misbehavior.GONE:
                raise PictureNotFoundError("This person has no picture.")
            case Misbehavior.HARMFUL_PICTURE:
                return pictures.HARMFUL
            case Misbehavior.HUGE_PICTURE:
                return pictures.huge_picture()
        if addresses.is_group(remote_jid):
            raise PictureNotFoundError("This group has no picture.")
        phone = await phones.find_phone(self._database, self._account_id, remote_jid)
        version = phone.picture_version if phone else 0
        if known_id == pictures.picture_id(remote_jid, version):
            return None
        return await pictures.picture(remote_jid, version, preview=preview)

    async def _device(self) -> devices.Device:
        """Return the account's device. Raises `NetworkError` unless this session is the
        account's."""
        device = await devices.find_device(self._database, self._account_id)
        if device is None:
            raise devices.error_of("logged_out")
        devices.check_standing(self._connection.standing(device))
        if device.silent:
            await _wait_in_vain()
        return device


def _address_of(phone_number: str) -> str | None:
    """Return the address of a number; None for one that is not on the network."""
    try:
        jid = addresses.address(phone_number)
    except InvalidAddressError:
        return None
    return None if misbehavior_of(jid) is Misbehavior.GONE else jid


async def _wait_in_vain() -> NoReturn:
    """Wait for an answer that never comes, until the caller gives up."""
    await asyncio.Event().wait()
    raise NoAnswerError("The network does not answer.")
