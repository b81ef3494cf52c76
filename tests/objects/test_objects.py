"""Objects: a folder, an S3-compatible server, one that is gone, and what is neither."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from each_case import for_each
from heliograph.errors import ConfigurationError
from heliograph.platform.objects import ObjectNotFoundError, Objects, ObjectStorageError, store
from heliograph.platform.objects.store import CHUNK
from s3_server import S3Server, running_s3
from s3_server import s3 as s3
from tcp_proxy import tcp_proxy

PICTURE = b"\xff\xd8 not really"


@pytest.fixture(params=["folder", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return (tmp_path / "objects").as_uri()
    server: S3Server = request.getfixturevalue("s3")
    return server.url("gateway/one")


async def test_what_is_put_is_got(url: str) -> None:
    await Objects(url).put("pictures/a.jpg", PICTURE)
    assert await Objects(url).get("pictures/a.jpg") == PICTURE


async def test_what_was_never_put_is_not_found(url: str) -> None:
    with pytest.raises(ObjectNotFoundError):
        await Objects(url).get("pictures/none.jpg")


async def test_trying_out_leaves_nothing(url: str, s3: S3Server) -> None:
    before = s3.list_keys()
    await Objects(url).try_out()
    assert s3.list_keys() == before


async def test_two_prefixes_of_a_bucket_are_apart(s3: S3Server) -> None:
    await Objects(s3.url("here")).put("a.jpg", PICTURE)
    assert "here/a.jpg" in s3.list_keys()
    with pytest.raises(ObjectNotFoundError):
        await Objects(s3.url("there")).get("a.jpg")


async def test_a_bucket_that_is_not_there(s3: S3Server) -> None:
    with pytest.raises(ObjectStorageError, match="404"):
        await Objects(s3.url("", bucket="nobody")).put("a.jpg", PICTURE)


async def test_a_server_that_is_gone() -> None:
    with running_s3() as gone:
        objects = Objects(gone.url(""))
        gone.stop()
        with pytest.raises(ObjectStorageError, match="error sending request"):
            await objects.get("a.jpg")
        with pytest.raises(ObjectStorageError):
            await objects.put("a.jpg", PICTURE)


@for_each("url", ["", "pictures", "/srv/pictures", "s3://", "nope://bucket"])
def test_what_names_no_storage_is_said_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match="HELIOGRAPH_OBJECTS_URL"):
        Objects(url)


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="Not a directory"):
        Objects((tmp_path / "file/objects").as_uri())


async def test_a_key_that_is_refused_is_said_in_the_words_of_the_storage(s3: S3Server) -> None:
    with refusing_keys(s3), pytest.raises(ObjectStorageError) as refused:
        await Objects(s3.url("")).put("a.jpg", PICTURE)
    said = str(refused.value)
    assert "403 Forbidden: InvalidAccessKeyId, The AWS Access Key Id you provided" in said
    assert not {"\n", "<"} & set(said)


async def test_a_file_does_not_wait_for_ever_behind_others(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_TURN_WITHIN", 0.2)
    async with tcp_proxy(s3.port) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
        objects = Objects(s3.url(""), tmp_path / "staging")
        proxy.hold_answers()
        async with objects.stage() as staged:
            await staged.write(PICTURE)
            puts = [
                asyncio.create_task(objects.put_staged(f"uploads/{number}", staged))
                for number in range(store._FILES_AT_ONCE + 1)
            ]
            with pytest.raises(ObjectStorageError, match="take too long"):
                await puts[-1]
            proxy.let_answers_through()
            await asyncio.gather(*puts[:-1])
            await objects.put_staged("uploads/last", staged)


def test_doctor_tries_it_out(s3: S3Server, tmp_path: Path) -> None:
    done = ask_doctor(s3, tmp_path, "pictures")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stores, reads and deletes" in done.stdout


def test_doctor_says_that_there_is_no_such_bucket(s3: S3Server, tmp_path: Path) -> None:
    done = ask_doctor(s3, tmp_path, "nobody")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NoSuchBucket" in done.stdout
    assert "that the bucket exists" in done.stdout


def test_doctor_says_that_the_key_is_wrong(s3: S3Server, tmp_path: Path) -> None:
    with refusing_keys(s3):
        done = ask_doctor(s3, tmp_path, "pictures")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "InvalidAccessKeyId" in done.stdout
    assert "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in done.stdout


def ask_doctor(s3: S3Server, folder: Path, bucket: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "heliograph", "doctor"],
        env={
            "PATH": "/usr/bin",
            "COLUMNS": "1000",
            "HELIOGRAPH_DATA_DIR": str(folder),
            "HELIOGRAPH_PORT": "0",
            "HELIOGRAPH_OBJECTS_URL": s3.url("x", bucket),
            **s3.environment,
        },
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


@contextlib.contextmanager
def refusing_keys(s3: S3Server) -> Iterator[None]:
    s3.refuse_keys()
    try:
        yield
    finally:
        s3.take_any_key()


# --- files that are stored when they are whole ----------------------------------------------------


async def test_a_file_that_is_whole_is_stored_and_read_in_parts(url: str, tmp_path: Path) -> None:
    objects = Objects(url, tmp_path / "staging")
    piece = bytes(range(256)) * 4096
    async with objects.stage() as staged:
        for _ in range(12):  # more than one part of S3 holds
            await staged.write(piece)
        await objects.put_staged("uploads/a", staged)
    assert staged.size == await objects.get_size("uploads/a") == 12 * len(piece)
    read = [chunk async for chunk in objects.read("uploads/a", 5, 12 * len(piece) - 5)]
    assert b"".join(read) == (piece * 12)[5:-5]
    assert max(map(len, read)) <= CHUNK
    assert await objects.staging.sweep(older_than=0) == 0


async def test_a_file_that_does_not_become_whole_is_gone(url: str, tmp_path: Path) -> None:
    objects = Objects(url, tmp_path / "staging")

    async def give_up() -> None:
        async with objects.stage() as staged:
            await staged.write(b"half")
            raise TimeoutError

    with pytest.raises(TimeoutError):
        await give_up()
    with pytest.raises(ObjectNotFoundError):
        await objects.get_size("uploads/half")
    assert await objects.staging.sweep(older_than=-60) == 0


async def test_what_is_gone_already_can_be_deleted(url: str) -> None:
    objects = Objects(url)
    await objects.put("a.jpg", PICTURE)
    await objects.delete(["none.jpg", "a.jpg"])
    await objects.delete(["none.jpg", "a.jpg"])
    with pytest.raises(ObjectNotFoundError):
        await objects.get("a.jpg")


# --- folders --------------------------------------------------------------------------------------


async def test_what_is_deleted_leaves_no_empty_folder(tmp_path: Path) -> None:
    folder = tmp_path / "objects"
    objects = Objects(folder.as_uri())
    await objects.put("uploads/one/2026-03-02/a", PICTURE)
    async with objects.stage() as staged:
        await staged.write(PICTURE)
        await objects.put_staged("uploads/one/2026-03-03/b", staged)
    await objects.put("uploads/two/2026-03-03/c", PICTURE)

    await objects.delete(["uploads/one/2026-03-02/a", "uploads/one/2026-03-03/b"])

    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert left - {".staging"} == {
        "uploads",
        "uploads/two",
        "uploads/two/2026-03-03",
        "uploads/two/2026-03-03/c",
    }


async def test_a_file_gets_into_a_folder_that_others_empty(tmp_path: Path) -> None:
    objects = Objects((tmp_path / "objects").as_uri())

    async def come_and_go(name: int) -> None:
        for _ in range(40):
            async with objects.stage() as staged:
                await staged.write(PICTURE)
                await objects.put_staged(f"uploads/one/day/{name}", staged)
            await objects.delete([f"uploads/one/day/{name}"])

    await asyncio.gather(*map(come_and_go, range(8)))

    assert await objects.list_keys("uploads") == []
