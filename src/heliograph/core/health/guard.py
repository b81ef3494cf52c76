"""Checks that can't be made: each says why, and the others are made all the same."""

from collections.abc import Awaitable, Callable

import asyncpg

from heliograph.core.health.model import Check, failed
from heliograph.errors import ConfigurationError
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import explain_failure


def guard(name: str, make: Callable[[], Check]) -> Check:
    """Make a check; if it fails, return one that says why."""
    try:
        return make()
    except Exception as error:
        return say_why_not(name, error)


async def guard_awaited(name: str, making: Awaitable[Check], role: str | None = None) -> Check:
    """Do the same for a check that is awaited; `role` is the database role that it uses."""
    try:
        return await making
    except Exception as error:
        return say_why_not(name, error, role)


async def guard_refused(name: str, making: Awaitable[Check], role: str) -> Check:
    """Make a check of the database, even if `role` may not read or a table is missing. Other
    failures are raised: a node tries again after them."""
    try:
        return await making
    except asyncpg.SyntaxOrAccessError as error:
        return say_why_not(name, error, role)


def say_why_not(name: str, error: Exception, role: str | None = None) -> Check:
    """Return a check that says why it can't be made."""
    if isinstance(error, ConfigurationError):
        return failed(name, error.problem, error.remedy)
    if isinstance(error, CONNECT_FAILURES):
        said = explain_failure(error, role, failed="This can't be checked")
        return failed(name, said.problem, said.remedy)
    return failed(
        name,
        f"This can't be checked: {type(error).__name__}: {error}.",
        "That is a bug in this release: look for a later one, or report it.",
    )
