"""A node's heartbeat: renews its row every few seconds, by the database's clock.

The node tracks the end of its lease by a clock that keeps running while the machine sleeps. A node
whose lease has expired is considered dead; it starts over under a new id.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from uuid import UUID, uuid4

import structlog

from heliograph.core.cluster import sql
from heliograph.core.cluster.model import Node
from heliograph.platform.aio.periodic import run_every
from heliograph.platform.boot_time import boot_time
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.database.server import end_stalled_connections

log = structlog.get_logger()

LEASE_TIMEOUT = 15.0
RENEWALS = 5
"""How many times a lease is renewed within its duration."""
SAFETY_MARGIN = 1.0
"""Seconds before the end of its lease from which a node no longer relies on it."""


class Heartbeat:
    """Renews the node's row every few seconds. A node whose lease has expired takes a new id.

    `schema_revision` is the newest of the core's revisions that this release knows.
    `report_id` is called with each id before it is used.

    It has a connection of its own: a pool whose connections all wait for a busy row, or a slow
    server, must not cost the node its leases. For the same reason it also terminates the
    connections of frozen processes that hold locks.
    """

    def __init__(
        self,
        database: Database,
        *,
        name: str,
        roles: list[str],
        version: str,
        schema_revision: int,
        admin_port: int | None = None,
        lease_timeout: float = LEASE_TIMEOUT,
        report_id: Callable[[UUID], None] = lambda _: None,
        now: Callable[[], float] = boot_time,
    ) -> None:
        self._shared = self._database = database
        self._apart: Database | None = None
        self._name = name
        self._roles = roles
        self._version = version
        self._schema_revision = schema_revision
        self._admin_port = admin_port
        self._lease_timeout = lease_timeout
        self._renewal_interval = lease_timeout / RENEWALS
        self._report_id = report_id
        self._now = now
        self._valid_until = 0.0
        self.node_id: UUID = database.clock.new_id()
        self.nodes: list[Node] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether this node may still act under its leases."""
        return self._now() < self._valid_until

    def is_first(self, role: str) -> bool:
        """Whether this is the first of the nodes with the role, by id, as far as this one knows.

        It is for work that only one node needs to poll for. Two nodes may be first for a moment.
        """
        others = [node.id for node in self.nodes if role in node.roles]
        return self.is_alive and all(self.node_id <= other for other in others)

    async def start(self) -> None:
        self._database = self._apart = await self._shared.open_apart()
        await self._register()
        self._task = asyncio.create_task(
            run_every(self._renewal_interval, self._beat, failure="heartbeat failed")
        )

    async def stop(self) -> None:
        """End the node: its leases are free from now on."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._valid_until = 0.0
        with suppress(Exception):
            await self._database.within(1).transact(sql.delete_node, self.node_id)
        if self._apart is not None:
            await self._apart.close()

    async def _beat(self) -> None:
        asked_at = self._now()
        if await self._database.within(self._renewal_interval).read(self._renew):
            self._extend(asked_at)
            await self._database.measure_clock()
            await self._free_rows()
        else:
            log.warning("this node was taken for dead and begins again", node_id=str(self.node_id))
            self._valid_until = 0.0
            await self._register()

    async def _renew(self, connection: Connection) -> bool:
        """Renew the node's row, and list the living nodes."""
        # no transaction: BEGIN and COMMIT would double the number of statements
        renewed = await sql.renew_node(connection, self.node_id, self._lease_timeout)
        self.nodes = await sql.list_alive_nodes(connection)
        return renewed

    async def reload_nodes(self) -> None:
        """Reload the living nodes now instead of at the next beat."""
        self.nodes = await self._database.read(sql.list_alive_nodes)

    async def _free_rows(self) -> None:
        ended = await self._database.within(1).read(end_stalled_connections)
        if ended:
            log.warning("connections of a process that stands still were ended", count=ended)

    async def _register(self) -> None:
        asked_at = self._now()
        node_id = self._database.clock.new_id()
        # first, so that the supervisor knows the id whenever the node dies
        self._report_id(node_id)

        async def insert(connection: Connection) -> None:
            await sql.delete_dead_nodes(connection)
            await sql.insert_node(
                connection,
                node_id,
                name=self._name,
                roles=self._roles,
                version=self._version,
                schema_revision=self._schema_revision,
                admin_port=self._admin_port,
                lease_timeout=self._lease_timeout,
            )
            self.nodes = await sql.list_alive_nodes(connection)

        await self._database.transact(insert)
        self.node_id = node_id
        self._extend(asked_at)

    def _extend(self, asked_at: float) -> None:
        self._valid_until = asked_at + self._lease_timeout - SAFETY_MARGIN


class NodeIdentity:
    """The identity of this process. A command has an id of its own, which belongs to no living
    node."""

    def __init__(self) -> None:
        self.node_id: UUID = uuid4()
        self.heartbeat: Heartbeat | None = None

    def __call__(self) -> UUID:
        return self.heartbeat.node_id if self.heartbeat is not None else self.node_id
