"""`heliograph database`: how tables lie on one server, and why they can't be spread from there."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from databases import PATIENTLY
from heliograph.errors import ConfigurationError
from heliograph.faces.cli import app
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.distribution.placements import LOCAL


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        "HELIOGRAPH_DATABASE_URL": database_url,
        "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
        "HELIOGRAPH_DATA_DIR": str(tmp_path),
        "HELIOGRAPH_SHARDS": "64",
        **PATIENTLY,
    }


def run(environment: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(app, ("database", *arguments), env=environment)


def read_json(environment: dict[str, str]) -> Any:
    result = run(environment, "status", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def make_organization(environment: dict[str, str], name: str) -> None:
    made = CliRunner().invoke(app, ("organizations", "create", "--name", name), env=environment)
    assert made.exit_code == 0, made.output


def test_status_shows_the_server_the_schema_and_every_table(environment: dict[str, str]) -> None:
    shown = run(environment, "status").stdout
    assert "PostgreSQL" in shown
    assert "current (0" in shown
    assert [name for name in (*LOCAL, "messages", "sandbox.messages") if name not in shown] == []


def test_status_counts_organizations_and_rows(environment: dict[str, str]) -> None:
    make_organization(environment, "Trattoria Lume")

    layout = read_json(environment)

    assert sum(layout["shards"].values()) == 1
    assert layout["bytes"] > 0
    tables = {table["name"]: table for table in layout["tables"]}
    assert tables["messages"]["bytes"] > 0


@pytest.mark.one_server("says what is so on one server")
def test_status_of_one_server_names_no_worker(environment: dict[str, str]) -> None:
    layout = read_json(environment)

    assert layout["citus"] is None
    assert layout["workers"] == []
    tables = {table["name"]: table for table in layout["tables"]}
    assert tables["messages"]["placement"] == "local"
    assert tables["messages"]["belongs"] is None, "on one server it can lie nowhere else"


def test_status_of_a_database_without_tables(
    environment: dict[str, str], empty_database_url: str
) -> None:
    shown = run({**environment, "HELIOGRAPH_DATABASE_URL": empty_database_url}, "status").stdout
    assert "no revision" in shown
    assert "`heliograph migrate` makes them" in shown


def test_tables_can_not_be_spread_without_citus(
    environment: dict[str, str], empty_database_url: str
) -> None:
    environment["HELIOGRAPH_DATABASE_URL"] = empty_database_url
    error = run(environment, "distribute").exception
    assert isinstance(error, ConfigurationError)
    assert "This PostgreSQL has no Citus" in str(error) or "but not in this database" in str(error)
    assert error.remedy


def test_the_private_postgresql_is_one_server(environment: dict[str, str]) -> None:
    del environment["HELIOGRAPH_DATABASE_URL"]
    error = run(environment, "distribute").exception
    assert isinstance(error, ConfigurationError)
    assert "The private PostgreSQL is one server" in str(error)
