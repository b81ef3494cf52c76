"""Detects a pooler in front of PostgreSQL, such as PgBouncer, and whether a connection to it is a
session of the server.

LISTEN, advisory locks, prepared statements and session settings need a session, so a pooler that
gives each transaction another session (PgBouncer's `pool_mode = transaction`) can't be used.
"""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any, TypeAlias

import asyncpg

from heliograph.errors import ConfigurationError

Connect: TypeAlias = "Callable[[], Awaitable[asyncpg.Connection[Any]]]"

PROCESS = "SELECT pg_backend_pid()"

PROBLEM = (
    "HELIOGRAPH_DATABASE_URL leads to a pooler that gives each transaction another session of the "
    "server. LISTEN, advisory locks and prepared statements, which the gateway needs, do not work "
    "that way."
)
REMEDY = (
    "Let the pooler work in session mode for this database (PgBouncer: pool_mode = session), or "
    "name PostgreSQL itself in HELIOGRAPH_DATABASE_URL: the gateway pools its connections."
)


class Pooling(StrEnum):
    """`NONE` is PostgreSQL itself, or a proxy that only passes bytes on."""

    NONE = "none"
    SESSION = "session"
    TRANSACTION = "transaction"


class TransactionPoolingError(ConfigurationError):
    """The database is behind a pooler that gives each transaction another session."""

    def __init__(self) -> None:
        super().__init__(PROBLEM, remedy=REMEDY, setting="HELIOGRAPH_DATABASE_URL")


async def refuse_transaction_pooling(connect: Connect) -> None:
    """Raise `TransactionPoolingError` if connections are not sessions. `connect` opens a connection
    without prepared statements. Raises what it raises."""
    if await find_pooling(connect) is Pooling.TRANSACTION:
        raise TransactionPoolingError


async def find_pooling(connect: Connect) -> Pooling:
    """Return what kind of connections `connect` opens. Raises what it raises."""
    first = await connect()
    try:
        process = await _process(first)
        if process is None:
            return Pooling.TRANSACTION
        if process == first.get_server_pid():
            return Pooling.NONE
        # a pooler reports a made-up process ID; whether it takes the session from a client that is
        # not in a transaction shows while another client is in one
        return await _find_mode(first, process, connect)
    finally:
        first.terminate()


async def _find_mode(first: "asyncpg.Connection[Any]", process: int, connect: Connect) -> Pooling:
    second = await connect()
    try:
        async with second.transaction():
            others = await second.fetchval(PROCESS)
            is_kept = others != process and await _process(first) == process
    except TimeoutError:  # the second waits for a session, since the first keeps its own
        return Pooling.SESSION
    finally:
        second.terminate()
    return Pooling.SESSION if is_kept else Pooling.TRANSACTION


async def _process(connection: "asyncpg.Connection[Any]") -> int | None:
    """Return the server's process, or None if the pooler allows no transactions (`statement`)."""
    try:
        async with connection.transaction():
            return int(await connection.fetchval(PROCESS))
    except asyncpg.ConnectionDoesNotExistError as error:
        # it says so and disconnects
        if isinstance(error.__cause__, asyncpg.ProtocolViolationError):
            return None
        raise
