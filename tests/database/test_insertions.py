"""Rows are inserted as values where Citus is, and from arrays elsewhere: both store the same.

Any PostgreSQL takes both forms, so what is for Citus is run here as well.
"""

import asyncio
import importlib
from uuid import uuid4

import pytest

from citus_forms import as_on_citus
from core_scene import ADA, BOB, Scene, arrival, playing, sent_to
from each_case import for_each
from heliograph.core.ingest.model import MessageTaken
from heliograph.core.tenants.insertion import Insertion, insertion
from heliograph.core.tenants.rows import ROW_KEYS
from heliograph.platform.database.rows import Columns
from written_statements import list_modules

MANY = 13
"""In two statements: there is none for so many."""

INSERTIONS = {
    f"{module}.{name}": value
    for module, _ in list_modules()
    for name, value in vars(importlib.import_module(f"heliograph.{module}")).items()
    if isinstance(value, Insertion)
}


async def test_the_server_understands_each_of_them(database_url: str) -> None:
    assert len(INSERTIONS) > 20
    async with playing(database_url) as scene, scene.database.pool.acquire() as connection:
        for name, each in INSERTIONS.items():
            for count in (1, 2, MANY):
                try:
                    await connection.prepare(each.form.text(count))
                except Exception as error:
                    pytest.fail(f"{name}, {count} rows: {error}")


async def test_a_message_s_whole_way_is_written_down_the_same(
    database_url: str, own_database_url: str
) -> None:
    async with playing(own_database_url) as scene:
        from_arrays = await whole_way(scene)
    with as_on_citus():
        async with playing(database_url) as scene:
            as_values = await whole_way(scene)
    assert as_values == from_arrays


WRITTEN = {
    "messages": """
        SELECT direction, status, message_type, recipient, content ->> 'body' AS text,
            claim_epoch, queued_at = created_at AS is_queued, scheduled_for IS NULL AS is_for_now
        FROM messages ORDER BY seq
    """,
    "queue": "SELECT fresh, next_attempt_at IS NULL AS is_due FROM message_queue ORDER BY seq",
    "events": "SELECT type, account_id IS NULL AS is_of_nobody FROM events ORDER BY seq",
    "deliveries": "SELECT event_type, attempt_count FROM delivery_queue ORDER BY seq",
    "counted": """
        SELECT direction, status, sum(n)::integer AS n FROM message_counts
        GROUP BY direction, status ORDER BY direction, status
    """,
    "counted of accounts": """
        SELECT direction, status, sum(n)::integer AS n FROM account_message_counts
        GROUP BY direction, status ORDER BY direction, status
    """,
    "counted of webhooks": "SELECT sum(n)::integer AS n FROM delivery_counts",
    "totals": "SELECT sum(sent)::integer AS n, sum(received)::integer AS m FROM account_totals",
    "contacts": "SELECT phone_number, name FROM contacts ORDER BY phone_number",
    "conversations": "SELECT remote_jid, unread_count FROM conversations ORDER BY remote_jid",
    "known": "SELECT chat_message_id FROM inbound_keys ORDER BY chat_message_id",
}


async def whole_way(scene: Scene) -> dict[str, list[tuple[object, ...]]]:
    """Accept many messages at once, send them, and hear as many; what is written of it."""
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    people = [ADA, BOB] * MANY
    await asyncio.gather(*(scene.accept(str(n), to) for n, to in enumerate(people[:MANY])))
    for message in await scene.claim():
        await scene.report(MessageTaken(message.id, sent_to(message.recipient)))
    await scene.accept("waits")
    await scene.report(*(arrival(to, f"heard {n}") for n, to in enumerate(people[:MANY])))
    return {name: list(map(tuple, await scene.rows(query))) for name, query in WRITTEN.items()}


LABELS = Columns("organization_id uuid, id uuid, name text, color text")
INSERT_LABELS = insertion(
    """
INSERT INTO labels (shard, created_at, {names}) SELECT {shard}, now(), {values} FROM {rows}
ORDER BY k.organization_id, k.name
ON CONFLICT (shard, organization_id, id) DO NOTHING
RETURNING name
""",
    LABELS,
)


@pytest.mark.parametrize("count", [0, 1, 5, 64, 200])
async def test_rows_are_divided_and_all_stored(database_url: str, count: int) -> None:
    async with playing(database_url) as scene:
        organization = scene.principal.organization_id
        rows = [(organization, uuid4(), f"{n:03}", "#000000") for n in range(count)]
        with as_on_citus():
            made = await scene.database.transact(
                lambda connection: INSERT_LABELS.insert_rows(
                    connection, scene.principal.tenant.shard, reversed(rows)
                )
            )
        assert [row["name"] for row in made] == [name for _, _, name, _ in rows]
        assert await scene.count("labels") == count


def test_rows_without_a_value_come_last() -> None:
    rows = [("b", None), ("a", None), ("a", "2"), ("a", "1")]
    form = insertion(
        "INSERT INTO labels (shard, {names}) SELECT {shard}, {values} FROM {rows}"
        " ORDER BY k.color, k.name",
        Columns("color text, name text"),
    ).form
    assert form.sort(rows) == [("a", "1"), ("a", "2"), ("a", None), ("b", None)]


@for_each(
    "template",
    [
        "INSERT INTO labels (shard, {names}) VALUES ($1, $2, $3)",
        "INSERT INTO labels (shard, {names}) SELECT {shard}, {values} FROM {rows} JOIN accounts",
        "INSERT INTO labels (shard, {names}) SELECT {shard}, {values} FROM {rows} ORDER BY now()",
        "UPDATE labels SET name = k.name FROM {rows}",
    ],
)
def test_another_shape_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="not an INSERT of rows alone"):
        insertion(template, ROW_KEYS)
