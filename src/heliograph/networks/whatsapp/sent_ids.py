"""Sending under ids that the library chooses: maps our ids to the network's."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import structlog
from cachetools import LRUCache

from heliograph.networks.errors import NetworkError, NoAnswerError
from heliograph.networks.port import Sent
from heliograph.networks.whatsapp import sql
from heliograph.networks.whatsapp.directory import Directory
from heliograph.networks.whatsapp.sql import Pool, database_errors
from heliograph.platform.aio.futures import retrieve

REMEMBERED = 2_000
TRY_TIMEOUT = 600.0
"""Seconds after which a try is given up that may have lost all who waited for it: a file on its way
takes most of them."""
UNDER_WAY_TIMEOUT = 5.0
"""Seconds that a receipt waits for sends in progress to the same chat, one of which it may
concern."""

Post = Callable[[], Awaitable[tuple[str, Sent]]]
"""Sends a message or a change. Returns the network's id, and its answer."""

UnderWay: TypeAlias = "dict[str, tuple[str, asyncio.Task[Sent]]]"
"""The sends of one account in progress, by our ids: the recipient, and the task."""

log = structlog.get_logger(__name__)


class SentIds:
    """The sent messages and changes of one account: each is sent once, as far as is known.

    `under_way` is shared with the account's earlier sessions in this process, because a send
    outlives the session that began it.
    """

    def __init__(
        self, pool: Pool, account_id: UUID, directory: Directory, under_way: UnderWay
    ) -> None:
        self._pool = pool
        self._account_id = account_id
        self._directory = directory
        self._ours: LRUCache[str, str] = LRUCache(REMEMBERED)
        self._under_way = under_way

    async def once(self, our_id: str, recipient: str, post: Post) -> Sent:
        """Send the message or change with this id unless it was sent before; joins a send in
        progress.

        Raises `NetworkError`. Canceling the caller does not end the send: its later result is
        stored for the next attempt.
        """
        running = self._under_way.get(our_id)
        if running is None:
            task = asyncio.create_task(self._send(our_id, post))
            running = recipient, task
            self._under_way[our_id] = running
            task.add_done_callback(lambda done: self._over(our_id, done))
        return await asyncio.shield(running[1])

    async def remote(self, our_id: str) -> tuple[str, datetime] | None:
        """Find the network's id of a sent message or change, and when it was sent. Raises
        `NetworkError`."""
        with database_errors():
            return await sql.find_remote_id(self._pool, self._account_id, our_id)

    async def settle(self, chat: str) -> bool:
        """Wait some seconds for sends in progress to this chat. Returns whether there were any."""
        return await self._wait_for_sends({chat})

    async def drained(self, seconds: float) -> None:
        """Wait until no send is in progress, for at most this many seconds."""
        tasks = [task for _, task in self._under_way.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    async def ours(self, wanted: Collection[tuple[str, str]]) -> dict[str, str]:
        """Find our ids by the network's, for those among (id, chat) that are ours."""
        found = self._remembered(wanted)
        found |= await self._read({remote_id for remote_id, _ in wanted} - found.keys())
        missing = [(remote_id, chat) for remote_id, chat in wanted if remote_id not in found]
        if await self._wait_for_sends({chat for _, chat in missing}):
            found |= self._remembered(missing)
            found |= await self._read({remote_id for remote_id, _ in missing} - found.keys())
        return found

    def _remembered(self, wanted: Collection[tuple[str, str]]) -> dict[str, str]:
        return {
            remote_id: self._ours[remote_id] for remote_id, _ in wanted if remote_id in self._ours
        }

    async def _read(self, ids: Collection[str]) -> dict[str, str]:
        """Read ids from the database, until it answers."""
        # a receipt under the wrong id would be lost
        pause = 0.1
        while ids:
            try:
                with database_errors():
                    return await sql.list_our_ids(self._pool, self._account_id, list(ids))
            except NetworkError:
                log.warning("whatsapp_ids_not_read", account_id=str(self._account_id))
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5.0)
        return {}

    async def _wait_for_sends(self, chats: Collection[str]) -> bool:
        people = {self._directory.canonical(chat) for chat in chats}
        tasks = [
            task
            for chat, task in self._under_way.values()
            if self._directory.canonical(chat) in people
        ]
        if tasks:
            await asyncio.wait(tasks, timeout=UNDER_WAY_TIMEOUT)
        return bool(tasks)

    async def _send(self, our_id: str, post: Post) -> Sent:
        with database_errors():
            known = await sql.find_sent(self._pool, self._account_id, our_id)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(TRY_TIMEOUT):
                remote_id, sent = await post()
        except TimeoutError:
            raise NoAnswerError("The WhatsApp library does not answer.") from None
        self._ours[remote_id] = our_id
        await self._keep(our_id, remote_id, sent)
        return sent

    async def _keep(self, our_id: str, remote_id: str, sent: Sent) -> None:
        """Record that the message was sent, with retries until the database accepts it."""
        # without it, receipts find no message
        for pause in (0.1, 0.5, 2.0, 0.0):
            try:
                with database_errors():
                    await sql.insert_sent(self._pool, self._account_id, our_id, remote_id, sent)
            except NetworkError:
                await asyncio.sleep(pause)
            else:
                return
        log.error("whatsapp_id_not_kept", account_id=str(self._account_id), remote_id=remote_id)

    def _over(self, our_id: str, task: "asyncio.Task[Sent]") -> None:
        self._under_way.pop(our_id, None)
        retrieve(task)  # the caller may be gone, and nobody else retrieves the exception
