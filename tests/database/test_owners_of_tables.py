"""A table has one subject that writes it: another has no statement that inserts, changes or deletes
its rows, and calls a function of that subject instead.

The statements are read from all modules, the drivers' among them, wherever they stand in them.
"""

from collections import defaultdict
from collections.abc import Iterable

import pytest

from sql_tenancy import find_written
from written_statements import NO_TENANT, TABLES, list_places

EXCEPTIONS = {
    "core.upkeep.erasure_sql.DELETE_SOME": "deletes what a removed organization has left in any "
    "table, by the one list of tables: so none is forgotten that is added later",
}
WRITTEN_BY_A_TOOL = {"alembic_version"}

Place = tuple[str, str]
"""Where a statement stands, and its text."""


def subject_of(name: str) -> str:
    """`core.messages` of `core.messages.queue.sql.CLAIM`."""
    return ".".join(name.split(".")[:2])


def find_writers(places: Iterable[Place]) -> dict[str, set[str]]:
    """The subjects that write each table."""
    writers: defaultdict[str, set[str]] = defaultdict(set)
    for name, statement in places:
        for table in find_written(statement):
            writers[table].add(subject_of(name))
    return writers


def is_listed(name: str) -> bool:
    return name.partition(":")[0] in EXCEPTIONS


def test_one_subject_writes_a_table() -> None:
    writers = find_writers(place for place in list_places() if not is_listed(place[0]))
    assert {table: found for table, found in writers.items() if len(found) > 1} == {}
    assert set(writers) == (TABLES | NO_TENANT) - WRITTEN_BY_A_TOOL


def test_every_exception_is_still_needed() -> None:
    owners = find_writers(place for place in list_places() if not is_listed(place[0]))
    listed = [place for place in list_places() if is_listed(place[0])]
    assert {name.partition(":")[0] for name, _ in listed} == set(EXCEPTIONS)
    for name, statement in listed:
        assert all(owners[table] != {subject_of(name)} for table in find_written(statement)), name


@pytest.mark.parametrize(
    "wrong",
    [
        "INSERT INTO jobs (shard, organization_id, id) VALUES ($1, $2, $3)",
        "INSERT INTO jobs SELECT * FROM messages",
        "UPDATE jobs AS j SET status = 'failed' FROM messages AS m WHERE m.id = j.id",
        "DELETE FROM jobs USING messages AS m WHERE m.id = jobs.id",
        "WITH gone AS (DELETE FROM public.jobs RETURNING id) SELECT count(*) FROM gone",
    ],
)
def test_a_second_subject_that_writes_a_table_is_found(wrong: str) -> None:
    places = [
        ("core.jobs.sql.CLAIM", "UPDATE jobs SET status = 'running'"),
        ("core.jobs.retention_sql.DELETE", "DELETE FROM jobs"),
        ("core.upkeep.sql.LOCK", "SELECT id FROM jobs FOR UPDATE"),
        ("networks.sandbox.jobs.DELETE", "DELETE FROM sandbox.jobs"),
    ]
    assert find_writers(places) == {"jobs": {"core.jobs"}}
    found = find_writers([*places, ("core.upkeep.sql.WRONG", wrong)])
    assert found == {"jobs": {"core.jobs", "core.upkeep"}}
