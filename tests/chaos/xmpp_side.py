"""A private Prosody as the network of a world, and the people who write and read there."""

import asyncio
import secrets
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from slixmpp.exceptions import IqError, IqTimeout

from chaos.chat_side import Device
from chaos.ledger import Shown
from chaos.postgres import Queried
from chaos.world import World
from heliograph.core.accounts.model import Account
from prosody_server import ProsodyServer
from tcp_proxy import TcpProxy
from xmpp_friend import MARKABLE, Friend, archive
from xmpp_server import PASSWORD

A_LITTLE = timedelta(seconds=5)
"""Archives keep times in whole seconds."""
RECEIVED = "{urn:xmpp:receipts}received"
DISPLAYED = "{urn:xmpp:chat-markers:0}displayed"
BROKEN = (TimeoutError, OSError, IqError, IqTimeout)


@dataclass
class XmppSide:
    """The accounts' way to the server leads through `proxy`. What the network has is what their
    archives have."""

    database: Queried
    server: ProsodyServer
    proxy: TcpProxy
    people: "Mapping[str, Somebody]"
    lost_by_server: int = 0
    _desks: list[str] = field(default_factory=list)
    _heard: int | None = None
    _received: dict[str, set[str]] = field(default_factory=dict)

    async def new_device(self) -> Device:
        jid = self.server.add_person(f"desk-{secrets.token_hex(4)}")
        self._desks.append(jid)
        values = {"jid": jid, "password": PASSWORD, "ca": self.server.ca}
        return Device("xmpp", {**values, "host": "127.0.0.1", "port": str(self.proxy.port)})

    async def waiting(self) -> int:
        """Asked once nobody writes any more."""
        if self._heard is None:
            kept = [await self._archive(jid) for jid in self._desks]
            self._heard = sum(not message.from_account for desk in kept for message in desk)
        rows = await self.database.fetch(
            "SELECT count(*) FROM messages WHERE direction = 'inbound'"
        )
        return max(0, self._heard - int(rows[0][0]))

    async def seen(self, accounts: Sequence[Account]) -> tuple[list[Shown], list[Shown]]:
        shown: list[Shown] = []
        heard: list[Shown] = []
        for account in accounts:
            for message in await self._archive(account.settings["jid"]):
                mine = Shown(message.tag, str(account.id), message.phone, message.message_id)
                (shown if message.from_account else heard).append(mine)
        return shown, heard

    async def make_up(self) -> None:
        """A server that is killed can lose a message between two archives, when it has kept it for
        its sender and not yet for its receiver. Such are counted, and acknowledged all the same, so
        that whatever else is missing is the gateway's loss."""
        for desk in self._desks:
            for message in await self._archive(desk):
                somebody = self.people[message.phone]
                if message.from_account and message.message_id not in await self._arrived(
                    somebody.jid
                ):
                    self.lost_by_server += 1
                    await somebody.acknowledge(desk, message.message_id)

    async def _arrived(self, jid: str) -> set[str]:
        if jid not in self._received:
            self._received[jid] = {message.message_id for message in await self._archive(jid)}
        return self._received[jid]

    async def _archive(self, jid: str) -> "list[_Kept]":
        auditor = await Friend(self.server, jid, "auditor").come()
        try:
            return [_kept(message, jid) async for message in archive(auditor)]
        finally:
            await leave(auditor)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A message in an account's archive."""

    tag: str
    phone: str
    message_id: str
    from_account: bool


def _kept(message: Any, jid: str) -> _Kept:
    from_account = message["from"].bare == jid
    other = message["to" if from_account else "from"]
    tag = message["body"].split("\n\n")[0]  # behind it, the buttons
    return _Kept(tag, f"+{other.local}", message["id"], from_account)


class Somebody:
    """A person with a telephone number, whose program comes back whenever it is cut off, and marks
    as read whatever it shows."""

    def __init__(self, server: ProsodyServer, phone: str) -> None:
        self._server = server
        self.jid = server.add_person(phone.removeprefix("+"))
        self._program: _Program | None = None
        self._here = asyncio.Event()

    async def stay(self) -> None:
        """Until it is canceled. Marks may be lost with a connection: all that came since it began
        is marked once more over the next."""
        read_from = datetime.now(UTC)
        while True:
            program, began = _Program(self._server, self.jid), datetime.now(UTC)
            try:
                await program.come()
                await program.read_again(read_from - A_LITTLE)
                read_from, self._program = began, program
                self._here.set()
                await program.gone.wait()
            except BROKEN:
                await asyncio.sleep(0.2)
            finally:
                self._here.clear()
                await leave(program)

    async def post(self, to: str, text: str) -> None:
        """Write, once there is a connection; it may break before the server has read it."""
        await self._here.wait()
        assert self._program is not None
        self._program.post(to, text)

    async def acknowledge(self, account: str, message_id: str) -> None:
        """As if it had arrived and been read."""
        await self._here.wait()
        assert self._program is not None
        self._program.tell_read(account, message_id)

    async def finish(self) -> None:
        """Once this returns, the server has what was written, or will never have it."""
        await self._here.wait()
        assert self._program is not None
        with suppress(*BROKEN):
            await self._program.synchronize()


class _Program(Friend):
    def __init__(self, server: ProsodyServer, jid: str) -> None:
        super().__init__(server, jid)
        self.gone = asyncio.Event()
        for event in ("disconnected", "connection_failed"):
            self.client.add_event_handler(event, lambda _: self.gone.set())
        self.client.plugin["xep_0184"].auto_ack = False  # it would come behind our mark

    async def come(self) -> "_Program":
        """Raises `OSError` when the server goes meanwhile."""
        coming = asyncio.ensure_future(super().come())
        going = asyncio.ensure_future(self.gone.wait())
        await asyncio.wait({coming, going}, return_when=asyncio.FIRST_COMPLETED)
        going.cancel()
        if not coming.done():
            coming.cancel()
            raise ConnectionError("The server went away.")
        await coming
        return self

    def _take(self, message: Any) -> None:
        super()._take(message)
        self._read(message)

    def _read(self, message: Any) -> None:
        """Tell that it has arrived, and that it was read."""
        if message.xml.find(MARKABLE) is not None and message["from"].bare != self.jid:
            self.tell_read(message["from"].full, message["id"])

    def tell_read(self, account: str, message_id: str) -> None:
        for receipt in (RECEIVED, DISPLAYED):
            message = self.client.make_message(account, mtype="chat")
            ET.SubElement(message.xml, receipt, {"id": message_id})
            message.send()

    async def read_again(self, since: datetime) -> None:
        """Read what the server has kept; once this returns, the server has our marks."""
        async for message in archive(self, since=since):
            self._read(message)
        await self.synchronize()


async def leave(program: Friend) -> None:
    with suppress(*BROKEN):
        await program.go()


@asynccontextmanager
async def present(
    server: ProsodyServer, phones: Sequence[str]
) -> AsyncIterator[dict[str, Somebody]]:
    """People with these, while the block runs."""
    everybody = {phone: Somebody(server, phone) for phone in phones}
    staying = [asyncio.create_task(person.stay()) for person in everybody.values()]
    try:
        yield everybody
    finally:
        for task in staying:
            task.cancel()
        await asyncio.gather(*staying, return_exceptions=True)


class Writers:
    """People who write to the accounts, one message after another each."""

    def __init__(self, world: World, everybody: dict[str, Somebody], *, per_second: float) -> None:
        self._world = world
        self._everybody = everybody
        self._pause = len(everybody) / per_second
        self._ended = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            for number, (phone, somebody) in enumerate(self._everybody.items()):
                group.create_task(self._write(number, phone, somebody))
            try:
                yield
            finally:
                self._ended.set()

    async def _write(self, number: int, phone: str, somebody: Somebody) -> None:
        accounts = self._world.accounts
        tenant, account = accounts[number % len(accounts)]
        place = 0
        while not self._ended.is_set():
            tag = f"{phone} to {account.id}: {place}"
            promise = tenant.promise(account, tag, phone, place)
            self._world.ledger.said[tag] = promise  # whether it was heard, the archive says
            await somebody.post(account.settings["jid"], tag)
            place += 1
            await asyncio.sleep(self._pause)
        await somebody.finish()
