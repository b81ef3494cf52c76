"""WhatsApp for tests: the driver over the stand-in, and the people at its other end."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from uuid import uuid4

from msgspec.structs import replace
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ContextInfo, Message
from neonize.utils.enum import ChatPresence

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from databases import CONNECT_TIMEOUT
from heliograph.networks.content import Content, Media, message_type
from heliograph.networks.port import Account, AccountStatus, Events, NetworkContext, Session
from heliograph.networks.testing import Connected, Harness, Recorder, ShownMessage
from heliograph.networks.whatsapp.addresses import INVITE_BASE
from heliograph.networks.whatsapp.connection import SessionResources
from heliograph.networks.whatsapp.conversion.outgoing import (
    file_to_send,
    message_to_send,
    with_context,
)
from heliograph.networks.whatsapp.conversion.outgoing_changes import (
    edit_to_send,
    reaction_to_send,
    revoke_to_send,
)
from heliograph.networks.whatsapp.driver import WhatsAppNetwork
from heliograph.networks.whatsapp.files import SERVER
from heliograph.networks.whatsapp.options import read_phone_number
from heliograph.networks.whatsapp.session import WhatsAppSession
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from whatsapp_files import PURPOSES, sealed_file
from whatsapp_phone import choices_of, messages_on, reactions, shown_on_phone
from whatsapp_standin import World, lid_of

NEWER_KIND = bytes([0x82, 0xFA, 0x04, 2, 8, 1])
"""A message with field 10144, which the library does not know, and a part in it."""


class StandInNetwork(WhatsAppNetwork):
    """The driver, with the stand-in in the place of the library's client."""

    def __init__(self, world: World, context: NetworkContext) -> None:
        super().__init__()
        self.start(context)
        make_client = partial(world.phone, "postgres:///")
        self._resources = SessionResources(
            context, make_client, first_delay=0.01, fetch=world.fetch
        )

    async def connect(self, account: Account, events: Events) -> Session:
        number = read_phone_number(account.settings)
        return WhatsAppSession(account, events, self._resources, number)


@dataclass
class WhatsApp(Harness):
    """The harness of the conformance suite, and a little more."""

    world: World
    network: StandInNetwork
    database: Database
    person: str = made.ADA.partition("@")[0]
    other_person: str = made.BRUNO.partition("@")[0]
    nobody: str = "4915112349999"
    open: list[Connected] = field(default_factory=list)

    async def begin(self, account: Account | None = None, **settings: str) -> Connected:
        """A session, whatever becomes of it."""
        account = account or Account(uuid4(), "Front desk", settings, {})
        events = Recorder()
        session = await self.network.connect(account, events)
        connected = Connected(self.network, account, session, events)
        self.open.append(connected)
        return connected

    async def connected(self, account: Account | None = None, **settings: str) -> Connected:
        at = await self.begin(account, **settings)
        state = await at.events.status(AccountStatus.CONNECTED)
        secrets = state.secrets or at.account.secrets
        at.account = replace(at.account, remote_jid=state.remote_jid, secrets=secrets)
        return at

    def device(self, at: Connected) -> str:
        return at.account.secrets["device"]

    def _address(self, person: str) -> str:
        return self.network.recipient(person, {})

    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        got = self.world.open_chat(self.device(at), self._address(person))
        return [shown_on_phone(message) for message in got]

    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        return self.world.say(self.device(at), self._address(person), text, group_jid)

    # --- what the phone shows, and what people do ---

    async def look(self, at: Connected, person: str) -> Sequence[ShownMessage]:
        ours = await self._our_ids()
        return messages_on(self.world, self.device(at), self._address(person), ours)

    async def reactions(self, at: Connected, person: str, chat_message_id: str) -> Sequence[str]:
        return reactions(self.world, self.device(at), self._address(person), chat_message_id)

    async def sees_typing(self, at: Connected, person: str) -> bool:
        states = [state for chat, state in self.world.typing if chat == self._address(person)]
        return states[-1:] == [ChatPresence.CHAT_PRESENCE_COMPOSING]

    async def sees_read(self, at: Connected, person: str, chat_message_id: str) -> bool:
        return any(chat_message_id in ids for _, _, ids in self.world.marked)

    async def send(
        self,
        at: Connected,
        person: str,
        content: Content,
        *,
        file: bytes | None = None,
        reply_to: str | None = None,
    ) -> str:
        if isinstance(content, Media):
            message = self._with_file(content, file or b"")
        else:
            message = message_to_send(content)
        if reply_to is not None:
            context = ContextInfo(stanzaID=await self._remote_id(reply_to))
            message = with_context(message, context)
        return self._tell(at, person, message)

    def _with_file(self, content: Media, data: bytes) -> Message:
        """Put a file on WhatsApp's servers, as phones do; returns the message that leads to it."""
        purpose = PURPOSES.get(message_type(content))
        if purpose is None:
            raise NotImplementedError
        upload = made.upload(data, path=f"/v/t62/{token_hex(8)}.enc")
        message = file_to_send(content, upload)
        sealed = sealed_file(data, upload.MediaKey, purpose)
        self.world.files[SERVER + upload.DirectPath] = sealed
        return message

    async def vote(self, at: Connected, person: str, options: Sequence[str]) -> None:
        polls = [
            remote_id
            for _, remote_id, message in self.world.got[self._address(person)]
            if message.HasField("pollCreationMessage")
        ]
        self._tell(at, person, made.vote(polls[-1], *options))

    async def send_unknown(self, at: Connected, person: str) -> str:
        return self._tell(at, person, Message.FromString(NEWER_KIND))

    async def edit(self, at: Connected, person: str, chat_message_id: str, text: str) -> None:
        key = MessageKey(fromMe=True, ID=chat_message_id)
        now = self.database.clock.now()
        self._tell(at, person, edit_to_send(key, Message(conversation=text), now))

    async def delete(self, at: Connected, person: str, chat_message_id: str) -> None:
        self._tell(at, person, revoke_to_send(MessageKey(fromMe=True, ID=chat_message_id)))

    async def react(self, at: Connected, person: str, chat_message_id: str, emoji: str) -> None:
        remote_id = await self._remote_id(chat_message_id)
        key = MessageKey(fromMe=remote_id == chat_message_id, ID=remote_id)
        self._tell(at, person, reaction_to_send(key, emoji, self.database.clock.now()))

    def _tell(self, at: Connected, person: str, message: Message) -> str:
        """As WhatsApp tells of what a person did; returns the network's id of it."""
        address, message_id = self._address(person), "3A" + token_hex(9).upper()
        where = made.source(lid_of(address), lid_of(address), sender_alt=address)
        event = made.message(message, where, message_id=message_id, at=int(time.time()))
        self.world.send(self.device(at), event)
        return message_id

    async def _our_ids(self) -> dict[str, str]:
        rows = await self.database.pool.fetch(
            "SELECT remote_id, chat_message_id FROM whatsapp.sent"
        )
        return {row["remote_id"]: row["chat_message_id"] for row in rows}

    async def _remote_id(self, chat_message_id: str) -> str:
        theirs = {ours: remote_id for remote_id, ours in (await self._our_ids()).items()}
        return theirs.get(chat_message_id, chat_message_id)

    async def press(self, at: Connected, person: str, button_id: str) -> None:
        device, address = self.device(at), self._address(person)
        press(self.world, device, address, button_id)

    async def invite(self, at: Connected, subject: str, *, approval: bool = False) -> str:
        owner = self._address(self.person)
        return INVITE_BASE + self.world.make_room(subject, owner, approval=approval).code

    async def revoke(self, invite_link: str) -> None:
        self.world.revoked.add(invite_link.removeprefix(INVITE_BASE))

    def unknown_invite(self) -> str:
        return INVITE_BASE + "AbCdEfGhIjKlMnOpQrStUv"

    async def restrict(self, at: Connected, seconds: float) -> bool:
        change = self.world.restricted.add if seconds else self.world.restricted.discard
        change(self.device(at))
        return True

    async def has_connection(self, at: Connected) -> bool:
        return self.device(at) in self.world.online

    async def cut(self, at: Connected) -> None:
        self.world.cut(self.device(at))

    async def expel(self, at: Connected) -> None:
        await asyncio.to_thread(self.world.expel, self.device(at))


def press(world: World, device: str, person: str, button_id: str) -> None:
    """The person presses a button of the last message."""
    by, message_id, message = world.got[person][-1]
    assert by == device
    titles = {choice["id"]: choice["display_text"] for choice in choices_of(message)}
    answer = Message()
    answer.interactiveResponseMessage.body.text = titles[button_id]
    flow = answer.interactiveResponseMessage.nativeFlowResponseMessage
    flow.name = "quick_reply"
    flow.paramsJSON = json.dumps({"id": button_id})
    answer.interactiveResponseMessage.contextInfo.stanzaID = message_id
    world.send(device, made.message(answer, made.source(person)))


@asynccontextmanager
async def whatsapp_at(url: str) -> AsyncIterator[WhatsApp]:
    """The driver over a world of its own, on this database, which has the library's table."""
    database = await Database.open(url, pool_size=6, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(url)
    await notifications.start()
    world = World(url)
    context = NetworkContext(
        pool=database.pool,
        now=database.clock.now,
        notify=notifications.notify,
        subscribe=notifications.subscribe,
        database_url=url,
    )
    there = WhatsApp(world, StandInNetwork(world, context), database)
    try:
        yield there
    finally:
        await asyncio.gather(*(at.session.close() for at in there.open))
        await notifications.stop()
        await database.close()
