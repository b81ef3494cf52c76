"""The sandbox for tests: processes that share one database, and accounts on them."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import msgspec
import pytest
from msgspec.structs import replace

from databases import CONNECT_TIMEOUT
from heliograph.core.accounts.model import Account as GatewayAccount
from heliograph.networks.content import Content
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_actions import (
    Disconnect,
    Restrict,
    Revoke,
    Say,
    Send,
)
from heliograph.networks.port import Account, AccountStatus, NetworkContext, SimulatedMessage
from heliograph.networks.sandbox.addresses import invite_link, new_invite_code
from heliograph.networks.sandbox.connection import Pace
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.networks.sandbox.session import SandboxSession
from heliograph.networks.sandbox.simulator import SandboxSimulator
from heliograph.networks.testing import Connected, Harness, Recorder, ShownMessage
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

AT_ONCE = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0"}


class Hologram(msgspec.Struct, tag="hologram"):
    """A content as a later release might have it."""

    name: str


@dataclass
class Process:
    """A gateway process, as far as the sandbox can tell: a pool, wake-ups, and its network."""

    database: Database
    network: SandboxNetwork


@asynccontextmanager
async def process(url: str, slowness: float = 0.2) -> AsyncIterator[Process]:
    database = await Database.open(url, pool_size=6, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(url)
    await notifications.start()
    network = SandboxNetwork(Pace(slowness=slowness, first_delay=0.01, qr_seconds=0.3))
    network.start(
        NetworkContext(
            pool=database.pool,
            now=database.clock.now,
            notify=notifications.notify,
            subscribe=notifications.subscribe,
        )
    )
    try:
        yield Process(database, network)
    finally:
        await notifications.stop()
        await database.close()


@dataclass
class Sandbox(Harness):
    """The sandbox as a harness of the conformance suite, and a little more."""

    url: str
    here: Process
    stack: AsyncExitStack
    person: str = "15550100001"
    other_person: str = "15550100002"
    nobody: str = "15550109001"
    open: list[Connected] = field(default_factory=list)

    @property
    def network(self) -> SandboxNetwork:  # type: ignore[override]  # read-only here
        return self.here.network

    def simulator(self, at: Connected) -> SandboxSimulator:
        return self.network.simulator(at.account.id)

    async def another_process(self, slowness: float = 0.2) -> Process:
        return await self.stack.enter_async_context(process(self.url, slowness))

    async def begin(
        self, account: Account | None = None, *, on: Process | None = None, **settings: str
    ) -> Connected:
        """A session, whatever becomes of it."""
        account = account or Account(uuid4(), "Front desk", AT_ONCE | settings, {})
        network = (on or self.here).network
        events = Recorder()
        connected = Connected(network, account, await network.connect(account, events), events)
        self.open.append(connected)
        return connected

    async def connected(
        self, account: Account | None = None, *, on: Process | None = None, **settings: str
    ) -> Connected:
        at = await self.begin(account, on=on, **settings)
        state = await at.events.status(AccountStatus.CONNECTED)
        secrets = state.secrets or at.account.secrets
        at.account = replace(at.account, remote_jid=state.remote_jid, secrets=secrets)
        return at

    async def connected_for(self, account: GatewayAccount) -> Connected:
        """The session of a gateway's account, whose row says that it is connected."""
        at = await self.connected(Account(account.id, account.name, AT_ONCE, {}))
        await self.write(account, status="connected", remote_jid=at.account.remote_jid)
        return at

    async def write(self, account: GatewayAccount, **columns: object) -> None:
        """Write the account's row, as nodes do from what its session reports."""
        for name, value in columns.items():
            await self.here.database.pool.execute(
                f"UPDATE accounts SET {name} = $1 "  # noqa: S608 - a name from a test
                "WHERE shard = $2 AND organization_id = $3 AND id = $4",
                value,
                *account.tenant,
                account.id,
            )

    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        bubbles = await self.simulator(at).receive(person, limit=1000)
        return [bubble.content for bubble in bubbles if not bubble.mine]

    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        said = await self.simulator(at).act(Say(person, text, group=group_jid or None))
        return said.chat_message_id

    async def look(self, at: Connected, person: str) -> Sequence[ShownMessage]:
        phone = self.simulator(at)
        return [
            ShownMessage(
                each.chat_message_id,
                each.content,
                await read_file(phone, each),
                each.reply_to,
                each.is_edited,
                each.is_deleted,
                tuple(each.reactions.values()),
            )
            for each in await phone.receive(person, limit=1000)
            if not each.mine
        ]

    async def reactions(self, at: Connected, person: str, chat_message_id: str) -> Sequence[str]:
        return tuple((await self.bubble(at, person, chat_message_id)).reactions.values())

    async def bubble(self, at: Connected, person: str, chat_message_id: str) -> SimulatedMessage:
        [found] = [
            each
            for each in await self.simulator(at).receive(person, limit=1000)
            if each.chat_message_id == chat_message_id
        ]
        return found

    async def sees_read(self, at: Connected, person: str, chat_message_id: str) -> bool:
        return (await self.bubble(at, person, chat_message_id)).status == "read"

    async def send_unknown(self, at: Connected, person: str) -> str:
        hologram: Content = Hologram("a dancing bear")  # type: ignore[assignment]  # that is the point
        return (await self.simulator(at).act(Send(person, hologram))).chat_message_id

    async def revoke(self, invite_link: str) -> None:
        await self.simulator(self.open[0]).act(Revoke(invite_link))

    def unknown_invite(self) -> str:
        return invite_link(new_invite_code())

    async def restrict(self, at: Connected, seconds: float) -> bool:
        await self.simulator(at).act(Restrict(seconds))
        return True

    async def has_connection(self, at: Connected) -> bool:
        """Whether the sandbox hands anything over to the account's session in this process."""
        return at.account.id in self.network._started().mailbox._attached

    async def cut(self, at: Connected) -> None:
        await self.simulator(at).act(Disconnect())

    async def expel(self, at: Connected) -> None:
        await self.simulator(at).act(Disconnect(log_out=True))


async def read_file(phone: SandboxSimulator, message: SimulatedMessage) -> bytes | None:
    """The file of a message, whole."""
    if not message.has_file:
        return None
    file = await phone.open_file(message.chat_message_id)
    return b"".join([piece async for piece in file.chunks()])


async def refused(attempt: Awaitable[object]) -> str:
    """The sentence with which the network refuses for good."""
    with pytest.raises(NetworkError) as error:
        await attempt
    assert error.value.permanent
    return error.value.reason


def session_of(at: Connected) -> SandboxSession:
    assert isinstance(at.session, SandboxSession)
    return at.session
