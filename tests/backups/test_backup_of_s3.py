"""`heliograph backup` and `restore` where the objects lie in an S3 storage."""

import json
import threading
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from databases import fresh_database
from heliograph.core.backups.model import MANIFEST
from heliograph.platform.files.archive import read_members
from installation import Accepted, Installation, send
from s3_server import S3Server
from s3_server import s3 as s3

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(600),  # several gateways start
]


@pytest.fixture(scope="module")
def folder(reachable_dir: Path) -> Path:
    """Of this module's own."""
    made = reachable_dir / "backup-of-s3"
    made.mkdir()
    return made


def content_of(number: int) -> bytes:
    """A file that is like no other, and more than one part of what S3 takes at once."""
    return f"%PDF-1.4\n{number}\n".encode() + bytes(range(256)) * 100 * (1 + number % 3 * 100)


class Uploaded:
    """Files that were taken, by their ids; uploaded one after the other until the block ends."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self.files: dict[str, bytes] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._upload)

    def __enter__(self) -> "Uploaded":
        self._thread.start()
        while len(self.files) < 3 and self._thread.is_alive():
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _upload(self) -> None:
        while not self._stop.wait(0.02):
            content = content_of(len(self.files))
            answer = self._client.post(
                "/api/v1/media?file_name=menu.pdf",
                content=content,
                headers={"Content-Type": "application/pdf"},
            )
            assert answer.is_success, answer.text
            self.files[str(answer.json()["id"])] = content


class Made(NamedTuple):
    """An archive; what was accepted and uploaded before it was begun, and all files that were."""

    archive: Path
    demo: Path
    messages: list[str]
    before: dict[str, bytes]
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def made(s3: S3Server, folder: Path) -> Made:
    """A backup of a gateway that takes messages and files all the while."""
    source = Installation(folder / "source", objects_url=s3.url("source"))
    demo, archive = source.data_dir / "demo.json", folder / "backup.tar"
    with source.serving(demo) as client, Accepted(client, demo) as accepted:
        with Uploaded(client) as uploaded:
            messages, before = list(accepted.ids), dict(uploaded.files)
            source.must("backup", archive)
        assert len(uploaded.files) > len(before), "nothing was uploaded meanwhile"
    return Made(archive, demo, messages, before, dict(uploaded.files))


def find_file(client: httpx.Client, file: str) -> bytes | None:
    """Its content; None when the gateway does not know it."""
    found = client.get(f"/api/v1/media/{file}")
    if found.status_code == 404:
        return None
    assert found.is_success, found.text
    content = client.get(found.json()["url"])
    assert content.is_success, content.text
    return content.content


def test_every_file_that_the_archive_knows_is_whole_on_a_storage_elsewhere(
    made: Made, s3: S3Server, postgres_url: str, folder: Path
) -> None:
    key = (made.demo.parent / "secret.key").read_text().strip()
    with fresh_database(postgres_url) as url:
        target = Installation(
            folder / "target", database_url=url, objects_url=s3.url("target"), secret_keys=key
        )
        target.must("restore", made.archive)

        with target.serving(made.demo) as client:
            for message in made.messages:
                assert client.get(f"/api/v1/messages/{message}").is_success
            found = {file: find_file(client, file) for file in made.files}
            assert send(client, json.loads(made.demo.read_text()))

    assert made.before.items() <= found.items()
    assert {file: made.files[file] for file in found if found[file] is not None}.items() <= (
        found.items()
    )
    assert not (target.data_dir / "objects").exists()


def test_the_archive_lost_nothing(made: Made) -> None:
    [data] = [content.read() for name, _, content in read_members(made.archive) if name == MANIFEST]
    manifest = json.loads(data)
    assert manifest["lost"] == []
    assert manifest["objects"] >= len(made.before)


def test_files_come_from_a_storage_into_a_folder(made: Made, folder: Path) -> None:
    target = Installation(folder / "folder")

    target.must("restore", "--from-elsewhere", made.archive)
    stored = [path for path in (target.data_dir / "objects").rglob("*") if path.is_file()]
    assert set(made.before.values()) <= {path.read_bytes() for path in stored}


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_storage_that_is_away_is_said_in_a_sentence(
    made: Made, folder: Path, command: str
) -> None:
    unmade = folder / "unmade.tar"
    source, words = {
        "backup": (made.demo.parent, ("backup", unmade)),
        "restore": (folder / "away", ("restore", "--from-elsewhere", made.archive)),
    }[command]
    installation = Installation(source, objects_url="s3://pictures/source")
    installation.environment["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"  # where nobody listens

    printed = installation.refuse(*words)

    assert "The object storage has failed" in printed
    assert "Traceback" not in printed
    assert not unmade.exists()
