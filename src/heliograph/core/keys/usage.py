"""When API keys were last used: gathered here, written at most once a minute."""

import asyncio
from contextlib import suppress
from datetime import datetime

import structlog

from heliograph.core.keys.sql import update_last_used
from heliograph.errors import UnavailableError
from heliograph.platform.database.pool import Connection, Database

INTERVAL = 60.0

log = structlog.get_logger()


class KeyUsage:
    """A loop that writes one statement for all keys used since the last one."""

    def __init__(self, database: Database, *, interval: float = INTERVAL) -> None:
        self._database = database
        self._interval = interval
        self._used: dict[str, datetime] = {}
        self._task: asyncio.Task[None] | None = None

    def record(self, key_id: str, at: datetime) -> None:
        """This key was used at this time; costs no I/O."""
        self._used[key_id] = at

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End the loop and write what is still unwritten."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        await self.flush()

    async def flush(self) -> None:
        """Write now. What can't be written is kept for the next time."""
        used, self._used = self._used, {}
        if not used:
            return

        async def work(connection: Connection) -> None:
            await update_last_used(connection, used)

        try:
            await self._database.transact(work)
        except UnavailableError:
            self._used = used | self._used
            log.warning("last use of API keys not written yet", keys=len(used))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self.flush()
            except Exception:
                log.exception("writing the last use of API keys failed")
