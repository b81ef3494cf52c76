"""A session: what the gateway asks of one account's connection to the sandbox network."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import NoReturn

from heliograph.networks.errors import (
    BannedError,
    NetworkError,
    NoAnswerError,
    PictureNotFoundError,
)
from heliograph.networks.port import (
    Account,
    ContactSeen,
    Events,
    GroupSeen,
    Outgoing,
    Picture,
    Sent,
    Session,
)
from heliograph.networks.sandbox import addresses, devices, groups, phones, pictures
from heliograph.networks.sandbox.connection import Connection, SessionResources
from heliograph.networks.sandbox.database_access import database_errors, topic
from heliograph.networks.sandbox.options import Options
from heliograph.networks.sandbox.outbox import Parcel
from heliograph.networks.sandbox.test_numbers import Misbehavior, misbehavior_of


class SandboxSession(Session):
    def __init__(
        self, account: Account, events: Events, resources: SessionResources, options: Options
    ) -> None:
        self._resources = resources
        self._context = resources.context
        self._account_id = account.id
        self._connection = Connection(account, events, resources, options)
        self._making_group = asyncio.Lock()

    async def send(self, message: Outgoing) -> Sent:
        magic = misbehavior_of(message.recipient)
        if magic is Misbehavior.SLOW:
            await asyncio.sleep(self._resources.slowness)
        parcel = Parcel(self._account_id, self._connection.session_id, message)
        try:
            accepted = await self._resources.outbox.send(parcel)
        except BannedError:
            self._connection.dropped("banned")
            raise
        except NoAnswerError:
            await _wait_in_vain()
        if accepted.new and magic is Misbehavior.UNCERTAIN:
            raise NetworkError("The network's answer was lost.", certain=False)
        return accepted.sent

    async def ping(self) -> None:
        await self._device()

    async def log_out(self) -> None:
        with database_errors():
            await devices.end(self._context.pool, self._account_id, "logged_out")
        self._connection.dropped("logged_out")
        self._context.notify(topic(self._account_id))

    async def close(self) -> None:
        await self._connection.close()

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        device = await self._device()
        async with self._making_group:
            with database_errors(certain=False):
                return await groups.create_group(
                    self._context.pool, subject, device.jid, participants, self._context.now()
                )

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        device = await self._device()
        with database_errors():
            return await groups.find_owned(self._context.pool, device.jid, subject, since)

    async def join_group(self, invite_link: str) -> GroupSeen:
        device = await self._device()
        with database_errors(certain=False):
            return await groups.join_group(
                self._context.pool, self._account_id, device.jid, invite_link
            )

    async def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]:
        """List the address book in pages of 100."""
        await self._device()
        after = ""
        while True:
            with database_errors():
                page = await phones.list_contacts(self._context.pool, self._account_id, after)
            if page:
                yield page
            if len(page) < phones.PAGE:
                return
            after = page[-1].remote_jid

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> Picture | None:
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
        with database_errors():
            phone = await phones.find_phone(self._context.pool, self._account_id, remote_jid)
        version = phone.picture_version if phone else 0
        if known_id == pictures.picture_id(remote_jid, version):
            return None
        return await pictures.picture(remote_jid, version, preview=preview)

    async def _device(self) -> devices.Device:
        """Return the account's device. Raises `NetworkError` unless this session is the
        account's."""
        with database_errors():
            device = await devices.find_device(self._context.pool, self._account_id)
        if device is None:
            raise devices.error_of("logged_out")
        devices.check_standing(self._connection.standing(device))
        if device.silent:
            await _wait_in_vain()
        return device


async def _wait_in_vain() -> NoReturn:
    """Wait for an answer that never comes, until the caller gives up."""
    await asyncio.Event().wait()
    raise NoAnswerError("The network does not answer.")
