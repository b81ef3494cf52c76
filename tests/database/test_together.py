"""Writes that are made together: one statement on one PostgreSQL, one after another on Citus."""

from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from uuid import UUID, uuid4

import asyncpg
import pytest

from citus_forms import as_on_citus
from core_scene import Scene, playing
from each_case import for_each
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.rows import RowWrite, Shards, statement
from heliograph.core.tenants.together import write_together
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns

LABELS = Columns("organization_id uuid, id uuid, name text, color text", first=3)
INSERT = insertion(
    """
INSERT INTO labels (shard, created_at, {names}) SELECT {shard}, $2, {values} FROM {rows}
ORDER BY k.organization_id, k.name
""",
    LABELS,
)
RENAME = statement(
    """
UPDATE labels AS l SET name = k.name FROM {rows}
WHERE l.shard = {shard} AND l.organization_id = k.organization_id AND l.id = k.id
RETURNING l.id, l.name
""",
    Columns("organization_id uuid, id uuid, name text"),
)
DELETE = statement(
    """
DELETE FROM labels AS l USING {rows}
WHERE l.shard = {shard} AND l.organization_id = k.organization_id AND l.id = k.id
""",
    Columns("organization_id uuid, id uuid"),
)
SELECT = statement("SELECT k.id FROM {rows}", Columns("id uuid"))


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene


class Labels:
    """Labels of the scene's organization."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._organization_id = scene.principal.organization_id

    def insertion(self, *labels: tuple[UUID, str]) -> RowWrite:
        rows = [(self._organization_id, id_, name, "#000000") for id_, name in labels]
        return INSERT.write_rows(rows, self._scene.database.clock.now())

    def renaming(self, *labels: tuple[UUID, str]) -> RowWrite:
        return RENAME.write_rows([(self._organization_id, *label) for label in labels])

    def deletion(self, *ids: UUID) -> RowWrite:
        return DELETE.write_rows([(self._organization_id, id_) for id_ in ids])

    async def write(self, *writes: RowWrite, shards: Shards | None = None) -> Sequence[Row]:
        shards = self._scene.principal.tenant.shard if shards is None else shards
        return await self._scene.database.transact(write_together, shards, writes)

    async def names(self) -> list[str]:
        return [row["name"] for row in await self._scene.rows("SELECT name FROM labels")]


@for_each("is_on_citus", [False, True])
@for_each("is_spread", [False, True])
async def test_all_are_made_and_the_last_one_answers(
    scene: Scene, is_on_citus: bool, is_spread: bool
) -> None:
    labels = Labels(scene)
    tenant = scene.principal.tenant
    old, older, new = uuid4(), uuid4(), uuid4()
    with as_on_citus() if is_on_citus else nullcontext():
        await labels.write(labels.insertion((old, "old"), (older, "older")))
        rows = await labels.write(
            labels.insertion((new, "new")),
            labels.deletion(older),
            labels.renaming((old, "renamed")),
            shards={tenant.organization_id: tenant.shard} if is_spread else None,
        )
    assert [tuple(row) for row in rows] == [(old, "renamed")]
    assert sorted(await labels.names()) == ["new", "renamed"]
    await scene.rows("DELETE FROM labels")


async def test_they_are_one_statement(scene: Scene) -> None:
    labels, asked = Labels(scene), list[str]()

    async def write(connection: Connection) -> None:
        def note(record: asyncpg.connection.LoggedQuery) -> None:
            asked.append(record.query)

        with connection.query_logger(note):
            shard = scene.principal.tenant.shard
            await write_together(connection, shard, [labels.insertion((uuid4(), "a"))])
            writes = [labels.insertion((uuid4(), "b")), labels.renaming((uuid4(), "c"))]
            await write_together(connection, shard, writes)
            await write_together(connection, shard, [])

    await scene.database.transact(write)
    assert [query.split()[0] for query in asked] == ["INSERT", "WITH"]


async def test_none_is_made_if_one_fails(scene: Scene) -> None:
    labels, known = Labels(scene), uuid4()
    await labels.write(labels.insertion((known, "known")))
    with pytest.raises(asyncpg.UniqueViolationError):
        await labels.write(labels.renaming((known, "renamed")), labels.insertion((known, "again")))
    assert await labels.names() == ["known"]


@for_each(
    "writes",
    [
        lambda labels: [labels.renaming((uuid4(), "a")), labels.renaming((uuid4(), "b"))],
        lambda labels: [labels.insertion((uuid4(), "a")), SELECT.write_rows([(uuid4(),)])],
    ],
)
async def test_what_can_not_be_one_statement_is_refused(scene: Scene, writes: object) -> None:
    labels = Labels(scene)
    assert callable(writes)
    with pytest.raises(ValueError, match="can't be written together"):
        await labels.write(*writes(labels))
    assert await labels.names() == []
