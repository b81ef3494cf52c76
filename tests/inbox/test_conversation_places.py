"""A conversation's row is looked for where it was last written, and found wherever it is."""

import asyncio
from uuid import UUID

import pytest

from connections import connected
from core_scene import ADA, BOB, Scene, arrival, playing, receipt
from core_scene import scene as scene
from explained import ExplainingConnection, explaining
from heliograph.core.inbox.conversations_sql import ConversationPlaces, list_names
from large_tables import analyze

UNREAD = "SELECT remote_jid, unread_count FROM conversations ORDER BY remote_jid"
TOUCH = "UPDATE conversations SET unread_count = unread_count + 100 WHERE remote_jid = $1"
LOCKED = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
CHAT_OF = """
SELECT v.remote_jid FROM messages AS m LEFT JOIN conversations AS v ON v.id = m.conversation_id
WHERE m.id = $1
"""
INSERT_MANY = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, is_group,
    agent_paused, pinned, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, n || '@sandbox', 'open', 0, false, false, false, now(), now()
FROM generate_series(1, $4::int) AS n
"""

pytestmark = pytest.mark.one_server("places of rows are those of one server")


async def unread(scene: Scene) -> dict[str, int]:
    return {row["remote_jid"]: row["unread_count"] for row in await scene.rows(UNREAD)}


async def write(scene: Scene, *numbers: int) -> None:
    """Ada and Bob write once for each number, which no other message of theirs has."""
    for number in numbers:
        await scene.report(arrival(f"A{number}", ADA), arrival(f"B{number}", BOB))


async def chat_of(scene: Scene, message_id: UUID) -> str | None:
    """The address of the conversation that the message was stored in, before it is sent."""
    [row] = await scene.rows(CHAT_OF, message_id)
    return None if row["remote_jid"] is None else str(row["remote_jid"])


# --- how it is looked for ------------------------------------------------------------------------


@pytest.mark.parametrize("analyzed", [True, False], ids=["analyzed", "never analyzed"])
async def test_what_was_written_before_is_found_by_its_place(
    own_database_url: str, monkeypatch: pytest.MonkeyPatch, *, analyzed: bool
) -> None:
    monkeypatch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
    async with playing(own_database_url) as scene:
        tenant, account_id = scene.principal.tenant, scene.account.id
        await scene.rows(INSERT_MANY, *tenant, account_id, 5_000)
        if analyzed:
            await analyze(own_database_url)
        message = await scene.send("Hello", BOB)
        await write(scene, 1)
        with explaining() as plans:
            await write(scene, 2)
            await scene.report(receipt(message, "delivered"))
            again = await scene.accept("Hello again", BOB)

        assert await chat_of(scene, again) == BOB

    steps = [
        (plan.kind, step["Node Type"], "UPDATE conversations" in plan.statement)
        for plan in plans
        for step in plan.steps()
        if step.get("Relation Name") == "conversations" and step["Node Type"] != "ModifyTable"
    ]
    assert {kind for kind, *_ in steps} == {"custom", "generic"}
    assert {node for _, node, _ in steps} == {"Tid Scan"}
    assert {is_update for *_, is_update in steps} == {False, True}


# --- whoever has moved it ------------------------------------------------------------------------


async def test_what_somebody_else_has_changed_is_found(scene: Scene) -> None:
    await write(scene, 1, 2)
    await scene.rows(TOUCH, ADA)
    assert await chat_of(scene, await scene.accept("Hello", ADA)) == ADA
    key = scene.principal.organization_id, scene.account.id
    assert scene.reports._places.of_chats.of([(*key, ADA)]) is None  # where it is not
    assert scene.reports._places.of_chats.of([(*key, BOB)]) is not None
    await write(scene, 3)
    assert scene.reports._places.of_chats.of([(*key, ADA)]) is not None
    assert await unread(scene) == {ADA: 103, BOB: 3}


async def test_what_was_moved_by_the_server_is_found(scene: Scene) -> None:
    await write(scene, 1, 2, 3)
    await scene.rows("VACUUM FULL conversations")
    assert await chat_of(scene, await scene.accept("Hello", ADA)) == ADA
    await write(scene, 4)
    assert await unread(scene) == {ADA: 4, BOB: 4}


async def test_what_has_gone_is_made_anew(scene: Scene) -> None:
    await write(scene, 1, 2)
    await scene.rows("DELETE FROM conversations WHERE remote_jid = $1", ADA)
    await scene.rows("VACUUM conversations")
    assert await chat_of(scene, await scene.accept("Hello", ADA)) is None
    await write(scene, 3)
    assert await unread(scene) == {ADA: 1, BOB: 3}


async def test_what_somebody_is_changing_is_waited_for(scene: Scene, database_url: str) -> None:
    await write(scene, 1, 2)
    async with connected(database_url) as other, asyncio.TaskGroup() as tasks, other.transaction():
        await other.execute(TOUCH, BOB)
        tasks.create_task(write(scene, 3))
        while not (await scene.rows(LOCKED))[0]["count"]:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    assert await unread(scene) == {ADA: 3, BOB: 103}


# --- what is remembered wrongly ------------------------------------------------------------------


async def test_at_a_wrong_place_nobody_elses_row_is_taken(scene: Scene) -> None:
    """Which may be one of another organization's."""
    await write(scene, 1)
    places, organization_id = scene.reports._places, scene.principal.organization_id
    rows = await scene.rows("SELECT id, remote_jid, ctid AS place FROM conversations")
    found = {row["remote_jid"]: row for row in rows}
    for jid, other in ((ADA, BOB), (BOB, ADA)):
        places.of_chats.put((organization_id, scene.account.id, jid), found[other]["place"])
        places.of_ids.put((organization_id, found[jid]["id"]), found[other]["place"])
    keys = [(organization_id, found[jid]["id"]) for jid in (ADA, BOB)]

    names = await scene.database.read(list_names, scene.principal.tenant.shard, keys, places)
    chats = [await chat_of(scene, await scene.accept("Hello", jid)) for jid in (ADA, BOB)]
    await write(scene, 2)

    assert chats == [ADA, BOB]
    assert names.keys() == {row["id"] for row in rows}
    assert await unread(scene) == {ADA: 2, BOB: 2}


async def test_a_distributed_database_has_no_places(scene: Scene) -> None:
    await write(scene, 1)
    row = (await scene.rows("SELECT id FROM conversations"))[0]
    keys = [(scene.principal.organization_id, row["id"])]
    assert scene.reports._places.of_ids.of(keys) is not None

    scene.reports._places = places = ConversationPlaces(are_known=False)
    await write(scene, 2)

    assert places.of_ids.of(keys) is None
    assert await unread(scene) == {ADA: 2, BOB: 2}
