"""A PostgreSQL of one's own with the roles of deploy/postgresql/roles.sql, as Compose has it."""

import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
import structlog

from citus import fetch
from databases import fresh_database, run
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revisions import MigrationState
from heliograph.platform.database.roles import grant_to_nodes
from installation import Installation
from repository import ROOT
from schema_revisions import CONTRACTS, DRIVERS, become_release

pytestmark = [pytest.mark.extra_fault, pytest.mark.timeout(600)]  # gateways start

ROLES = ROOT / "deploy" / "postgresql" / "roles.sql"


class Roles(NamedTuple):
    """URLs of one empty database."""

    owner: str
    node: str
    node_role: str


@pytest.fixture
def roles(postgres_url: str) -> Iterator[Roles]:
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("psql is not on this machine")
    suffix = secrets.token_hex(4)
    names = {"owner": f"owner_{suffix}", "node": f"node_{suffix}"}
    with fresh_database(postgres_url) as url:
        variables = [
            *(f"--set={name}={role}" for name, role in names.items()),
            *("--set=owner_password=one", "--set=node_password=two"),
        ]
        subprocess.run([psql, "-X", "-q", *variables, "-f", ROLES, url], check=True)
        yield Roles(
            as_role(url, names["owner"], "one"), as_role(url, names["node"], "two"), names["node"]
        )
        run(fetch(url, f"ALTER DATABASE {name_of(url)} OWNER TO CURRENT_USER"))
        for role in names.values():
            run(fetch(url, f"DROP OWNED BY {role} CASCADE"))
    for role in names.values():
        run(fetch(postgres_url, f"DROP ROLE {role}"))


def name_of(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def as_role(url: str, role: str, password: str) -> str:
    parts = urlsplit(url)
    hosts = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:{password}@{hosts}").geturl()


def test_nodes_serve_with_a_role_that_only_reads_and_writes_rows(
    roles: Roles, tmp_path: Path
) -> None:
    keys = generate_secret_key()
    owner = Installation(tmp_path / "o", database_url=roles.owner, secret_keys=keys)
    node = Installation(tmp_path / "n", database_url=roles.node, secret_keys=keys)
    printed = node.refuse("migrate")
    assert "this role may not change it" in printed
    assert "Traceback" not in printed

    owner.must("migrate", "--grant-to", roles.node_role)

    node.must("migrate")
    node.must("organizations", "create", "--name", "Trattoria Lume")
    assert "is not a superuser" in node.run("doctor")[1]


def test_the_private_servers_roles_need_no_grants(tmp_path: Path) -> None:
    printed = Installation(tmp_path / "data").refuse("migrate", "--grant-to", "somebody")
    assert "get their rights automatically" in printed


def test_nodes_start_though_only_the_owner_can_take_away_what_is_left(
    roles: Roles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(Migrations(DRIVERS).upgrade(roles.owner))
    run(grant_to_nodes(roles.owner, roles.node_role))
    migrations = become_release(tmp_path / "release", monkeypatch, [CONTRACTS])

    with structlog.testing.capture_logs() as logged:
        status = run(migrations.upgrade(roles.node))

    assert status.state is MigrationState.EXPANDED
    assert ["as the role that owns the tables" in line["event"] for line in logged] == [True]
    assert run(migrations.upgrade(roles.owner)).state is MigrationState.CURRENT
