"""What is left by nodes that were killed is found by its row, and by the lock on its file."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from api_scene import Scene
from heliograph.core.media import sql
from heliograph.core.media.model import Media, Upload, object_key_of
from heliograph.core.media.sql import ArrivingFile
from heliograph.errors import StorageUnavailableError
from heliograph.platform.database.pool import Connection
from heliograph.platform.objects import Objects, Staging

HOUR = timedelta(hours=1)


async def begin(scene: Scene, node_id: UUID, ago: timedelta = HOUR) -> ArrivingFile:
    """An upload as a node leaves it that is killed between the object and its row."""
    tenant, media_id = scene.acme.organization.tenant, uuid4()
    at = scene.database.clock.now() - ago
    key = object_key_of(tenant, media_id, at)
    arriving = ArrivingFile(tenant, media_id, key, "text/plain", 5, None, node_id, at, None)
    await scene.database.transact(sql.insert_arriving, arriving)
    await Objects(scene.services.settings.objects_url).put(key, b"Hello")
    return arriving


async def count(scene: Scene) -> tuple[int, int]:
    """Rows and objects."""
    prefix = f"uploads/{scene.acme.organization.id}"
    objects = await Objects(scene.services.settings.objects_url).list_keys(prefix)
    return await scene.database.pool.fetchval("SELECT count(*) FROM media"), len(objects)


async def finish(scene: Scene, arriving: ArrivingFile) -> Media:
    """The file is whole."""
    now = scene.database.clock.now()
    media = Media(
        arriving.tenant,
        arriving.id,
        arriving.object_key,
        "text/plain",
        5,
        b"digest",
        None,
        arriving.created_at,
        now,
        None,
    )
    assert await scene.database.transact(sql.finish_media, media, arriving.node_id)
    return media


async def test_what_a_dead_node_has_left_is_deleted(scene: Scene) -> None:
    await begin(scene, uuid4())
    await begin(scene, uuid4(), timedelta(seconds=5))  # just begun: its node may be new
    assert await scene.services.uploads.sweep() == 1
    assert await count(scene) == (1, 1)


async def test_what_arrives_here_is_left_alone(scene: Scene) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b"Hello"
        begun.set()
        await go_on.wait()

    uploads, principal = scene.services.uploads, scene.acme.principal
    arriving = asyncio.create_task(
        uploads.store(principal, Upload("text/plain", None, None), body())
    )
    await begun.wait()
    await scene.database.pool.execute("UPDATE media SET created_at = now() - interval '1 hour'")
    assert await uploads.sweep() == 0
    go_on.set()
    media = await arriving
    read = scene.services.media.read(media.object_key, 0, media.size)
    assert b"".join([chunk async for chunk in read]) == b"Hello"


async def test_a_file_that_was_swept_does_not_come_back(scene: Scene) -> None:
    """Its node was taken for dead, and wakes up."""
    uploads, principal = scene.services.uploads, scene.acme.principal

    async def body() -> AsyncIterator[bytes]:
        yield b"Hello"
        await scene.database.pool.execute("UPDATE media SET node_id = NULL")

    with pytest.raises(StorageUnavailableError):
        await uploads.store(principal, Upload("text/plain", None, None), body())
    assert await count(scene) == (0, 0)


async def test_a_file_in_a_message_stays_as_long_as_that_needs_it(scene: Scene) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"Hello"

    now = scene.database.clock.now()
    upload = Upload("text/plain", None, None)
    media = await scene.services.uploads.store(scene.acme.principal, upload, body())
    set_expiry = "UPDATE media SET expires_at = $1"
    await scene.database.pool.execute(set_expiry, now + HOUR)
    keep = sql.keep_media_until
    key = (media.tenant.organization_id, media.id)
    await scene.database.transact(keep, media.tenant.shard, {key: now + 2 * HOUR})
    await scene.database.transact(keep, media.tenant.shard, {key: now})
    found = await scene.database.read(sql.find_media, media.tenant, media.id)
    assert found is not None
    assert found.expires_at == now + 2 * HOUR


async def test_a_file_that_became_whole_meanwhile_is_left_alone(scene: Scene) -> None:
    """Its node was taken for dead, and finishes the file while another one sweeps."""
    node_id = uuid4()
    arriving = await begin(scene, node_id)
    [unfinished] = await scene.database.read(
        sql.list_unfinished_media, scene.database.clock.now(), [], [], 10
    )
    media = await finish(scene, arriving)
    shard = media.tenant.shard
    assert await scene.database.transact(sql.abandon_unfinished, shard, [unfinished]) == []
    assert await scene.services.uploads.sweep() == 0
    assert await scene.services.media.get(scene.acme.principal, media.id)
    assert await count(scene) == (1, 1)


async def test_an_expired_file_that_a_message_needs_meanwhile_is_left_alone(scene: Scene) -> None:
    now, tenant = scene.database.clock.now(), scene.acme.organization.tenant
    media = await finish(scene, await begin(scene, uuid4()))
    await scene.database.pool.execute("UPDATE media SET expires_at = $1", now)
    expired = await scene.database.read(sql.list_expired, tenant, now, 10)
    until = {(tenant.organization_id, media.id): now + HOUR}
    await scene.database.transact(sql.keep_media_until, tenant.shard, until)
    assert await scene.database.transact(sql.abandon_expired, tenant.shard, expired, now) == []
    assert await scene.services.media.delete_expired(tenant) == 0
    assert await scene.services.media.get(scene.acme.principal, media.id)


async def test_transactions_that_keep_the_same_files_lock_them_in_one_order(scene: Scene) -> None:
    tenant = scene.acme.organization.tenant
    files = [await finish(scene, await begin(scene, uuid4())) for _ in range(5)]
    await scene.database.pool.execute("UPDATE media SET expires_at = now() - interval '1 second'")
    keys = sorted((tenant.organization_id, media.id) for media in files)
    until = scene.database.clock.now() + HOUR
    tries = 0

    async def keep(connection: Connection, order: list[tuple[UUID, UUID]]) -> None:
        nonlocal tries
        tries += 1
        await sql.keep_media_until(connection, tenant.shard, dict.fromkeys(order, until))

    async with (
        asyncio.TaskGroup() as group,
        scene.database.pool.acquire() as connection,
        connection.transaction(),
    ):
        await connection.execute(
            "SELECT 1 FROM media WHERE shard = $1 AND id = $2 FOR UPDATE",
            tenant.shard,
            keys[2][1],
        )
        for order in (keys, keys[::-1]):
            group.create_task(scene.database.transact(keep, order))
        await asyncio.sleep(0.3)  # both wait, with what they have locked before this one
    assert tries == 2, "one was a deadlock's victim"


HOLD = """
import asyncio, sys
from pathlib import Path
from heliograph.platform.objects import Staging
async def main():
    async with Staging(Path(sys.argv[1])).open() as staged:
        await staged.write(b"x" * 1000)
        print("ready", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def test_a_staged_file_is_deleted_once_its_process_was_killed(tmp_path: Path) -> None:
    def sweep() -> int:
        return asyncio.run(Staging(tmp_path).sweep())

    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        [file] = tmp_path.iterdir()
        os.utime(file, (0, 0))
        assert sweep() == 0
        process.kill()
    assert file.stat().st_size == 1000
    assert sweep() == 1
    assert list(tmp_path.iterdir()) == []
