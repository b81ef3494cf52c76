"""Every statement has a form that a distributed database takes: `sql_citus` says which do not.

A statement on rows of many shards is never sent to one: its form for one shard is. What else asks
all tenants in a form that is for one server has another for many, and is listed here.
"""

import sql_citus
from each_case import for_each
from sql_citus import list_refusals
from written_statements import TABLES, last_name, list_statements

FOR_ONE_SERVER = {
    "LIST_DUE_ACCOUNTS": "LIST_DUE_ACCOUNTS_OF_NODE is for many",
    "LIST_DUE_WEBHOOKS": "LIST_DUE_WEBHOOKS_OF_NODE is for many",
}


def _is_for_one_server(name: str) -> bool:
    return name.endswith(".many") or last_name(name) in FOR_ONE_SERVER


def test_each_statement_has_a_form_for_citus() -> None:
    refused = [
        f"{name}: it {refusal}"
        for name, text in list_statements().items()
        if not _is_for_one_server(name)
        for refusal in list_refusals(text, TABLES)
    ]
    assert refused == []


def test_every_exception_is_still_needed() -> None:
    needed = {
        last_name(name)
        for name, text in list_statements().items()
        if not name.endswith(".many") and list_refusals(text, TABLES)
    }
    assert set(FOR_ONE_SERVER) <= needed


REFUSED = {
    "rows given, and each row's shard": (
        "SELECT 1 FROM unnest($1::int[], $2::uuid[]) AS k (shard, id) "
        "JOIN messages AS m ON m.shard = k.shard AND m.id = k.id",
        sql_citus.SEVERAL_SHARDS,
    ),
    "rows given, and a look-up for each": (
        "SELECT (SELECT q.seq FROM message_queue AS q WHERE q.shard = k.shard LIMIT 1) "
        "FROM unnest($1::int[]) AS k (shard)",
        sql_citus.SEVERAL_SHARDS,
    ),
    "the first messages of all, and their words": (
        "SELECT 1 FROM (SELECT shard, id FROM messages ORDER BY id LIMIT 3) AS m "
        "JOIN message_words AS w ON w.shard = m.shard AND w.message_id = m.id",
        sql_citus.CUT_SHORT,
    ),
    "the time in COALESCE": (
        "UPDATE jobs SET started_at = coalesce(started_at, now()) WHERE shard = $1",
        sql_citus.TIME_IN_CASE,
    ),
    "the time in CASE, within a sub-select": (
        "WITH due AS (SELECT id FROM jobs WHERE shard = $1 AND seq > "
        "CASE $2::timestamptz WHEN pg_postmaster_start_time() THEN $3 ELSE 0 END) "
        "UPDATE jobs SET status = '' FROM due WHERE shard = $1 AND jobs.id = due.id",
        sql_citus.TIME_IN_CASE,
    ),
    "the time in a conflict": (
        "INSERT INTO jobs (shard, id) VALUES ($1, $2) "
        "ON CONFLICT (shard, id) DO UPDATE SET started_at = now()",
        sql_citus.TIME_IN_CONFLICT,
    ),
    "the server, beside rows": (
        "SELECT pg_postmaster_start_time(), seq FROM events WHERE shard = $1",
        sql_citus.WORKERS_START,
    ),
    "rows of one server alone": (
        "SELECT seq FROM events WHERE shard = $1 AND pg_postmaster_start_time() = $2",
        sql_citus.WORKERS_START,
    ),
    "a new id": (
        "INSERT INTO jobs (shard, id) VALUES ($1, gen_random_uuid())",
        sql_citus.CHANCE,
    ),
    "the clock": (
        "SELECT 1 FROM jobs WHERE shard = $1 AND a < clock_timestamp()",
        sql_citus.CHANCE,
    ),
    "a SELECT of nothing": (
        "SELECT EXISTS (SELECT FROM jobs WHERE shard = $1)",
        sql_citus.NO_COLUMN,
    ),
    "a place": ("SELECT 1 FROM jobs WHERE ctid = $1", sql_citus.PLACE),
    "columns with types": (
        "SELECT 1 FROM jsonb_to_recordset($1) AS k (id uuid)",
        sql_citus.RECORD,
    ),
    "an element of a parameter": (
        "UPDATE delivery_queue SET seq = ($2::bigint[])[1] WHERE shard = $1",
        sql_citus.ELEMENT,
    ),
}


@for_each("case", REFUSED)
def test_the_check_finds_what_citus_refuses(case: str) -> None:
    statement, refusal = REFUSED[case]
    assert list_refusals(statement, TABLES) == [refusal]


ACCEPTED = {
    "rows given, of one shard": (
        "SELECT 1 FROM unnest($2::uuid[]) AS k (id) "
        "JOIN messages AS m ON m.shard = $1 AND m.id = k.id"
    ),
    "a join of one shard": (
        "SELECT 1 FROM (SELECT shard, id FROM messages WHERE shard = $1 LIMIT 3) AS m "
        "JOIN message_words AS w ON w.shard = m.shard AND w.message_id = m.id, "
        "unnest($2::uuid[]) AS k (id)"
    ),
    "a look-up for each row of all shards": (
        "SELECT 1 FROM account_leases AS l LEFT JOIN LATERAL ("
        "SELECT q.seq FROM message_queue AS q WHERE q.shard = l.shard LIMIT 1) AS q ON true"
    ),
    "a place of one shard": "SELECT 1 FROM jobs WHERE shard = $1 AND ctid = $2",
    "the first of all": "SELECT id FROM messages WHERE id > $1 ORDER BY id LIMIT 3",
    "the time in a comparison": "UPDATE jobs SET a = least(a, now()) WHERE shard = $1",
    "the time in CASE, to read": (
        "SELECT CASE WHEN a < now() THEN 1 END FROM jobs WHERE shard = $1"
    ),
    "the server": "SELECT pg_postmaster_start_time()",
    "a floor of one server": (
        "SELECT seq FROM events WHERE shard = $1 "
        "AND seq >= $2 * ($3 = pg_postmaster_start_time())::integer"
    ),
    "an element that is reckoned with": (
        "UPDATE delivery_queue SET seq = 0 + ($2::bigint[])[1] WHERE shard = $1"
    ),
}


@for_each("case", ACCEPTED)
def test_the_check_lets_pass_what_citus_takes(case: str) -> None:
    assert list_refusals(ACCEPTED[case], TABLES) == []
