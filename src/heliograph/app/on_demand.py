"""A part of the application that is loaded by its first request: one that most nodes never serve,
and whose libraries take memory and time to start.

    async with opened_on_demand(load_tools) as tools:
        …                                    # not loaded yet
        await tools(scope, receive, send)    # waits until it is
"""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

Load = Callable[[], AbstractAsyncContextManager[ASGIApp]]
"""Imports what is needed, and returns the context in which the part is served. It runs in a thread,
so that other requests are served meanwhile."""


@asynccontextmanager
async def opened_on_demand(load: Load) -> AsyncIterator[ASGIApp]:
    """Serve the part until the context ends.

    A task of its own opens and closes it, whichever task serves the first request. If it can't be
    loaded, requests raise the error, and the next one tries again.
    """
    part = _Part(load)
    keeper = asyncio.create_task(part.keep())
    try:
        yield part.serve
    finally:
        part.close()
        await keeper
        part.end()


class _Part:
    def __init__(self, load: Load) -> None:
        self._load = load
        self._wanted = asyncio.Event()
        self._closing = asyncio.Event()
        self._app: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        app = await asyncio.shield(self._app)
        await app(scope, receive, send)

    def close(self) -> None:
        self._closing.set()
        self._wanted.set()

    def end(self) -> None:
        """Cancel the requests that came too late for it to be loaded."""
        self._app.cancel()

    async def keep(self) -> None:
        """Open the part when it is wanted, and keep it open until it is closed."""
        while not self._closing.is_set():
            await self._wanted.wait()
            if self._closing.is_set():
                return
            self._wanted.clear()
            try:
                await self._open()
            except Exception as error:
                if self._app.done():
                    raise  # while it was closed
                self._app.set_exception(error)
                self._app.exception()  # asyncio would complain if the client has gone away
                self._app = asyncio.get_running_loop().create_future()

    async def _open(self) -> None:
        context = await asyncio.to_thread(self._load_and_spare)
        async with context as app:
            self._app.set_result(app)
            await self._closing.wait()

    def _load_and_spare(self) -> AbstractAsyncContextManager[ASGIApp]:
        """Load the part, and exempt it from garbage collection like what a node starts with."""
        context = self._load()
        gc.freeze()
        return context
