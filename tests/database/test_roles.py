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
from pydantic import SecretStr

from citus import fetch
from databases import fresh_database, run
from free_ports import free_port
from heliograph.core.health.doctor import examine
from heliograph.core.health.model import CheckStatus
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revisions import CORE, MigrationState, Revisions
from heliograph.platform.database.roles import grant_to_nodes
from heliograph.settings import (
    DatabaseSettings,
    DataSettings,
    SecretSettings,
    ServerSettings,
    Settings,
)
from installation import Installation
from repository import ROOT
from schema_revisions import migrate_to

pytestmark = pytest.mark.timeout(600)  # gateways start

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


def installation(folder: Path, url: str) -> Installation:
    made = Installation(folder)
    made.environment["HELIOGRAPH_DATABASE_URL"] = url
    made.environment["HELIOGRAPH_SECRET_KEYS"] = generate_secret_key()
    return made


def test_nodes_serve_with_a_role_that_only_reads_and_writes_rows(
    roles: Roles, tmp_path: Path
) -> None:
    owner, node = (
        installation(tmp_path / "o", roles.owner),
        installation(tmp_path / "n", roles.node),
    )
    node.environment["HELIOGRAPH_SECRET_KEYS"] = owner.environment["HELIOGRAPH_SECRET_KEYS"]
    code, printed = node.run("migrate")
    assert code == 1
    assert "this role may not change it" in printed
    assert "Traceback" not in printed

    code, printed = owner.run("migrate", "--grant-to", roles.node_role)

    assert code == 0, printed
    code, printed = node.run("migrate")
    assert code == 0, printed
    code, printed = node.run("organizations", "create", "--name", "Trattoria Lume")
    assert code == 0, printed
    code, printed = node.run("doctor")
    assert "is not a superuser" in printed


def test_the_private_servers_roles_need_no_grants(tmp_path: Path) -> None:
    code, printed = Installation(tmp_path / "data").run("migrate", "--grant-to", "somebody")
    assert code == 1
    assert "get their rights automatically" in printed


def test_nodes_start_though_only_the_owner_can_take_away_what_is_left(
    roles: Roles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = tmp_path / "migrations" / "versions"
    shutil.copytree(CORE.parent, versions.parent)
    before = f"{Revisions().schema_revision:04}"
    (versions / "last.py").write_text(
        f'revision, down_revision, branch_labels, depends_on = "{int(before) + 1:04}", "{before}", '
        "None, None\ncontracts = True\n\n\ndef upgrade() -> None:\n    pass\n"
    )
    folders = NetworkRegistry().list_migration_folders()
    run(Migrations(folders).upgrade(roles.owner))
    run(grant_to_nodes(roles.owner, roles.node_role))
    for module in ("migrate", "revisions"):
        monkeypatch.setattr(f"heliograph.platform.database.{module}.CORE", versions)

    with structlog.testing.capture_logs() as logged:
        status = run(Migrations(folders).upgrade(roles.node))

    assert status.state is MigrationState.EXPANDED
    assert ["as the role that owns the tables" in line["event"] for line in logged] == [True]
    assert run(Migrations(folders).upgrade(roles.owner)).state is MigrationState.CURRENT


def test_rights_are_granted_on_what_there_is(roles: Roles) -> None:
    run(migrate_to(roles.owner, "0027"))  # which has no function that erases audit entries
    run(grant_to_nodes(roles.owner, roles.node_role))
    assert run(fetch(roles.node, "SELECT id FROM organizations")) == []


# --- rights that are missing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["doctor", "organizations list", "database status", "clean-up", "serve"]
)
def test_a_role_that_lacks_its_rights_is_told_what_grants_them(
    roles: Roles, tmp_path: Path, command: str
) -> None:
    run(Migrations(NetworkRegistry().list_migration_folders()).upgrade(roles.owner))

    code, printed = installation(tmp_path / "n", roles.node).run(*command.split())

    assert code == 1
    assert (
        f"The role {roles.node_role} lacks a privilege in the database: permission denied"
        in printed
    )
    assert f"--grant-to {roles.node_role}" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("table", "check"),
    [
        ("nodes", "nodes"),
        ("alembic_version", "migrations"),
        ("chore_failures", "chores"),
        ("secret_canaries", "secret keys"),
        ("organizations", "tables"),
        ("accounts", "accounts"),
        ("webhooks", "endpoints"),
    ],
)
def test_doctor_makes_the_other_checks_all_the_same(
    roles: Roles, tmp_path: Path, table: str, check: str
) -> None:
    run(Migrations(NetworkRegistry().list_migration_folders()).upgrade(roles.owner))
    run(grant_to_nodes(roles.owner, roles.node_role))
    revoke = f"REVOKE SELECT ON {table} FROM {roles.node_role}"  # noqa: S608 - ours
    run(fetch(roles.owner, revoke))

    checks = {each.name: each for each in run(examine(settings(tmp_path, roles.node)))}

    assert checks[check].status is CheckStatus.FAILED
    assert f"permission denied for table {table}" in checks[check].detail
    assert f"--grant-to {roles.node_role}" in checks[check].remedy
    for other in {"nodes", "migrations", "chores", "secret keys", "accounts"} - {check}:
        assert checks[other].status is CheckStatus.OK, other


def settings(folder: Path, url: str) -> Settings:
    return Settings(
        data=DataSettings(dir=folder),
        database=DatabaseSettings(url=SecretStr(url)),
        secret=SecretSettings(keys=(SecretStr(generate_secret_key()),)),
        server=ServerSettings(port=free_port()),
    )
