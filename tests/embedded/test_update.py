"""An update of a gateway on its private PostgreSQL, which is nobody else's."""

from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from chaos.machine import Machine
from chaos.postgres import running_postgres
from chaos.releases import last_revision, make_release
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import DataSettings, Settings
from schema_revisions import DRIVERS, HERE

KILLED_NODE = """
INSERT INTO nodes (id, name, roles, version, schema_revision, started_at, lease_expires_at)
VALUES ($1, 'killed:17', '{api}', '0.1', $2, now(), now() + interval '1 hour')
"""


@pytest.fixture
def machine(reachable_dir: Path, tmp_path: Path) -> Machine:
    folder = reachable_dir / tmp_path.name
    folder.mkdir(mode=0o755)
    return Machine(folder)


async def test_nobody_is_waited_for_after_the_gateway_was_killed(machine: Machine) -> None:
    async with running_postgres(machine.data_dir) as postgres:
        await Migrations(DRIVERS).upgrade(postgres.url)
        await postgres.fetch(KILLED_NODE, uuid4(), HERE)
    machine.release = make_release(machine.data_dir.parent, 1)

    await machine.start()

    connection = await asyncpg.connect(
        find_owner_url(Settings(data=DataSettings(dir=machine.data_dir)))
    )
    versions = await connection.fetch("SELECT version_num FROM alembic_version")
    await connection.close()
    assert last_revision(1) in {row["version_num"] for row in versions}
    assert await machine.stop() == 0
