"""Every statement that touches a tenant's table names the tenant: shard and organization.

The statements are read from the modules of `heliograph.store` themselves, the tables from the
migrations. What may look at all tenants is listed here, each with its reason.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from heliograph import store

MIGRATIONS = Path(store.__path__[0]) / "migrations" / "versions"
NO_TENANT = {"organizations", "api_keys", "nodes", "secret_canaries", "alembic_version"}
TOUCHED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(?:ONLY\s+)?([a-z_]+)\b", re.IGNORECASE)

WITHOUT_A_TENANT = {
    "FIND_ORGANIZATION": "the one question 'does another organization have it', by id alone",
    "heliograph.store.due": "asks without locks what is due, before it is claimed by tenant",
    "heliograph.store.backlog": "counts without locks what waits, for the metrics",
    "list_holders": "counts leases by node, without locks, to share them out",
    "list_owned": "one node's leases, by the node's id",
}
WITHOUT_AN_ORGANIZATION = {
    "claim": "takes free leases of one shard, whosever they are",
    "START_SCHEDULED": "takes the due messages of one shard, whosever they are",
    "DELETE_EXPIRED": "sweeps one shard, whosever the rows are",
}


def _tenant_tables() -> set[str]:
    text = "".join(path.read_text() for path in MIGRATIONS.glob("*.py"))
    return set(re.findall(r"CREATE TABLE ([a-z_]+)", text)) - NO_TENANT


def _strings(module: object, prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in vars(module).items():
        if isinstance(value, str) and not name.startswith("__"):
            yield f"{prefix}.{name}", value
        elif is_dataclass(value) and not isinstance(value, type):
            for field in fields(value):
                if isinstance(inner := getattr(value, field.name), str):
                    yield f"{prefix}.{name}.{field.name}", inner


def _statements() -> list[tuple[str, str]]:
    found = []
    for info in pkgutil.iter_modules(store.__path__):
        if info.ispkg:
            continue
        module = importlib.import_module(f"heliograph.store.{info.name}")
        found += [
            (name, text)
            for name, text in _strings(module, module.__name__)
            if set(TOUCHED.findall(text)) & _tenant_tables()
        ]
    return found


def _is_listed(name: str, reasons: dict[str, str]) -> bool:
    module, last = name.rsplit(".", 1)
    return last in reasons or any(module == each or name == each for each in reasons)


STATEMENTS = _statements()


def test_the_check_sees_the_statements() -> None:
    assert len(STATEMENTS) > 60
    assert {"messages", "deliveries", "account_leases"} <= _tenant_tables()


@pytest.mark.parametrize(("name", "statement"), STATEMENTS, ids=[name for name, _ in STATEMENTS])
def test_a_statement_names_its_tenant(name: str, statement: str) -> None:
    if _is_listed(name, WITHOUT_A_TENANT):
        return
    assert re.search(r"\bshard\b", statement), f"{name} does not name the shard"
    if not _is_listed(name, WITHOUT_AN_ORGANIZATION):
        assert re.search(r"\borganization_id\b", statement), f"{name} names no organization"


@pytest.mark.parametrize(("name", "statement"), STATEMENTS, ids=[name for name, _ in STATEMENTS])
def test_a_statement_runs_on_citus_too(name: str, statement: str) -> None:
    assert not re.search(r"clock_timestamp|gen_random_uuid|uuidv7|random\(\)", statement), name
    conflict = statement.partition("ON CONFLICT")[2]
    assert "now()" not in conflict, f"{name}: now() in ON CONFLICT DO UPDATE"


def test_the_check_finds_a_statement_without_its_tenant() -> None:
    bad = "SELECT * FROM messages WHERE id = $1"
    assert set(TOUCHED.findall(bad)) & _tenant_tables()
    assert not re.search(r"\bshard\b", bad)
