"""The sandbox for tests: processes that share one database, and accounts on them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from msgspec.structs import replace

from heliograph.networks.content import Content
from heliograph.networks.port import Account, AccountStatus, NetworkContext
from heliograph.networks.sandbox.addresses import invite_link, new_invite_code
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.networks.sandbox.simulator import SandboxSimulator
from heliograph.networks.testing import Connected, Harness, Recorder
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

AT_ONCE = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0"}


@dataclass
class Process:
    """A gateway process, as far as the sandbox can tell: a pool, wake-ups, and its network."""

    database: Database
    network: SandboxNetwork


@asynccontextmanager
async def process(url: str, slowness: float = 0.2) -> AsyncIterator[Process]:
    database = await Database.open(url, pool_size=6)
    notifications = Notifications(url)
    await notifications.start()
    network = SandboxNetwork(slowness=slowness, first_delay=0.01, qr_seconds=0.3)
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

    async def shown(self, at: Connected, person: str) -> Sequence[Content]:
        bubbles = await self.simulator(at).receive(person, limit=1000)
        return [bubble.content for bubble in bubbles if not bubble.mine]

    async def say(self, at: Connected, person: str, text: str, group_jid: str = "") -> str:
        said = await self.simulator(at).say(person, text, group_jid=group_jid or None)
        return said.chat_message_id

    async def press(self, at: Connected, person: str, button_id: str) -> None:
        await self.simulator(at).press(person, button_id)

    async def invite(self, at: Connected, subject: str, *, approval: bool = False) -> str:
        return await self.simulator(at).invite(subject, owner=self.person, approval=approval)

    async def revoke(self, invite_link: str) -> None:
        await self.simulator(self.open[0]).revoke_invite(invite_link)

    def unknown_invite(self) -> str:
        return invite_link(new_invite_code())

    async def restrict(self, at: Connected, seconds: float) -> bool:
        await self.simulator(at).restrict("new_conversations", seconds)
        return True

    async def cut(self, at: Connected) -> None:
        await self.simulator(at).disconnect()

    async def expel(self, at: Connected) -> None:
        await self.simulator(at).disconnect(log_out=True)
