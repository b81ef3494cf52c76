"""The loop that sees once a minute whether the night's clean-up is due."""

import asyncio

import structlog

from heliograph.core.upkeep.retention import RetentionService

log = structlog.get_logger()

LOOK_EVERY = 60.0


class RetentionWorker:
    def __init__(self, retention: RetentionService) -> None:
        self._retention = retention

    async def run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                deleted = await self._retention.clean_up_when_due()
                if deleted is not None:
                    log.info("cleaned up", **deleted)
            except Exception:
                log.warning("the clean-up was cut short and goes on later", exc_info=True)
