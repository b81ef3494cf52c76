"""The database for every part of the sandbox: statements, wake-ups, the meaning of errors."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from heliograph.networks.errors import NoAnswerError
from heliograph.platform.database.failover import CONNECT_FAILURES

Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"


class NetworkDatabase:
    """The pool as the network's own: with its database out of reach, the network does not answer.

    Every method raises `NoAnswerError`. It is not `certain` for statements of `uncertain`, which
    may have been carried out although their answer was lost.
    """

    def __init__(self, pool: "asyncpg.Pool[Any]", *, certain: bool = True) -> None:
        self._pool = pool
        self._certain = certain

    @property
    def uncertain(self) -> "NetworkDatabase":
        return NetworkDatabase(self._pool, certain=False)

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        with self._errors():
            return await self._pool.fetch(statement, *values)

    async def fetchrow(self, statement: str, *values: object) -> asyncpg.Record | None:
        with self._errors():
            return await self._pool.fetchrow(statement, *values)

    async def fetchval(self, statement: str, *values: object) -> Any:
        with self._errors():
            return await self._pool.fetchval(statement, *values)

    async def execute(self, statement: str, *values: object) -> None:
        with self._errors():
            await self._pool.execute(statement, *values)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        with self._errors():
            async with self._pool.acquire() as connection, connection.transaction():
                yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except asyncpg.UniqueViolationError:
            raise  # it is an answer
        except CONNECT_FAILURES as error:
            raise NoAnswerError(
                "The sandbox network does not answer: its database can't be reached.",
                certain=self._certain,
            ) from error


Database: TypeAlias = "NetworkDatabase | asyncpg.Pool[Any] | Connection"
"""What runs a statement."""


def topic(account_id: UUID) -> str:
    """Return the topic that wakes an account's session."""
    return f"sandbox:{account_id}"


def restriction_topic(account_id: UUID) -> str:
    """Return the topic that tells a session when its account's restriction begins or ends."""
    return f"sandbox:restriction:{account_id}"
