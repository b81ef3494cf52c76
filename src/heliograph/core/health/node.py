"""The checks of a running node, made without its database."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from heliograph.core.cluster.model import Node
from heliograph.core.health.disk import check_disk
from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.core.health.nodes import check_nodes, check_rates
from heliograph.core.health.objects import ObjectStorageProbe
from heliograph.settings import Settings


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of this node, as far as it knows without the database."""

    settings: Settings
    alive_nodes: Callable[[], Sequence[Node]]
    loops_running: Callable[[], bool]
    is_listening: Callable[[], bool]
    is_draining: Callable[[], bool]
    has_lost_rate_storage: Callable[[], Awaitable[bool]]
    object_storage: ObjectStorageProbe
    disk_complaint: Callable[[], str | None] = lambda: None

    async def check(self) -> list[Check]:
        nodes, lost = self.alive_nodes(), await self.has_lost_rate_storage()
        return [
            check_nodes(nodes),
            _check_loops(running=self.loops_running()),
            _check_notifications(listening=self.is_listening()),
            await self._check_disk(),
            check_rates(self.settings, nodes, storage_lost=lost),
            await self.object_storage.check(),
            _check_draining(draining=self.is_draining()),
        ]

    async def _check_disk(self) -> Check:
        folder, complaint = self.settings.data_dir, self.disk_complaint()
        return await asyncio.to_thread(check_disk, folder, complaint, is_running=True)


def _check_loops(*, running: bool) -> Check:
    if running:
        return ok("loops", "Every loop of this node is at work.")
    return failed(
        "loops",
        "This node does not hold its lease, or one of its loops has ended.",
        "It recovers once the database answers; otherwise its log says why. Restart it if it does "
        "not recover.",
    )


def _check_notifications(*, listening: bool) -> Check:
    if listening:
        return ok("notifications", "This node is notified of new work at once.")
    return warning(
        "notifications",
        "This node is not notified of new work, and looks for it once a second.",
        "It reconnects by itself. A pooler in between must let LISTEN through: connect to "
        "PostgreSQL directly, or in session mode.",
    )


def _check_draining(*, draining: bool) -> Check:
    if not draining:
        return ok("draining", "This node takes requests.")
    return failed(
        "draining",
        "This node is stopping: it finishes the requests it has and takes no more.",
        "Send requests to another node.",
    )
