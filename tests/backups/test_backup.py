"""`heliograph backup` beside a gateway that accepts messages, and `restore` somewhere else."""

import json
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from citus import fetch
from databases import fresh_database, run
from heliograph.core.backups.model import DUMP, KEYS, MANIFEST, OBJECTS
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.files.archive import (
    SIGNATURES,
    SUMS,
    ArchiveError,
    ArchiveWriter,
    read_members,
    verify_archive,
)
from installation import Accepted, Installation, send

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(600),  # several gateways start
]

FILE = b"%PDF-1.4\n" + bytes(range(256)) * 4000


def upload(client: httpx.Client) -> str:
    """The file's address below the gateway's."""
    answer = client.post(
        "/api/v1/media?file_name=menu.pdf",
        content=FILE,
        headers={"Content-Type": "application/pdf"},
    )
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def receive(source: Installation, client: httpx.Client) -> str:
    """The id of a file that somebody has sent to the account."""
    path = source.data_dir.with_name("photo.pdf")
    path.write_bytes(FILE)
    await_one(client, "devices?status=connected", "devices")
    source.must("sandbox", "file", "Ada", path)
    return str(await_one(client, "media?origin=inbound", "media")["id"])


def await_one(client: httpx.Client, path: str, member: str) -> dict[str, Any]:
    """The first of a list, as soon as there is one."""
    for _ in range(600):
        found: list[dict[str, Any]] = client.get(f"/api/v1/{path}").json()[member]
        if found:
            return found[0]
        time.sleep(0.1)
    pytest.fail(f"nothing is in {path}")


class Made(NamedTuple):
    """An archive, what was accepted before it was begun, and the ids of two files."""

    archive: Path
    demo: Path
    messages: list[str]
    file: str
    received: str


@pytest.fixture(scope="module")
def made(reachable_dir: Path) -> Made:
    """A backup of a gateway that accepts messages all the while."""
    source = Installation(reachable_dir / "source")
    demo, archive = source.data_dir / "demo.json", reachable_dir / "backup.tar"
    with source.serving(demo) as client:
        file, received = upload(client), receive(source, client)
        with Accepted(client, demo) as accepted:
            before = list(accepted.ids)
            source.must("backup", archive)
            assert len(accepted.ids) > len(before), "nothing was accepted meanwhile"
    return Made(archive, demo, before, file, received)


def test_what_was_there_is_there_elsewhere(made: Made, reachable_dir: Path) -> None:
    target = Installation(reachable_dir / "target")

    target.must("restore", "--from-elsewhere", made.archive)
    with target.serving(made.demo) as client:  # a start opens canaries with the restored key
        for message in made.messages:
            assert client.get(f"/api/v1/messages/{message}").is_success
        for file in (made.file, made.received):
            url = client.get(f"/api/v1/media/{file}").json()["url"]
            assert client.get(url).content == FILE
        assert send(client, json.loads(made.demo.read_text()))


def test_a_second_restore_is_refused(made: Made, reachable_dir: Path) -> None:
    target = Installation(reachable_dir / "taken")
    target.must("restore", "--from-elsewhere", made.archive)

    printed = target.refuse("restore", "--from-elsewhere", made.archive)
    assert "has a database already" in printed


def test_ordinary_tools_open_and_check_it(made: Made, tmp_path: Path) -> None:
    assert made.archive.stat().st_mode & 0o777 == 0o600
    subprocess.run(["tar", "-xf", made.archive], cwd=tmp_path, check=True)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("member", ["database.dump", "objects/", "manifest.json", "SHA256SUMS"])
def test_a_changed_byte_is_refused_before_anything_is_made(
    made: Made, tmp_path: Path, member: str
) -> None:
    with tarfile.open(made.archive) as tar:
        found = next(each for each in tar.getmembers() if each.name.startswith(member))
    data = bytearray(made.archive.read_bytes())
    data[found.offset_data + found.size // 2] ^= 1
    damaged = tmp_path / "damaged.tar"
    damaged.write_bytes(data)

    with pytest.raises(ArchiveError, match="damaged"):
        verify_archive(damaged)


def rewrite(source: Path, target: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """An archive of other members, with digests that fit them."""
    members = {name: content.read() for name, _, content in read_members(source)}
    for name in (SUMS, SIGNATURES):
        del members[name]
    change(members)
    with ArchiveWriter(target) as archive:
        for name, data in members.items():
            archive.add(name, data)
        archive.finish(lambda _: b"", lambda _: None)
    return target


def an_object(members: dict[str, bytes]) -> str:
    return next(name for name in members if name.startswith(OBJECTS))


def rename_object(name: str) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.update({name: members.pop(an_object(members))})


CRAFTED: dict[str, tuple[Callable[[dict[str, bytes]], object], str]] = {
    "a name that leads out": (rename_object("objects/../../pwned"), "no object of the gateway"),
    "a name from the root": (rename_object("objects//tmp/pwned"), "no object of the gateway"),
    "a hidden name": (rename_object("objects/.staging/x"), "no object of the gateway"),
    "a name of nothing": (rename_object("objects/"), "no object of the gateway"),
    "a stranger": (lambda members: members.update({"README": b""}), "which no backup has"),
    "an object less": (lambda members: members.pop(an_object(members)), "its manifest says 2"),
    "an object that grew": (
        lambda members: members.update({an_object(members): b"x"}),
        "its manifest says 2",
    ),
    "no dump": (lambda members: members.pop(DUMP), "lacks database.dump"),
    "no manifest": (lambda members: members.pop(MANIFEST), "lacks manifest.json"),
    "no keys": (lambda members: members.pop(KEYS), "lacks keys/secret-keys"),
    "keys that are none": (lambda members: members.update({KEYS: b"\x80\xff"}), "of the archive"),
    "a deep manifest": (
        lambda members: members.update({MANIFEST: b"[" * 100_000}),
        "manifest can't be read",
    ),
    "a manifest of nothing": (lambda members: members.update({MANIFEST: b"null"}), "can't be read"),
}


@pytest.mark.parametrize("crafted", CRAFTED)
def test_what_fits_its_digests_and_is_no_backup_is_refused(
    made: Made, tmp_path: Path, crafted: str
) -> None:
    change, problem = CRAFTED[crafted]
    archive = rewrite(made.archive, tmp_path / "crafted.tar", change)
    target = Installation(tmp_path / "target")

    printed = target.refuse("restore", "--from-elsewhere", archive)
    assert problem in printed
    assert not target.data_dir.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"crafted.tar", "target.log"}


def test_without_keys_those_that_are_set_become_the_data_directorys(
    made: Made, reachable_dir: Path
) -> None:
    source = Installation(made.demo.parent)
    archive = reachable_dir / "keyless.tar"
    source.must("backup", "--without-keys", archive)
    target = Installation(reachable_dir / "keyless")
    printed = target.refuse("restore", "--from-elsewhere", archive)
    assert "keys that are not set" in printed
    key = (source.data_dir / "secret.key").read_text().strip()
    target.environment["HELIOGRAPH_SECRET_KEYS"] = key

    target.must("restore", "--from-elsewhere", archive)
    assert (target.data_dir / "secret.key").read_text().strip() == key


def test_a_folder_that_is_missing_is_not_made_a_file(tmp_path: Path) -> None:
    installation = Installation(tmp_path / "data")
    printed = installation.refuse("backup", f"{tmp_path}/backups/")
    assert "There is no folder" in printed
    printed = installation.refuse("restore", "backup.tar", "--into", "")
    assert "names no folder" in printed


@pytest.mark.parametrize("name", ["", "-"])
def test_an_archive_needs_a_name(tmp_path: Path, name: str) -> None:
    printed = Installation(tmp_path / "none").refuse("backup", name)
    assert "An archive has to be a file" in printed


def test_a_database_without_a_schema_is_not_backed_up(
    empty_database_url: str, tmp_path: Path
) -> None:
    source = Installation(
        tmp_path / "empty", database_url=empty_database_url, secret_keys=generate_secret_key()
    )
    printed = source.refuse("backup", tmp_path / "empty.tar")
    assert "nothing to back up" in printed
    assert not list(tmp_path.glob("empty.tar*"))


def test_an_archive_that_is_cut_short_is_refused(made: Made, tmp_path: Path) -> None:
    data = made.archive.read_bytes()
    with tarfile.open(made.archive) as tar:
        ends = [each.offset for each in tar.getmembers() if each.name != SIGNATURES]
    cut = tmp_path / "cut.tar"
    for length in (0, 100, *ends, len(data) // 2):
        cut.write_bytes(data[:length])
        with pytest.raises(ArchiveError):
            verify_archive(cut)

    target = Installation(tmp_path / "target")
    target.refuse("restore", "--from-elsewhere", cut)
    assert not target.data_dir.exists()


def test_a_backup_that_is_killed_leaves_no_archive(made: Made, reachable_dir: Path) -> None:
    source = Installation(made.demo.parent)  # whose gateway has ended: the database is started
    target = reachable_dir / "killed.tar"
    unfinished = target.with_name("killed.tar.unfinished")
    process = source.call("backup", target)
    while not unfinished.exists():
        assert process.poll() is None, source.printed.read_text()
        time.sleep(0.01)
    process.kill()
    process.wait()

    assert not target.exists()
    with pytest.raises(ArchiveError):
        verify_archive(unfinished)
    source.must("backup", target)
    verify_archive(target)
    assert not unfinished.exists()


def test_a_restore_that_is_killed_is_not_served_and_can_be_repeated(
    made: Made, reachable_dir: Path
) -> None:
    target = Installation(reachable_dir / "again")
    process = target.call("restore", made.archive, "--from-elsewhere")
    mark = target.data_dir / "restore.unfinished"
    while not mark.exists():
        assert process.poll() is None, target.printed.read_text()
        time.sleep(0.01)
    process.kill()
    process.wait()

    for command in ("serve", "doctor"):
        printed = target.refuse(command)
        assert "only half restored" in " ".join(printed.split())
    target.must("restore", "--from-elsewhere", made.archive)
    assert not mark.exists()


def test_a_database_of_ones_own_is_restored_with_the_archives_keys(
    made: Made, postgres_url: str, tmp_path: Path
) -> None:
    with fresh_database(postgres_url) as url, tarfile.open(made.archive) as tar:
        another = generate_secret_key()
        target = Installation(tmp_path / "own", database_url=url, secret_keys=another)
        printed = target.refuse("restore", made.archive)
        assert "is signed with the key" in printed
        keys = tar.extractfile("keys/secret-keys")
        assert keys is not None
        target.environment["HELIOGRAPH_SECRET_KEYS"] = keys.read().decode().strip()
        printed = target.must("restore", made.archive)
        assert "postgresql://" in printed
        target.must("restore", made.archive)
        run(fetch(url, "DELETE FROM api_keys"))
        printed = target.refuse("restore", made.archive)
        assert "not empty" in printed


def test_a_file_that_is_no_longer_what_was_stored_is_named(made: Made, reachable_dir: Path) -> None:
    target = Installation(reachable_dir / "damaged")
    target.must("restore", "--from-elsewhere", made.archive)
    uploads = target.data_dir / "objects" / "uploads"
    [file] = [path for path in uploads.rglob("*") if _read(path) == FILE]
    file.write_bytes(FILE[:100])
    archive = reachable_dir / "damaged.tar"

    printed = target.refuse("backup", archive)
    assert "objects are not the bytes that were stored (1, such as" in printed
    printed = Installation(reachable_dir / "as-it-is").must("restore", "--from-elsewhere", archive)
    assert "not the bytes that were stored" in printed


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
