"""XMPP for tests: accounts on a private Prosody, and the people who write to them."""

import asyncio
import contextlib
import io
import random
import secrets
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from PIL import Image
from uuid_utils.compat import uuid7

from heliograph.networks.content import Content, Text
from heliograph.networks.port import Account, AccountStatus, Cursor, Inbound, Outgoing
from heliograph.networks.testing import Connected, Harness, Recorder, ShownMessage
from heliograph.networks.xmpp.archive import ArchivePage, ArchiveReader
from heliograph.networks.xmpp.driver import XmppNetwork
from heliograph.networks.xmpp.session import XmppSession
from tcp_proxy import TcpProxy, tcp_proxy
from xmpp_friend import Crowd, Friend
from xmpp_phone import messages_on, reactions, sees_read, sees_typing
from xmpp_server import CROWD, DOMAIN, GROUPS, PASSWORD, XmppServer
from xmpp_things import REPLACE, REPLY, RETRACT, said, with_id
from xmpp_things import reactions as reactions_to


@dataclass
class Xmpp(Harness):
    """XMPP as a harness of the conformance suite, and a little more."""

    server: XmppServer
    stack: AsyncExitStack
    network: XmppNetwork
    person: str = ""
    other_person: str = ""
    nobody: str = ""
    crowd: int = 1000
    password_lasts: bool = True
    groups_tell_creation: bool = False
    groups_refuse_nobody: bool = False
    tells_voice: bool = False
    keeps_cards: bool = False
    open: list[Connected] = field(default_factory=list)
    friends: dict[str, Friend] = field(default_factory=dict)
    proxies: dict[UUID, TcpProxy] = field(default_factory=dict)
    strangers: Crowd | None = None

    def stranger(self, n: int) -> str:
        return f"49301{n:06d}@{CROWD}"

    def address(self, person: str) -> str:
        return person if "@" in person else f"{person}@{DOMAIN}"

    async def account(self, **settings: str) -> Account:
        """A new account on the server, whose way to it can be cut."""
        account_id = uuid4()
        proxy = await self.stack.enter_async_context(tcp_proxy(self.server.port))
        self.proxies[account_id] = proxy
        values = {
            "jid": self.server.add_person(f"desk-{secrets.token_hex(4)}"),
            "host": "127.0.0.1",
            "port": str(proxy.port),
            "ca": self.server.ca,
        }
        return Account(account_id, "Front desk", values | settings, {"password": PASSWORD})

    async def begin(self, account: Account | None = None) -> Connected:
        """A session, whatever becomes of it; it begins where those before have stored they were,
        unless the account says so itself."""
        account = account or await self.account()
        account = replace(account, cursors=account.cursors or self.cursors(account.id))
        events = Recorder()
        session = await self.network.connect(account, events)
        connected = Connected(self.network, account, session, events)
        self.open.append(connected)
        return connected

    def cursors(self, account_id: UUID) -> dict[str, str]:
        """What the sessions of an account have had stored, as the gateway would hand it back."""
        cursors: dict[str, str] = {}
        for at in self.open:
            for event in at.events.all(Cursor) if at.account.id == account_id else ():
                if event.position is None:
                    cursors.pop(event.chat_jid, None)
                else:
                    cursors[event.chat_jid] = event.position
        return cursors

    async def connected(self, account: Account | None = None) -> Connected:
        at = await self.begin(account)
        state = await at.events.status(AccountStatus.CONNECTED)
        at.account = replace(at.account, remote_jid=state.remote_jid, cursors={})
        if at is self.open[0]:
            await self._befriend(at)
        return at

    async def _befriend(self, at: Connected) -> None:
        """The address book that the tests expect."""
        session: Friend = Friend(self.server, at.account.settings["jid"], "laptop")
        await session.come()
        friend = await self.friend(self.person)
        await friend.show_picture(picture())
        session.client.update_roster(friend.jid, name="Žofie")
        session.client.send_presence(pto=friend.jid, ptype="subscribe")
        await session.synchronize()
        await friend.synchronize()
        await session.go()

    async def friend(self, person: str) -> Friend:
        jid = self.address(person)
        if jid not in self.friends:
            self.friends[jid] = await Friend(self.server, jid).come()
        return self.friends[jid]

    async def laptop(self, at: Connected) -> Friend:
        """Another program of the account."""
        jid = at.account.settings["jid"]
        laptop = await Friend(self.server, jid, "laptop").come()
        self.friends[f"laptop of {jid}"] = laptop
        return laptop

    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        friend = await self.friend(person)
        return await friend.shown(at.account.settings["jid"])

    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        jid = at.account.settings["jid"]
        if person.endswith(CROWD):
            if self.strangers is None:
                self.strangers = Crowd(self.server)
                await self.strangers.come()
            return self.strangers.say(person, jid, text)
        friend = await self.friend(person)
        return await (friend.say_in(group_jid, text) if group_jid else friend.say(jid, text))

    # --- what the person's program shows, and what people do ---

    async def look(self, at: Connected, person: str) -> Sequence[ShownMessage]:
        return await messages_on(await self._up_to_date(person), at.account.settings["jid"])

    async def reactions(self, at: Connected, person: str, chat_message_id: str) -> Sequence[str]:
        friend = await self._up_to_date(person)
        return reactions(friend, at.account.settings["jid"], chat_message_id)

    async def sees_typing(self, at: Connected, person: str) -> bool:
        return sees_typing(await self._up_to_date(person), at.account.settings["jid"])

    async def sees_read(self, at: Connected, person: str, chat_message_id: str) -> bool:
        friend = await self._up_to_date(person)
        return sees_read(friend, at.account.settings["jid"], chat_message_id)

    async def _up_to_date(self, person: str) -> Friend:
        """The person, once they have all that the server has for them."""
        friend = await self.friend(person)
        await friend.synchronize()
        return friend

    async def send(
        self,
        at: Connected,
        person: str,
        content: Content,
        *,
        file: bytes | None = None,
        reply_to: str | None = None,
    ) -> str:
        friend = await self.friend(person)
        body, payload = await said(friend, content, file)
        if reply_to is not None:
            payload.append(with_id(REPLY, reply_to))
        return await self._post(at, friend, body, *payload)

    async def send_unknown(self, at: Connected, person: str) -> str:
        hologram = ET.Element("{urn:example:hologram}hologram")
        stored = ET.Element("{urn:xmpp:hints}store")
        return await self._post(at, await self.friend(person), "", hologram, stored)

    async def edit(self, at: Connected, person: str, chat_message_id: str, text: str) -> None:
        friend = await self.friend(person)
        await self._post(at, friend, text, with_id(REPLACE, chat_message_id))

    async def delete(self, at: Connected, person: str, chat_message_id: str) -> None:
        friend = await self.friend(person)
        await self._post(at, friend, "This was taken back.", with_id(RETRACT, chat_message_id))

    async def react(self, at: Connected, person: str, chat_message_id: str, emoji: str) -> None:
        friend, given = await self.friend(person), [emoji] if emoji else []
        stored = ET.Element("{urn:xmpp:hints}store")
        await self._post(at, friend, "", reactions_to(chat_message_id, *given), stored)

    async def _post(self, at: Connected, friend: Friend, body: str, *payload: ET.Element) -> str:
        message_id = friend.post(at.account.settings["jid"], body, *payload)
        await friend.synchronize()
        return message_id

    async def press(self, at: Connected, person: str, button_id: str) -> None:
        """The person's program sends the button's value, and shows its label."""
        friend = await self.friend(person)
        await friend.say(at.account.settings["jid"], button_id)

    async def invite(self, at: Connected, subject: str, *, approval: bool = False) -> str:
        room = new_room()
        friend = await self.friend(self.person)
        await friend.make_room(room, subject, membersonly="1" if approval else "0")
        return f"xmpp:{room}?join"

    async def revoke(self, invite_link: str) -> None:
        room = invite_link.removeprefix("xmpp:").removesuffix("?join")
        await (await self.friend(self.person)).destroy_room(room)

    def unknown_invite(self) -> str:
        return f"xmpp:{new_room()}?join"

    async def has_connection(self, at: Connected) -> bool:
        return self.proxies[at.account.id].open_connections > 0

    async def cut(self, at: Connected) -> None:
        self.proxies[at.account.id].cut()

    async def expel(self, at: Connected) -> None:
        await asyncio.to_thread(self.server.remove_person, at.account.settings["jid"])


def picture() -> bytes:
    """A PNG of 200 by 200 points that does not compress well."""
    image = Image.frombytes("RGB", (200, 200), random.Random(1).randbytes(200 * 200 * 3))  # noqa: S311
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


@contextlib.asynccontextmanager
async def xmpp_world(server: XmppServer) -> AsyncIterator[Xmpp]:
    people = [
        f"491{secrets.randbelow(10**9):09d}" for _ in range(3)
    ]  # no zero behind the country code
    async with AsyncExitStack() as stack:
        world = Xmpp(server, stack, XmppNetwork(first_delay=0.05))
        world.groups_tell_closing = server.remembers_closed_rooms
        world.person, world.other_person, world.nobody = people
        for person in people[:2]:
            server.add_person(person)
        try:
            yield world
        finally:
            gone = [*(at.session.close() for at in world.open)]
            gone += [friend.go() for friend in world.friends.values()]
            if world.strangers is not None:
                gone.append(world.strangers.go())
            await asyncio.gather(*gone, return_exceptions=True)


def session_of(at: Connected) -> XmppSession:
    assert isinstance(at.session, XmppSession)
    return at.session


def outgoing(at: Connected, to: str, content: Content | str, **more: Any) -> Outgoing:
    """A message as the gateway makes them: the id tells when."""
    ours = uuid7()
    return Outgoing(
        ours,
        at.network.message_id(ours),
        at.network.recipient(to, at.account.settings),
        Text(content) if isinstance(content, str) else content,
        **more,
    )


async def texts(at: Connected, count: int) -> list[str]:
    """What has arrived, once it is so much."""
    for _ in range(count):
        await at.events.next(Inbound)
    return [event.content.summary for event in at.events.all(Inbound)]


async def masked_room(friend: Friend, at: Connected) -> str:
    """A group of the friend's that hides addresses, with the account in it."""
    room = new_room()
    await friend.make_room(room, "Masks", whois="moderators")
    await session_of(at).join_group(f"xmpp:{room}?join")
    return room


FROM_THE_BEGINNING = {"": "2020-01-01T00:00:00+00:00"}
"""Cursors that read everything that the account's server has kept."""


def new_room() -> str:
    return f"{secrets.token_hex(6)}@{GROUPS}"


def counted_pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The archives that are asked for a page from now on."""
    asked: list[str] = []
    page_before = ArchiveReader.page_before

    async def counted(self: ArchiveReader, archive: str, *more: str | None) -> ArchivePage:
        asked.append(archive)
        return await page_before(self, archive, *more)

    monkeypatch.setattr(ArchiveReader, "page_before", counted)
    return asked
