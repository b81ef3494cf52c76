"""Checks that can't be made: each says why, and the others are made all the same."""

from collections.abc import Awaitable, Callable

import asyncpg

from heliograph.core.health.model import Check, failed
from heliograph.errors import ConfigurationError
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import explain_failure


def guard(name: str, make: Callable[[], Check]) -> Check:
    """Make a check, whatever comes of it."""
    try:
        return make()
    except Exception as error:
        return say_why_not(name, error)


async def guard_awaited(name: str, making: Awaitable[Check], role: str | None = None) -> Check:
    """Make a check that asks somebody, whatever comes of it; `role` is the role that asks the
    database."""
    try:
        return await making
    except Exception as error:
        return say_why_not(name, error, role)


async def guard_refused(name: str, making: Awaitable[Check], role: str) -> Check:
    """Make a check of the database, even if `role` may not ask, or there is no such table. Other
    failures are raised: a node asks again after them."""
    try:
        return await making
    except asyncpg.SyntaxOrAccessError as error:
        return say_why_not(name, error, role)


def say_why_not(name: str, error: Exception, role: str | None = None) -> Check:
    """Return the check that can't be made."""
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
