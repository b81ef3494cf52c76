"""A connection of a test's own to a database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    """One that ends with the block."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()
