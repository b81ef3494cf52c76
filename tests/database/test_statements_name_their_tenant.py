"""Every statement that touches a tenant's table names the tenant: shard and organization.

The statements are read from all modules, wherever they stand in them, the tables from the
migrations. `sql_tenancy` parses them: in each query, sub-query and join, a tenant's table must be
held by a shard and an organization that come from outside. What may look at all tenants, or at all
organizations of a shard, is listed here, each with its reason.
"""

import re

import pytest
from sqlglot.errors import SqlglotError

from each_case import for_each
from sql_tenancy import ORGANIZATION, SHARD, Fault, find_tables, list_faults, parse
from written_statements import TABLES, last_name, list_statements, within_functions

WITHOUT_A_TENANT = {
    "LIST_OF_USER": "one person's organizations, by the person's id",
    "FIND_ORGANIZATION": "the one question 'does another organization have it', by id alone",
    "LIST_KNOWN_IDS": "the same question for many ids",
    "LIST_SCHEDULED_SHARDS": "asks without locks which shards have something due",
    "LOOK_UP_WORDS": "asks for a word that stands for the organization, and then for the tenant",
    "LIST_NEXT_TO_READ": "lists the next messages for the search, whosever they are, without locks",
    "LIST_ENDED_RESTRICTIONS": "asks without locks which accounts may write to anybody again",
    "LIST_UNFINISHED_MEDIA": "asks without locks which uploads were cut off, to delete them",
    "LIST_LEFT": "asks without locks which labels' renamings were cut short, to finish them",
    "LIST_REMOVED": "asks without locks which accounts were removed, to end what waits for them",
    "LIST_TENANTS_TO_REDACT": "asks without locks whose events wait to be emptied",
    "FIND_NEXT_TIMES": "asks without locks when something is due next",
    "FIND_NEXT_SCHEDULED": "asks without locks when something is due next",
    "LIST_DUE_SNOOZES": "asks without locks whose conversations are to reopen",
    "FIND_NEXT_SNOOZE_END": "asks without locks when something is due next",
    "LIST_EXPIRED_KEY_SHARDS": "asks without locks which shards have something due",
    "LIST_EXPIRED_SHARDS": "asks without locks which shards have something due",
    "COUNT_ACCOUNTS_BY_NETWORK": "counts without locks whose driver is missing, for the doctor",
    "LIST_ENABLED_URLS": "lists without locks what cannot be posted to, for the doctor",
    "COUNT_MESSAGES": "counts without locks what waits, for the metrics",
    "COUNT_DELIVERIES": "counts without locks what waits, for the metrics",
    "FIND_OLDEST_MESSAGE": "looks at each account's oldest, for the metrics",
    "FIND_OLDEST_FIRST_ATTEMPT": "looks at each webhook's oldest, for the metrics",
    "FIND_OLDEST_RETRY": "looks at each webhook's oldest, for the metrics",
    "LIST_TENANTS_WITH_ROUNDS": "asks without locks whose counters are to be folded",
    "SUM_FILES": "asks how large everybody's files are, for the backup",
    "LIST_OBJECTS": "lists everybody's objects, for the backup",
    "LIST_HOLDERS": "counts leases by node, without locks, to share them out",
    "LIST_OWNED_LEASES": "one node's leases, by the node's id",
    "LIST_DUE_ACCOUNTS_OF_NODE": "looks without locks from one node's leases on",
    "LIST_DUE_WEBHOOKS_OF_NODE": "looks without locks from one node's leases on",
    "LIST_OVERDUE_SHARDS": "looks without locks from one node's leases on",
}
WITHOUT_AN_ORGANIZATION = {
    "CLAIM_LEASES": "takes free leases of one shard, whosever they are",
    "TAKE_DUE": "takes the due rows of one shard, whosever they are",
    "TAKE_EXPIRED": "takes the due rows of one shard, whosever they are",
    "DELETE_EXPIRED": "sweeps one shard, whosever the rows are",
    "LIST_DISABLED": "asks without locks which webhooks of one shard have been disabled for long",
}


@pytest.fixture(scope="module")
def statements() -> dict[str, str]:
    return list_statements()


@pytest.fixture(scope="module")
def faults(statements: dict[str, str]) -> dict[str, list[Fault]]:
    """What each statement does not hold, by its name."""
    return {name: list_faults(text, TABLES) for name, text in statements.items()}


def _is_listed(name: str, reasons: dict[str, str]) -> bool:
    return last_name(name) in reasons


# --- the rule ----------------------------------------------------------------------------------


def test_each_statement_names_its_tenant(faults: dict[str, list[Fault]]) -> None:
    unheld = [
        f"{name}: {fault}"
        for name, found in faults.items()
        for fault in found
        if not _is_listed(name, WITHOUT_A_TENANT)
        and not (_is_listed(name, WITHOUT_AN_ORGANIZATION) and fault.column == ORGANIZATION)
    ]
    assert unheld == []


def test_what_looks_at_all_tenants_locks_and_changes_nothing(statements: dict[str, str]) -> None:
    for name, statement in statements.items():
        if _is_listed(name, WITHOUT_A_TENANT):
            assert not re.search(r"\b(INSERT|UPDATE|DELETE|FOR SHARE)\b", statement), name


def test_every_exception_is_still_needed(faults: dict[str, list[Fault]]) -> None:
    for reasons, column in ((WITHOUT_A_TENANT, SHARD), (WITHOUT_AN_ORGANIZATION, ORGANIZATION)):
        needed = {
            last_name(name)
            for name, found in faults.items()
            if any(fault.column == column for fault in found)
        }
        assert set(reasons) <= needed


def test_the_check_sees_the_statements(statements: dict[str, str]) -> None:
    assert len(statements) > 60
    assert {"messages", "deliveries", "account_leases"} <= TABLES
    touched = set().union(*(find_tables(text) for text in statements.values()))
    assert touched >= TABLES - {"labels", "conversation_labels"}


# --- the check itself, with statements that are wrong ------------------------------------------

FORGETFUL = {
    "by its id alone": ("SELECT * FROM messages WHERE id = $1", {"messages"}),
    "a shard that is only read": ("SELECT shard FROM messages WHERE id = $1", {"messages"}),
    "a shard that is only sorted by": (
        "SELECT 1 FROM messages WHERE organization_id = $2 ORDER BY shard",
        {"messages"},
    ),
    "a shard that may be, or not": (
        "SELECT 1 FROM messages WHERE organization_id = $2 AND (shard = $1 OR id = $3)",
        {"messages"},
    ),
    "a shard that is none": (
        "SELECT 1 FROM messages WHERE organization_id = $2 AND shard <> $1",
        {"messages"},
    ),
    "equal to itself": (
        "SELECT 1 FROM messages AS m WHERE m.shard = m.shard AND m.organization_id = $1",
        {"messages"},
    ),
    "a join": (
        "SELECT 1 FROM messages AS m JOIN contacts AS c "
        "ON c.organization_id = m.organization_id AND c.id = m.contact_id "
        "WHERE m.shard = $1 AND m.organization_id = $2",
        {"contacts"},
    ),
    "two that hold each other": (
        "SELECT 1 FROM messages AS m JOIN contacts AS c "
        "ON c.shard = m.shard AND c.organization_id = m.organization_id AND c.id = m.contact_id "
        "WHERE m.organization_id = $1",
        {"messages", "contacts"},
    ),
    "a table after a comma": (
        "SELECT 1 FROM messages AS m, contacts AS c "
        "WHERE m.shard = $1 AND m.organization_id = $2 AND c.organization_id = $2",
        {"contacts"},
    ),
    "a sub-select": (
        "SELECT 1 FROM messages WHERE shard = $1 AND organization_id = $2 "
        "AND contact_id IN (SELECT id FROM contacts WHERE organization_id = $2)",
        {"contacts"},
    ),
    "a scalar among the columns": (
        "SELECT (SELECT count(*) FROM messages AS m WHERE m.organization_id = a.organization_id) "
        "FROM accounts AS a WHERE a.shard = $1 AND a.organization_id = $2",
        {"messages"},
    ),
    "half of a union": (
        "SELECT id FROM messages WHERE shard = $1 AND organization_id = $2 "
        "UNION ALL SELECT id FROM jobs WHERE organization_id = $2",
        {"jobs"},
    ),
    "a lateral join": (
        "SELECT 1 FROM accounts AS a CROSS JOIN LATERAL ("
        "SELECT 1 FROM messages AS m WHERE m.organization_id = a.organization_id LIMIT 1) AS f "
        "WHERE a.shard = $1 AND a.organization_id = $2",
        {"messages"},
    ),
    "a CTE": (
        "WITH old AS (SELECT id FROM events WHERE organization_id = $2) "
        "DELETE FROM events WHERE shard = $1 AND organization_id = $2 "
        "AND id IN (SELECT id FROM old)",
        {"events"},
    ),
    "an update": ("UPDATE messages SET status = $2 WHERE organization_id = $1", {"messages"}),
    "an update that sets the shard": (
        "UPDATE messages SET shard = $3 WHERE organization_id = $1",
        {"messages"},
    ),
    "UPDATE ... FROM": (
        "UPDATE messages AS m SET contact_id = c.id FROM contacts AS c "
        "WHERE m.shard = $1 AND m.organization_id = $2 AND c.organization_id = $2",
        {"contacts"},
    ),
    "the target of UPDATE ... FROM": (
        "UPDATE messages AS m SET status = 'sent' "
        "FROM unnest($1::int[], $2::uuid[]) AS x (shard, id) "
        "WHERE m.id = x.id AND m.organization_id = $3 AND x.shard = 1",
        {"messages"},
    ),
    "DELETE ... USING": (
        "DELETE FROM events AS e USING deliveries AS d "
        "WHERE e.shard = $1 AND e.organization_id = $2 AND d.organization_id = $2",
        {"deliveries"},
    ),
    "an insert": ("INSERT INTO events (organization_id, id) VALUES ($1, $2)", {"events"}),
    "an insert that names no columns": ("INSERT INTO events VALUES ($1, $2)", {"events"}),
    "an insert from another table": (
        "INSERT INTO events (shard, organization_id, id) "
        "SELECT $1, organization_id, id FROM messages WHERE organization_id = $2",
        {"messages"},
    ),
    "ON CONFLICT": (
        "INSERT INTO events (shard, organization_id, id) VALUES ($1, $2, $3) "
        "ON CONFLICT (organization_id, id) DO NOTHING",
        {"events"},
    ),
}


@for_each("case", FORGETFUL)
def test_the_check_finds_a_table_without_its_shard(case: str) -> None:
    statement, tables = FORGETFUL[case]
    faults = list_faults(statement, TABLES)
    assert {fault.table for fault in faults if fault.column == SHARD} == tables


def test_the_check_notices_each_shard_that_is_taken_out_of_a_real_statement(
    statements: dict[str, str],
) -> None:
    held = re.compile(r"(?:\w+\.)?shard = (?:\$\d+|\w+\.shard)\s+AND\s+")
    taken_out = 0
    for name, text in statements.items():
        before = _shards_missing(text)
        for found in held.finditer(text):
            taken_out += 1
            without = text[: found.start()] + text[found.end() :]
            assert _shards_missing(without) > before, f"{name}: {found[0]}"
    assert taken_out > 100


def _shards_missing(statement: str) -> int:
    return sum(fault.column == SHARD for fault in list_faults(statement, TABLES))


@for_each(
    "statement",
    [
        "SELECT 1 FROM messages AS m WHERE m.shard = $1 AND m.id = $2",
        "UPDATE messages SET status = 'sent' WHERE shard = $1 AND id = $2",
        "DELETE FROM messages WHERE shard = $1 AND id = ANY($2::uuid[])",
        "INSERT INTO messages (shard, id) VALUES ($1, $2) ON CONFLICT (shard, id) DO NOTHING",
    ],
)
def test_the_check_finds_a_table_without_its_organization(statement: str) -> None:
    faults = list_faults(statement, TABLES)
    assert {(fault.table, fault.column) for fault in faults} == {("messages", ORGANIZATION)}


@for_each(
    "statement",
    [
        "SELECT 1 FROM messages WHERE (shard, organization_id, id) = ($1, $2, $3)",
        "SELECT 1 FROM messages WHERE $1 = shard AND organization_id = ANY($2::uuid[])",
        "SELECT 1 FROM messages AS m JOIN contacts AS c ON c.shard = m.shard "
        "AND c.organization_id = m.organization_id WHERE m.shard = $1 AND m.organization_id = $2",
        "UPDATE messages AS m SET status = 'sent' FROM unnest($2::uuid[], $3::uuid[]) "
        "AS x (organization_id, id) WHERE m.shard = $1 "
        "AND m.organization_id = x.organization_id AND m.id = x.id",
        "SELECT 1 FROM organizations WHERE id = $1",
        "SELECT 1 FROM sandbox.messages WHERE account_id = $1",
        "WITH messages AS (SELECT 1 AS id) SELECT id FROM messages",
    ],
)
def test_the_check_lets_pass_what_is_right(statement: str) -> None:
    assert list_faults(statement, TABLES) == []


def test_the_check_sees_statements_within_functions() -> None:
    source = 'async def f(c):\n    await c.execute("DELETE FROM messages WHERE id = $1")\n'
    assert ("m.f:2", "DELETE FROM messages WHERE id = $1") in within_functions(source, "m")


def test_a_statement_that_is_glued_together_is_refused() -> None:
    source = 'def f(t):\n    return f"DELETE FROM {t}"\n'
    with pytest.raises(AssertionError, match="glues"):
        list(within_functions(source, "m"))


def test_what_is_no_statement_is_not_passed_over() -> None:
    with pytest.raises(SqlglotError):
        parse("SELECT FROM WHERE (")
