"""The gateway's own services and workers over the stand-in: the main job, and nodes that change."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message
from pydantic import SecretStr

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from databases import PATIENT
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.app.loops import NodeLoops
from heliograph.core.accounts.model import Account
from heliograph.core.contacts.model import ContactFilter
from heliograph.core.dispatch import account_session
from heliograph.core.events.payload_sql import unpack
from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.inbox.model import InboxFilter
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.lists.filters import MessageFilter
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.networks.content import Button, Buttons, Content, Text
from heliograph.networks.port import AccountStatus
from heliograph.networks.whatsapp import connection, session
from heliograph.networks.whatsapp.conversion import disconnects
from heliograph.networks.whatsapp.unprocessed_events import UNDECRYPTABLE
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import DataSettings, Settings
from waiting import seen_until, until
from whatsapp_events import ADA
from whatsapp_phone import shown_on_phone
from whatsapp_post import Post
from whatsapp_standin import StandInPhone, World, make_devices
from whatsapp_world import press

QUESTION = Buttons("Shall we meet?", (Button("yes", "Yes, gladly"), Button("no", "No, sorry")))
PATIENCE = 60.0


@dataclass
class Node:
    gateway: Services
    loops: NodeLoops


@dataclass
class Scene:
    """One account on WhatsApp, and the nodes that may hold it."""

    url: str
    folder: Path
    world: World
    stack: AsyncExitStack
    nodes: list[Node] = field(default_factory=list)
    key: str = field(default_factory=generate_secret_key)

    async def node(self) -> Node:
        """A node at work until the scene ends."""
        settings = Settings(
            data=DataSettings(dir=self.folder / str(len(self.nodes))), database=PATIENT
        )
        gateway = await self.stack.enter_async_context(
            open_gateway(settings.with_database(self.url, [SecretStr(self.key)]))
        )
        loops = build_loops(gateway, name="test", version="0", admin_port=0)
        await loops.start()
        self.stack.push_async_callback(loops.stop)
        self.nodes.append(Node(gateway, loops))
        return self.nodes[-1]

    async def paired(self) -> Account:
        """The account, connected on the one node there is."""
        gateway = (await self.node()).gateway
        organization = await gateway.organizations.create("Trattoria Lume")
        self.principal: Principal = operator(organization.tenant)
        made = await gateway.accounts.create(self.principal, "whatsapp", "Desk", "desk", {})
        self.account = made
        return await self.connected()

    async def connected(self) -> Account:
        return await seen_until(self._look, lambda now: now.status is AccountStatus.CONNECTED)

    async def _look(self) -> Account:
        return await self.nodes[0].gateway.accounts.get(self.principal, self.account.id)

    @property
    def device(self) -> str:
        device = self.world.phones[0].device
        assert device is not None
        return device

    async def send(self, content: Content, to: str = ADA) -> StoredResponse:
        request = SendMessage(SendTo(to), content, "run_1")
        return await self.nodes[0].gateway.messages.send(self.principal, request, None)

    async def status(self, *wanted: str) -> None:
        """Until the messages that we sent, in order, are there."""
        statement = "SELECT status FROM messages WHERE direction = 'outbound' ORDER BY seq"
        await seen_until(lambda: self._column(statement), lambda found: found == list(wanted))

    async def event(self, kind: str) -> dict[str, Any]:
        """The data of the first event of this type, once there is one."""
        statement = f"SELECT payload FROM events WHERE type = '{kind}' ORDER BY seq"  # noqa: S608 - our own names
        found = await seen_until(lambda: self._column(statement), bool)
        data: dict[str, Any] = json.loads(unpack(found[0]))["data"]
        return data

    async def _column(self, statement: str) -> list[Any]:
        rows = await self.nodes[0].gateway.database.pool.fetch(statement)
        return [row[0] for row in rows]

    async def take_for_dead(self, node: Node) -> None:
        """The others take it for dead, and it learns of that later."""
        await node.gateway.database.pool.execute(
            "UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE id = $1",
            node.loops.heartbeat.node_id,
        )

    def shown(self) -> list[Content]:
        return [shown_on_phone(message) for message in self.world.open_chat(self.device, ADA)]


@asynccontextmanager
async def playing(url: str, folder: Path) -> AsyncIterator[Scene]:
    await asyncio.to_thread(make_devices, url)
    async with AsyncExitStack() as stack:
        yield Scene(url, folder, World(url), stack)


@pytest.fixture
async def scene(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Scene]:
    async with playing(database_url, tmp_path) as scene:
        monkeypatch.setattr(session, "NeonizeClient", scene.world.phone)
        await scene.paired()
        yield scene


async def test_a_message_goes_out_and_what_is_pressed_comes_back_as_an_event(scene: Scene) -> None:
    await scene.send(QUESTION)
    await scene.status("delivered")
    assert scene.shown() == [QUESTION]
    await scene.status("read")

    press(scene.world, scene.device, ADA, "yes")

    event = await scene.event("message.received")
    assert (event["message_type"], event["button"]["id"]) == ("button_reply", "yes")
    assert event["phone_number"] == "+4915112340002"
    sent = await scene.event("message.sent")
    assert event["reply_to_message_id"] == sent["id"]


async def test_what_only_the_phone_shows_is_a_message_and_gets_its_content_when_it_comes(
    scene: Scene,
) -> None:
    unread = made.unreadable(message_id="3A11", gone=True)
    scene.world.send(scene.device, unread, UNDECRYPTABLE)
    told = await scene.event("message.received")
    assert (told["message_type"], told["typed_content"]["kind"]) == ("system", "unavailable")
    messages = scene.nodes[0].gateway.messages
    shown = await messages.get(scene.principal, UUID(told["id"]))
    assert shown["content"] == told["content"]

    scene.world.send(scene.device, made.message(message_id="3A11", conversation="for your eyes"))
    completed = await scene.event("message.edited")
    assert (completed["id"], completed["content"]) == (told["id"], "for your eyes")
    shown = await messages.get(scene.principal, UUID(told["id"]))
    assert (shown["message_type"], shown["edited_at"]) == ("text", None)


async def test_a_click_on_an_advertisement_is_told_with_where_it_came_from(scene: Scene) -> None:
    ad = {"title": "Spring offer", "sourceType": "ad", "sourceID": "1", "ctwaClid": "ARAk"}
    click = Message(extendedTextMessage={"contextInfo": {"externalAdReply": ad}})
    scene.world.send(scene.device, made.message(click))

    told = await scene.event("message.received")
    assert told["referral"] == {
        "source_id": "1",
        "source_type": "ad",
        "source_url": None,
        "headline": "Spring offer",
        "body": None,
        "ctwa_clid": "ARAk",
    }
    assert told["content"] == "Came from an advertisement: Spring offer"


@pytest.mark.parametrize(
    ("written", "has"),
    [
        ("+55 11 98888-0001", "551188880001"),
        ("+55 (0)11 8888-0001", "5511988880001"),
        ("+52 1 55 1234 5678", "525512345678"),
        ("+52 55 1234 5678", "5215512345678"),
        ("+54 11 2345-6789", "5491123456789"),
    ],
)
async def test_the_number_that_was_written_finds_a_person_whom_the_network_knows_by_its_other_form(
    scene: Scene, written: str, has: str
) -> None:
    gateway, principal = scene.nodes[0].gateway, scene.principal
    asked = "".join(filter(str.isdigit, written.replace("(0)", "")))
    scene.world.moved[f"{asked}@s.whatsapp.net"] = f"{has}@s.whatsapp.net"

    await scene.send(Text("oi"), written)
    await scene.status("delivered")

    for number in (written, f"+{asked}", f"00{has}"):
        messages = await gateway.message_lists.list(principal, MessageFilter(phone_number=number))
        assert [each["phone_number"] for each in messages.records] == [f"+{has}"]
        named = await gateway.message_lists.list(principal, MessageFilter(person=number))
        assert named.records == messages.records
        contacts = await gateway.contact_book.list(principal, ContactFilter(phone_number=number))
        assert [each["phone_number"] for each in contacts.records] == [f"+{has}"]
        searched = await gateway.contact_book.list(principal, ContactFilter(text=number))
        assert searched.records == contacts.records
        conversations = await gateway.conversations.list(principal, phone_number=number)
        assert [each["phone_number"] for each in conversations.records] == [f"+{has}"]
        found = await gateway.conversations.list(principal, InboxFilter(text=number))
        assert found.records == conversations.records


async def test_an_account_that_is_edited_in_the_middle_of_a_send_sends_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SEND_TIMEOUT", PATIENCE)
    monkeypatch.setattr(account_session, "CLOSE_TIMEOUT", PATIENCE)
    post = Post.of(scene.world.phones[-1], monkeypatch)
    await scene.send(Text("once"))
    await until(lambda: post.taken)

    scene.nodes[0].gateway.notifications.notify(f"account:{scene.account.id}")
    await until(lambda: not scene.nodes[0].loops.session_statuses())
    post.go.set()
    await until(lambda: len(scene.world.connections) == 2)
    await scene.status("delivered")

    assert scene.shown() == [Text("once")]


async def test_the_node_that_takes_over_logs_in_with_the_keys_from_the_database(
    scene: Scene,
) -> None:
    await scene.node()
    former = scene.world.phones[-1]

    await scene.nodes[0].loops.stop()

    await until(lambda: len(scene.world.connections) == 2)
    await scene.connected()
    await scene.send(Text("from the other one"))
    await scene.status("delivered")
    assert scene.world.connections[0] is former
    assert scene.world.connections[1].device == former.device == scene.device
    assert scene.world.online == {scene.device: scene.world.connections[1]}


async def test_a_node_that_was_taken_for_dead_never_connects_again(scene: Scene) -> None:
    await scene.node()
    former = scene.world.phones[-1]

    await scene.take_for_dead(scene.nodes[0])
    await until(lambda: len(scene.world.connections) == 2)
    await until(lambda: former.is_stopped)
    scene.world.say(scene.device, ADA, "who is there?")
    await scene.event("message.received")

    assert scene.nodes[1].loops.session_statuses() == [AccountStatus.CONNECTED]
    assert len(scene.world.phones) == 2
    assert scene.world.online == {scene.device: scene.world.phones[-1]}


async def test_a_former_node_that_was_still_dialing_costs_the_new_one_seconds(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disconnects, "TAKEOVER_PAUSE", 0.1)
    scene.world.dials = dials = threading.Event()
    scene.world.phones[-1].events.put("the connection was lost")
    await until(lambda: len(scene.world.phones) == 2 and scene.world.phones[-1].is_dialing)
    former: StandInPhone = scene.world.phones[-1]
    scene.world.dials = None

    await scene.node()
    await scene.take_for_dead(scene.nodes[0])
    await until(lambda: len(scene.world.phones) == 3)
    successor = scene.world.phones[-1]
    await until(lambda: scene.world.online.get(scene.device) is successor)
    dials.set()

    await until(lambda: former.is_stopped)
    await until(lambda: scene.world.online.get(scene.device) not in (None, former, successor))
    await scene.connected()
    await scene.send(Text("still there"))
    await scene.status("delivered")
    assert scene.world.connections.count(former) == 1
