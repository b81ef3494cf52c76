"""What is asked of the database while a block runs, by whomever in this process."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import pytest

_ASKING = ("fetch", "fetchrow", "fetchval", "execute")


@contextmanager
def counting_statements() -> Iterator[list[str]]:
    statements: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        for name in _ASKING:
            patched.setattr(asyncpg.Connection, name, _noting(name, statements))
        yield statements


def _noting(name: str, statements: list[str]) -> object:
    ask = getattr(asyncpg.Connection, name)

    async def asking(self: asyncpg.Connection, query: str, *args: object, **more: object) -> object:
        statements.append(query)
        return await ask(self, query, *args, **more)

    return asking
