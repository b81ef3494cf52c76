"""Databases on the server that all tests share."""

import asyncio
import secrets
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from heliograph.platform.database.revisions import Revisions

T = TypeVar("T")

SCHEMA_REVISION = Revisions().schema_revision
"""What a node of this release says that it knows."""


@contextmanager
def fresh_database(postgres_url: str, template: str = "template1") -> Iterator[str]:
    """The URL of a database that is made like this one, and dropped at the end."""
    url = create_database(postgres_url, template)
    try:
        yield url
    finally:
        drop_database(postgres_url, url)


def create_database(postgres_url: str, template: str) -> str:
    name = f"test_{secrets.token_hex(6)}"
    run(_execute(postgres_url, f"CREATE DATABASE {name} TEMPLATE {template}"))
    return urlsplit(postgres_url)._replace(path=f"/{name}").geturl()


def drop_database(postgres_url: str, url: str) -> None:
    run(_execute(postgres_url, f"DROP DATABASE {urlsplit(url).path[1:]} WITH (FORCE)"))


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on a loop of its own, leaving the test's loop alone."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work)


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
