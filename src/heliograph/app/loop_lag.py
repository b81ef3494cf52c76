"""How late the event loop is: what everything else on this node waits for."""

import asyncio

from heliograph.platform.telemetry.metrics import LOOP_LAG_SECONDS

INTERVAL = 0.5


async def watch_event_loop() -> None:
    """Sleep again and again, and note how late the loop woke us. Ends when cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + INTERVAL
        await asyncio.sleep(INTERVAL)
        LOOP_LAG_SECONDS.observe(max(0.0, loop.time() - due))
