"""A process that only takes processor time, to compare with what works as much.

`python -m bench.spinning 0.7` takes seven tenths of one processor until its standard input is
closed.
"""

import asyncio
import math
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

_PAUSE = 0.005  # seconds; about as long as a piece of the gateway's work


def spin(share: float, over: threading.Event) -> None:
    """Take so much of one processor, in short pieces, until it is over."""
    began, before = time.monotonic(), time.process_time()
    while not over.wait(_PAUSE):
        owed = share * (time.monotonic() - began)
        while time.process_time() - before < owed and not over.is_set():
            pass


@asynccontextmanager
async def spinning(processors: float) -> AsyncIterator[None]:
    """Take so many processors while the block lasts, with as few processes as can."""
    count = math.ceil(processors)
    async with AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(_process(processors / count))
        yield


@asynccontextmanager
async def _process(share: float) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.spinning", str(share), stdin=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    try:
        yield
    finally:
        process.stdin.close()
        await process.wait()


def _set_at_end_of_input(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    ended = threading.Event()
    threading.Thread(target=_set_at_end_of_input, args=[ended], daemon=True).start()
    spin(float(sys.argv[1]), ended)
