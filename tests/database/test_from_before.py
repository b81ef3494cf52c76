"""A database of a version before the first release: refused in one sentence, and left as it is.

Such versions had other revisions, with lower numbers.
"""

from pathlib import Path

import pytest

from connections import connected
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revisions import MigrationError, MigrationState, Revisions
from installation import Installation

REVISIONS = ["0034", "sandbox_0009", "whatsapp_0004"]
MADE_BEFORE = (
    "CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)",
    "CREATE TABLE nodes (id uuid PRIMARY KEY, name text NOT NULL)",
)
SAID = "was made by a version before the first release, 0.1.0, and can't be upgraded"


@pytest.fixture
async def url(empty_database_url: str) -> str:
    async with connected(empty_database_url) as connection:
        for statement in MADE_BEFORE:
            await connection.execute(statement)
        await connection.executemany(
            "INSERT INTO alembic_version VALUES ($1)", [(revision,) for revision in REVISIONS]
        )
    return empty_database_url


@pytest.mark.parametrize("revision", ["0001", "0034", "0099"])
def test_any_lower_number_of_the_core_is_from_before(revision: str) -> None:
    revisions = Revisions(NetworkRegistry().list_migration_folders())
    drivers = {head for head in revisions.heads if not head.isdecimal()}
    assert revisions.compare({revision, *drivers}).state is MigrationState.TOO_OLD
    assert not revisions.compare({revision}).is_usable


async def test_it_is_not_migrated_and_nothing_in_it_is_changed(url: str) -> None:
    with pytest.raises(MigrationError) as refused:
        await Migrations(NetworkRegistry().list_migration_folders()).upgrade(url)

    assert str(refused.value) == f"This database {SAID}: start with an empty one."
    async with connected(url) as connection:
        found = await connection.fetch("SELECT version_num FROM alembic_version ORDER BY 1")
        assert [row[0] for row in found] == REVISIONS


@pytest.mark.parametrize("command", ["serve", "migrate", "doctor"])
def test_every_command_that_meets_it_says_so_once(url: str, tmp_path: Path, command: str) -> None:
    keys = generate_secret_key()
    installation = Installation(tmp_path / "data", database_url=url, secret_keys=keys)

    printed = installation.refuse(command)

    assert printed.count(SAID) == 1, printed
    assert "tart with an empty one." in printed
    assert "Traceback" not in printed
