"""Every table of the migrated schema has a place for when it is spread over several servers, and
what Citus asks of distributed tables is true of those that are declared so."""

from collections.abc import Callable
from typing import Any

import pytest

from connections import connected
from databases import run
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.distribution.placements import (
    COLUMN,
    DISTRIBUTED,
    LOCAL,
    REFERENCE,
    Placement,
    find_placement,
)

LIST_TABLES = """
SELECT n.nspname AS schema, c.relname AS name
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
"""
LIST_UNIQUE = """
SELECT i.indexrelid::regclass::text AS index, c.relname AS name,
    ARRAY(SELECT attname::text FROM pg_attribute
          WHERE attrelid = i.indrelid AND attnum = ANY (i.indkey)) AS columns
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
"""
LIST_FOREIGN_KEYS = """
SELECT k.conname AS name, f.relname AS "from", t.relname AS "to",
    ARRAY(SELECT a.attname || '-' || b.attname
          FROM unnest(k.conkey, k.confkey) AS pair (of_from, of_to)
          JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = pair.of_from
          JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = pair.of_to) AS columns
FROM pg_constraint AS k JOIN pg_class AS f ON f.oid = k.conrelid
JOIN pg_class AS t ON t.oid = k.confrelid
WHERE k.contype = 'f' AND f.relnamespace = 'public'::regnamespace
"""
LIST_TRIGGERS = """
SELECT c.relname AS name, t.tgname AS trigger
FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
"""


@pytest.fixture
def read(database_url: str) -> Callable[[str], list[dict[str, Any]]]:
    """The rows of a query."""

    async def fetch(query: str) -> list[dict[str, Any]]:
        async with connected(database_url) as connection:
            return [dict(row) for row in await connection.fetch(query)]

    return lambda query: run(fetch(query))


def test_every_table_of_the_core_is_declared_once(read: Any) -> None:
    tables = {row["name"] for row in read(LIST_TABLES) if row["schema"] == "public"}
    declared = [*DISTRIBUTED, *REFERENCE, *LOCAL]
    assert tables == set(declared)
    assert len(declared) == len(set(declared))


def test_tables_of_drivers_have_schemas_of_their_own_and_stay_on_the_coordinator(read: Any) -> None:
    tables = {(row["schema"], row["name"]) for row in read(LIST_TABLES)}
    of_drivers = {table for table in tables if table[0] in NetworkRegistry().names()}
    assert {schema for schema, _ in of_drivers} >= {"sandbox"}
    assert {schema for schema, _ in tables - of_drivers} <= {"public", "pristine"}
    assert {find_placement(*table) for table in of_drivers} == {Placement.LOCAL}


def test_exactly_the_tables_that_have_a_shard_are_distributed(read: Any) -> None:
    with_shard = read(
        "SELECT table_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND column_name = 'shard'"
    )
    names = {row["table_name"] for row in with_shard}
    assert names == {*DISTRIBUTED, "organizations"}  # whose column says where the others are


def test_whatever_is_unique_is_so_within_a_shard(read: Any) -> None:
    without = [
        row["index"]
        for row in read(LIST_UNIQUE)
        if row["name"] in DISTRIBUTED and COLUMN not in row["columns"]
    ]
    assert without == []


def test_foreign_keys_stay_within_a_shard_or_on_the_coordinator(read: Any) -> None:
    keys = read(LIST_FOREIGN_KEYS)
    inside = [key for key in keys if key["from"] in DISTRIBUTED and key["to"] in DISTRIBUTED]
    assert [key["name"] for key in inside if f"{COLUMN}-{COLUMN}" not in key["columns"]] == []
    others = [key for key in keys if key not in inside]
    assert {key[end] for key in others for end in ("from", "to")} <= set(LOCAL)
    assert inside
    assert others


def test_a_table_comes_after_those_that_it_refers_to(read: Any) -> None:
    place = {name: number for number, name in enumerate(DISTRIBUTED)}
    keys = [key for key in read(LIST_FOREIGN_KEYS) if key["from"] in place]
    assert [key["name"] for key in keys if place[key["from"]] < place[key["to"]]] == []


def test_no_table_that_is_distributed_has_a_trigger(read: Any) -> None:
    """Citus has none there."""
    assert [row for row in read(LIST_TRIGGERS) if row["name"] in DISTRIBUTED] == []
