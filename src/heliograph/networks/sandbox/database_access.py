"""What every part of the sandbox uses of the database: connections, wake-ups, what errors mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from heliograph.networks.errors import NoAnswerError
from heliograph.platform.database.failover import CONNECT_FAILURES

Database: TypeAlias = "asyncpg.Pool[Any] | asyncpg.pool.PoolConnectionProxy[Any]"
"""A statement of its own runs on the pool, one within a transaction on its connection."""


def topic(account_id: UUID) -> str:
    """Return the wake-ups that an account's session subscribes to."""
    return f"sandbox:{account_id}"


def restriction_topic(account_id: UUID) -> str:
    """Return the wake-up of a session whose account was restricted, or is no more."""
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
