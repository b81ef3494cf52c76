"""What asyncpg takes for an array once it need not ask abstract base classes."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import asyncpg
import pytest
import pytest_asyncio
from asyncpg.protocol import protocol

from databases import CONNECT_TIMEOUT
from heliograph.platform.database.array_checks import make_array_checks_cheap
from heliograph.platform.database.pool import Database


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    yield opened
    await opened.close()


async def test_lists_and_tuples_are_arrays_and_nothing_else_is(database: Database) -> None:
    now = datetime.now(UTC)
    for values, kind in (
        (["a", None, "{b}"], "text"),
        ((1, 2), "integer"),
        ([], "uuid"),
        ([[1, 2], [3, 4]], "integer"),
        ([now, None], "timestamptz"),
        ([b"\x00", b""], "bytea"),
    ):
        found = await database.pool.fetchval(f"SELECT $1::{kind}[]", values)
        assert found == list(values)
    for other in ({1, 2}, {1: 2}, "12", iter([1, 2])):
        with pytest.raises(asyncpg.DataError, match="sized iterable"):
            await database.pool.fetchval("SELECT $1::integer[]", other)


async def test_a_value_that_is_none_is_told_with_its_place(database: Database) -> None:
    with pytest.raises(asyncpg.DataError, match="at index 1"):
        await database.pool.fetchval("SELECT $1::integer[]", [1, "two"])


def test_asyncpg_still_asks_where_it_asked() -> None:
    assert make_array_checks_cheap()


def test_an_asyncpg_that_asks_elsewhere_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(protocol, "SizedABC")
    assert not make_array_checks_cheap()
