"""Nodes that do one step when they are told to, in a world whose time a test moves on.

The statements, the keeper and the heartbeat are the real ones; only their loops are not running.
Time passes for all: each node's own clock goes on, and in the database every lease on life comes
nearer to its end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID

from databases import SCHEMA_REVISION
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, LeaseTable
from heliograph.errors import UnavailableError
from heliograph.platform.boot_time import boot_time
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

Interruption = Callable[[], Awaitable[None]]


async def _nothing_happens() -> None: ...


@dataclass(eq=False)
class Node:
    """A node as far as leases go. `interruption` is what happens in the middle of its next step."""

    world: "World"
    role: str
    is_paused: bool = False
    interruption: Interruption = _nothing_happens
    old_leases: list[Lease] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.heartbeat = SteppedHeartbeat(self)
        self.keeper = SteppedKeeper(self)

    async def interrupt(self) -> None:
        interruption, self.interruption = self.interruption, _nothing_happens
        await interruption()

    @contextmanager
    def interrupted_by(self, interruption: Interruption) -> Iterator[None]:
        """In the middle of what this node does within the block, if it comes to that: in a later
        step two nodes that stand still would wait for each other."""
        self.interruption = interruption
        yield
        self.interruption = _nothing_happens

    async def beat(self) -> None:
        with suppress(UnavailableError):
            await self.heartbeat.beat()

    async def look(self) -> None:
        await self.keeper.look()

    async def stop(self) -> None:
        """As a node does that is asked to."""
        await self.keeper.stop()
        await self.keeper.release_all()
        await self.heartbeat.stop()

    def valid_lease(self, resource_id: UUID) -> Lease | None:
        for lease in self.keeper.held:
            if lease.resource_id == resource_id and self.keeper.is_valid(lease):
                return lease
        return None

    # --- as the owner of what the keeper holds ---

    def gained(self, lease: Lease) -> None:
        """Nobody else may act for it at this very moment."""
        owners = self.world.list_owners(lease.resource_id)
        assert set(owners) <= {self}, "gained while another may still act"

    def lost(self, lease: Lease) -> None:
        self.old_leases.append(lease)
        self.world.old_leases.append(lease)

    async def finish(self, lease: Lease) -> None:
        await self.interrupt()


class SteppedHeartbeat(Heartbeat):
    def __init__(self, node: Node) -> None:
        world = node.world
        super().__init__(
            world.database,
            name="node",
            roles=[node.role],
            version="0",
            schema_revision=SCHEMA_REVISION,
            now=world.read_clock,
        )
        self._node = node

    async def start(self) -> None:
        await self._register()

    async def beat(self) -> None:
        await self._beat()

    async def _renew(self, connection: Connection) -> bool:
        await self._node.interrupt()
        return await super()._renew(connection)


class SteppedKeeper(LeaseKeeper):
    def __init__(self, node: Node) -> None:
        world = node.world
        super().__init__(
            world.table,
            role=world.role,
            database=world.database,
            notifications=world.notifications,
            heartbeat=node.heartbeat,
        )
        self._node = self._owner = node

    async def look(self) -> None:
        await self._look()
        await asyncio.gather(*self._leaving.values())

    async def _claim_in(self, shard: int, wanted: int, dead: list[UUID]) -> int:
        await self._node.interrupt()
        return await super()._claim_in(shard, wanted, dead)

    async def _reconcile(self) -> None:
        await self._node.interrupt()
        await super()._reconcile()


@dataclass
class World:
    """`nodes` are those that may ever act again, the paused ones too. Notifications are not sent:
    nobody relies on them."""

    database: Database
    table: LeaseTable
    elapsed: float = 0.0
    nodes: list[Node] = field(default_factory=list)
    old_leases: list[Lease] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.notifications = Notifications("postgresql://nobody")
        self.role = "sessions" if self.table is ACCOUNT_LEASES else "deliveries"

    def read_clock(self) -> float:
        return boot_time() + self.elapsed

    async def pass_time(self, seconds: float) -> None:
        await self.execute(
            "UPDATE nodes SET lease_expires_at = lease_expires_at - make_interval(secs => $1)",
            seconds,
        )
        self.elapsed += seconds

    async def join(self, role: str) -> Node:
        node = Node(self, role)
        await node.heartbeat.start()
        self.nodes.append(node)
        return node

    def leave(self, node: Node) -> None:
        self.nodes.remove(node)

    @property
    def awake(self) -> list[Node]:
        return [node for node in self.nodes if not node.is_paused]

    @property
    def takers(self) -> list[Node]:
        """The nodes that have the role."""
        return [node for node in self.nodes if node.role == self.role]

    async def let_all_beat(self, but: Iterable[Node] = ()) -> None:
        for node in self.awake:
            if node not in but:
                await node.beat()

    async def let_all_look(self, but: Iterable[Node] = ()) -> None:
        for node in self.awake:
            if node not in but and node.role == self.role:
                await node.look()

    async def sleep_out(self, node: Node, seconds: float) -> None:
        """This node stands still for so long, while the others go on."""
        for _ in range(int(seconds // 5)):
            await self.pass_time(5)
            await self.let_all_beat(but=[node])
        await self.let_all_look(but=[node])

    def list_owners(self, resource_id: UUID) -> dict[Node, Lease]:
        """Who may act for it now."""
        found = ((node, node.valid_lease(resource_id)) for node in self.nodes)
        return {node: lease for node, lease in found if lease is not None}

    async def list_leases(self) -> dict[UUID, tuple[UUID | None, int]]:
        """Owner and epoch, by account or webhook."""
        rows = await self.database.pool.fetch(
            "SELECT account_id AS id, node_id, epoch FROM account_leases"
            if self.table is ACCOUNT_LEASES
            else "SELECT webhook_id AS id, node_id, epoch FROM webhook_leases"
        )
        return {row["id"]: (row["node_id"], row["epoch"]) for row in rows}

    async def execute(self, statement: str, *values: object) -> None:
        await self.database.pool.execute(statement, *values)

    async def close(self) -> None:
        for node in self.nodes:
            await node.stop()


async def tables_as_text(database: Database, tables: Sequence[str]) -> dict[str, str]:
    """Everything in these tables, to see whether something has changed."""
    return {
        table: await database.pool.fetchval(
            f"SELECT coalesce(string_agg(t::text, '|' ORDER BY t::text), '') FROM {table} AS t"  # noqa: S608 - our own names
        )
        for table in tables
    }
