"""Nodes of the private PostgreSQL work under a role that owns nothing: all that they ask is theirs
to ask."""

from collections.abc import AsyncIterator, Callable

import asyncpg
import pytest

from connections import connected
from heliograph.core.cluster.counter_rounds_sql import LAGGING, find_lag
from node_role import as_node
from written_statements import list_all_statements

OF_THE_OWNER = {
    "platform.database.roles": "makes the role, before there are nodes",
    "platform.database.revision_runner": "migrates",
    "platform.database.distribution": "spreads the tables over other servers",
    "core.backups": "reads and loads everything",
}


def starts_with(module: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(module)


def is_of_the_owner(name: str) -> bool:
    return any(starts_with(module)(name) for module in OF_THE_OWNER)


def is_made_later(text: str) -> bool:
    """A template that is yet to be filled in, or of a table that a driver's library makes, which is
    then the role's own."""
    return "{" in text or "whatsapp.whatsmeow_" in text


@pytest.fixture
async def node(own_database_url: str) -> AsyncIterator[asyncpg.Connection]:
    async with connected(await as_node(own_database_url)) as connection:
        yield connection


@pytest.mark.own_postgres("makes a role on it")
async def test_the_role_may_run_each_statement(node: asyncpg.Connection) -> None:
    statements = {
        name: text
        for name, text in list_all_statements().items()
        if not is_of_the_owner(name) and not is_made_later(text)
    }
    assert len(statements) > 300
    refused = []
    for name, text in statements.items():
        is_lock = text.lstrip().startswith("LOCK")
        transaction = node.transaction()
        await transaction.start()
        try:  # the rights are checked as it is explained, and nothing is run
            await node.execute(text if is_lock else f"EXPLAIN (GENERIC_PLAN) {text}")
        except asyncpg.InsufficientPrivilegeError as error:
            refused.append(f"{name}: {error}")
        finally:
            await transaction.rollback()
    assert refused == []


@pytest.mark.own_postgres("makes a role on it")
async def test_the_check_notices_what_is_refused(node: asyncpg.Connection) -> None:
    for text in ("DELETE FROM audit_entries", "UPDATE audit_entries SET actor = $1"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await node.execute(f"EXPLAIN (GENERIC_PLAN) {text}")


@pytest.mark.own_postgres("makes a role on it")
async def test_it_sees_that_a_backup_of_the_owner_keeps_what_is_deleted(
    own_database_url: str, node: asyncpg.Connection
) -> None:
    async with (
        connected(own_database_url) as owner,
        owner.transaction(isolation="repeatable_read", readonly=True),
    ):
        await owner.fetchval("SELECT count(*) FROM messages")
        before = await find_lag(node)
        for _ in range(10):
            await node.fetchval("SELECT pg_current_xact_id()")
        assert before < LAGGING
        assert await find_lag(node) >= before + 10


def test_every_exception_has_statements() -> None:
    names = list(list_all_statements())
    unused = [module for module in OF_THE_OWNER if not any(map(starts_with(module), names))]
    assert unused == []
