"""Releases to come, as far as they are revisions of the schema: this release's, and more."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import asyncpg
import pytest
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from heliograph.core.cluster.sql import insert_node
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revision_runner import make_config
from heliograph.platform.database.revisions import CORE, Revisions

DRIVERS = NetworkRegistry().list_migration_folders()
HERE = Revisions().schema_revision
"""The number of the newest revision that nodes of this release know."""

_REVISION = """
from alembic import op

revision, down_revision, branch_labels, depends_on = "{revision}", "{before}", None, None
{says}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute({statement!r})
"""


class Revision(NamedTuple):
    """What a revision runs, and what it says of itself besides its place."""

    statement: str
    says: str = ""


TAKEN_AWAY = "messages_run_id"
"""An index that only nodes of this release need, as the next one has it."""
EXPANDS = Revision("CREATE TABLE IF NOT EXISTS made_later (id integer)")
CONTRACTS = Revision(f"DROP INDEX IF EXISTS {TAKEN_AWAY}", "contracts = True")
ADDS = Revision(
    "ALTER TABLE nodes ADD COLUMN IF NOT EXISTS later text", "contracts, adds = True, True"
)


def ahead(number: int) -> str:
    """The id of the revision that is so many after the newest of this release."""
    return f"{HERE + number:04}"


def become_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch, revisions: Sequence[Revision]
) -> Migrations:
    """Let this process be one of a release that has these revisions after this one's own."""
    versions = folder / "versions"
    shutil.copytree(CORE.parent, folder)
    for number, revision in enumerate(revisions, 1):
        text = _REVISION.format(
            revision=ahead(number),
            before=ahead(number - 1),
            says=revision.says,
            statement=revision.statement,
        )
        (versions / f"{ahead(number)}_later.py").write_text(text)
    for module in ("revision_runner", "revisions"):
        monkeypatch.setattr(f"heliograph.platform.database.{module}.CORE", versions)
    return Migrations(DRIVERS)


async def migrate_to(url: str, revision: str) -> None:
    """Run the revisions of this process's release up to this one, whatever nodes there are."""
    config = make_config(DRIVERS)

    def run(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(url), poolclass=NullPool
    )
    async with engine.connect() as connection:
        await connection.run_sync(run)
    await engine.dispose()


async def register_node(
    connection: "asyncpg.Connection[asyncpg.Record]",
    schema_revision: int = HERE,
    name: str = "earlier:17",
) -> UUID:
    """As a node does that knows this revision, and lives for ten minutes; its id."""
    node_id = uuid4()
    await insert_node(
        connection,
        node_id,
        name=name,
        roles=["api"],
        version="0",
        schema_revision=schema_revision,
        admin_port=None,
        lease_timeout=600.0,
    )
    return node_id
