"""WhatsApp for tests: the driver over the stand-in, and the people at its other end."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from msgspec.structs import replace
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import Button, Buttons, Content, Text
from heliograph.networks.port import Account, AccountStatus, Events, NetworkContext, Session
from heliograph.networks.testing import Connected, Harness, Recorder
from heliograph.networks.whatsapp.addresses import INVITE_BASE
from heliograph.networks.whatsapp.connection import SessionResources
from heliograph.networks.whatsapp.driver import WhatsAppNetwork
from heliograph.networks.whatsapp.options import read_phone_number
from heliograph.networks.whatsapp.session import WhatsAppSession
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from whatsapp_standin import World


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


def choices_of(message: Message) -> list[dict[str, str]]:
    buttons = message.interactiveMessage.nativeFlowMessage.buttons
    return [json.loads(button.buttonParamsJSON) for button in buttons]


def shown_on_phone(message: Message) -> Content:
    """What a phone shows of a message."""
    if message.conversation:
        return Text(message.conversation)
    asked = message.interactiveMessage
    buttons = tuple(Button(choice["id"], choice["display_text"]) for choice in choices_of(message))
    return Buttons(asked.body.text, buttons, asked.footer.text or None)


@asynccontextmanager
async def whatsapp_at(url: str) -> AsyncIterator[WhatsApp]:
    """The driver over a world of its own, on this database, which has the library's table."""
    database = await Database.open(url, pool_size=6)
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
