"""Messages for operators about database failures: what happened, and what to do about it."""

import errno
from urllib.parse import parse_qs, urlsplit

import asyncpg

from heliograph.errors import ConfigurationError

FREE_SOME = (
    "Free some space before nothing can be written any more: the operations guide says how, "
    'under "What frees space".'
)

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_OF_ANOTHER_SCHEMA = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedColumnError,
    asyncpg.UndefinedFunctionError,
)


def reason_of(error: Exception) -> str:
    """Say why a database could not be used; a time-out error has no text of its own."""
    return str(error) or "it does not answer"


def is_disk_full(error: BaseException) -> bool:
    """Return whether the error says that this machine's disk or the database's is full."""
    if isinstance(error, OSError):
        return error.errno in _DISK_FULL
    return isinstance(error, asyncpg.DiskFullError)


def find_role(url: str) -> str | None:
    """Return the role named in a database URL."""
    parts = urlsplit(url)
    return parts.username or next(iter(parse_qs(parts.query).get("user", [])), None)


def explain_failure(
    error: Exception, role: str | None = None, *, failed: str = "The database can't be reached"
) -> ConfigurationError:
    """Return a command's message about one of `CONNECT_FAILURES`.

    `role` is the database role that it uses. The message begins with `failed`.
    """
    reason = f"{failed}: {reason_of(error)}."
    if is_disk_full(error):
        return ConfigurationError(reason, remedy=FREE_SOME)
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return _explain_missing_right(error, role)
    if isinstance(error, _OF_ANOTHER_SCHEMA):
        return ConfigurationError(
            f"The database lacks what this release needs: {error}.",
            remedy="`heliograph migrate` adds it, and so does the gateway when it starts.",
        )
    if isinstance(error, asyncpg.InvalidCatalogNameError):
        return ConfigurationError(
            reason,
            remedy="Create it, or change the name in the URL.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    return ConfigurationError(
        reason,
        remedy="Try again in a few seconds. If that does not help, `heliograph doctor` says more.",
    )


def _explain_missing_right(error: Exception, role: str | None) -> ConfigurationError:
    who = f"The role {role}" if role else "This role"
    problem = f"{who} lacks a privilege in the database: {error}."
    if str(error).startswith("must be"):  # the owner of a table, or of the database
        return ConfigurationError(
            problem,
            remedy="Run this with the URL of the role that owns the tables.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    return ConfigurationError(
        problem,
        remedy="Run `heliograph migrate` with the URL of the role that owns the tables. For nodes "
        f"with a role of their own, add --grant-to {role or 'and its name'}.",
        setting="HELIOGRAPH_DATABASE_URL",
    )
