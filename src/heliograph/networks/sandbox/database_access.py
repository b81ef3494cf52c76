"""The database for every part of the sandbox: connections, wake-ups, the meaning of errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from heliograph.networks.errors import NoAnswerError
from heliograph.platform.database.failover import CONNECT_FAILURES

Database: TypeAlias = "asyncpg.Pool[Any] | asyncpg.pool.PoolConnectionProxy[Any]"
"""The pool for a single statement, the connection for one within a transaction."""


def topic(account_id: UUID) -> str:
    """Return the topic that wakes an account's session."""
    return f"sandbox:{account_id}"


def restriction_topic(account_id: UUID) -> str:
    """Return the topic that tells a session when its account's restriction begins or ends."""
    return f"sandbox:restriction:{account_id}"


@contextmanager
def database_errors(*, certain: bool = True) -> Iterator[None]:
    """Turn errors of the database into `NoAnswerError`: the network is out of reach."""
    # not certain: a statement may have been carried out although its answer was lost
    try:
        yield
    except CONNECT_FAILURES as error:
        raise NoAnswerError(
            "The sandbox network does not answer: its database can't be reached.", certain=certain
        ) from error
