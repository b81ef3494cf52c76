"""The fixture `sandbox`; a test module takes it with `pytest_plugins = ("sandbox_fixtures",)`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from sandbox_world import Sandbox, process


@pytest.fixture
async def sandbox(database_url: str) -> AsyncIterator[Sandbox]:
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(process(database_url))
        world = Sandbox(database_url, here, stack)
        yield world
        await asyncio.gather(*(at.session.close() for at in world.open))
