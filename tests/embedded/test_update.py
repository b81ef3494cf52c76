"""An update of a gateway on its private PostgreSQL, which is nobody else's."""

from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from chaos.machine import Machine
from chaos.postgres import running_postgres
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import DataSettings, Settings
from schema_revisions import BEFORE, CONTRACTED, migrate_to

KILLED_NODE = """
INSERT INTO nodes (id, name, roles, version, started_at, lease_expires_at)
VALUES ($1, 'killed:17', '{api}', '0.1', now(), now() + interval '1 hour')
"""


@pytest.fixture
def machine(reachable_dir: Path, tmp_path: Path) -> Machine:
    folder = reachable_dir / tmp_path.name
    folder.mkdir(mode=0o755)
    return Machine(folder)


async def test_nobody_is_waited_for_after_the_gateway_was_killed(machine: Machine) -> None:
    async with running_postgres(machine.data_dir) as postgres:
        await migrate_to(postgres.url, BEFORE)
        await postgres.fetch(KILLED_NODE, uuid4())

    await machine.start()

    connection = await asyncpg.connect(
        find_owner_url(Settings(data=DataSettings(dir=machine.data_dir)))
    )
    versions = await connection.fetch("SELECT version_num FROM alembic_version")
    await connection.close()
    assert CONTRACTED in {row["version_num"] for row in versions}
    assert await machine.stop() == 0
