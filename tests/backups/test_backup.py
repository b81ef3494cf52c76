"""`heliograph backup` beside a gateway that accepts messages, and `restore` somewhere else."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from databases import fresh_database
from free_ports import free_port
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.files.archive import ArchiveError, verify_archive
from heliograph.platform.parent_death import tie_to_parent

pytestmark = pytest.mark.timeout(600)  # several gateways start

FILE = b"%PDF-1.4\n" + bytes(range(256)) * 4000
PATIENCE = 180.0  # seconds for one command
SEND = "/api/v1/messages/send/interactive/buttons"


class Installation:
    """A data directory, and commands on it. `client` speaks to its gateway while one runs."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.printed = data_dir.with_suffix(".log")
        own = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
        named = {"HELIOGRAPH_DATA_DIR": str(data_dir), "HELIOGRAPH_PORT": str(self.port)}
        self.environment = own | named

    def call(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        # into a file: nobody reads what a gateway logs, and a pipe that is full would stop it
        with self.printed.open("wb") as stream:
            return subprocess.Popen(
                [sys.executable, "-m", "heliograph", *map(str, words)],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                preexec_fn=tie_to_parent(signal.SIGTERM),
            )

    def run(self, *words: str | Path) -> tuple[int, str]:
        """The exit code, and all that was printed, on one line."""
        code = self.call(*words).wait(PATIENCE)
        return code, " ".join(self.printed.read_text().split())

    @contextmanager
    def serving(self, demo: Path) -> Iterator[httpx.Client]:
        """With the key of the demo in this file."""
        log = self.printed
        process = self.call("serve", "--demo")
        self.printed = log.with_suffix(".command")
        base_url = f"http://127.0.0.1:{self.port}"
        try:
            _await_ready(base_url, process, log)
            headers = {"Authorization": f"Bearer {json.loads(demo.read_text())['api_key']}"}
            with httpx.Client(base_url=base_url, headers=headers, timeout=60) as client:
                yield client
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def _await_ready(base_url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        with suppress(httpx.TransportError):
            if httpx.get(base_url + "/readyz", timeout=5).is_success:
                return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)


class Accepted:
    """Messages that were accepted, by their order; posted until the block ends."""

    def __init__(self, client: httpx.Client, demo: Path) -> None:
        self._client, self._demo = client, json.loads(demo.read_text())
        self.ids: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._post)

    def __enter__(self) -> "Accepted":
        self._thread.start()
        while len(self.ids) < 5:
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _post(self) -> None:
        while not self._stop.wait(0.05):
            self.ids.append(send(self._client, self._demo))


def send(client: httpx.Client, demo: dict[str, str]) -> str:
    body = {
        "phone_number": demo["contact_phone"],
        "body": "Is 20:00 right?",
        "buttons": [{"id": "yes", "title": "Yes"}],
    }
    answer = client.post(SEND, json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["message_id"])


def upload(client: httpx.Client) -> str:
    """The file's address below the gateway's."""
    answer = client.post(
        "/api/v1/media?file_name=menu.pdf",
        content=FILE,
        headers={"Content-Type": "application/pdf"},
    )
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


class Made(NamedTuple):
    """An archive, what was accepted before it was begun, and the id of a file."""

    archive: Path
    demo: Path
    messages: list[str]
    file: str


@pytest.fixture(scope="module")
def made(reachable_dir: Path) -> Made:
    """A backup of a gateway that accepts messages all the while."""
    source = Installation(reachable_dir / "source")
    demo, archive = source.data_dir / "demo.json", reachable_dir / "backup.tar"
    with source.serving(demo) as client:
        file = upload(client)
        with Accepted(client, demo) as accepted:
            before = list(accepted.ids)
            code, printed = source.run("backup", archive)
            assert code == 0, printed
            assert len(accepted.ids) > len(before), "nothing was accepted meanwhile"
    return Made(archive, demo, before, file)


def test_what_was_there_is_there_elsewhere(made: Made, reachable_dir: Path) -> None:
    target = Installation(reachable_dir / "target")

    code, printed = target.run("restore", made.archive)

    assert code == 0, printed
    with target.serving(made.demo) as client:  # a start opens canaries with the restored key
        for message in made.messages:
            assert client.get(f"/api/v1/messages/{message}").is_success
        url = client.get(f"/api/v1/media/{made.file}").json()["url"]
        assert client.get(url).content == FILE
        assert send(client, json.loads(made.demo.read_text()))


def test_a_second_restore_is_refused(made: Made, reachable_dir: Path) -> None:
    target = Installation(reachable_dir / "taken")
    assert target.run("restore", made.archive)[0] == 0

    code, printed = target.run("restore", made.archive)

    assert code == 1
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


def test_an_archive_that_is_cut_short_is_refused(made: Made, tmp_path: Path) -> None:
    data = made.archive.read_bytes()
    with tarfile.open(made.archive) as tar:
        ends = [each.offset for each in tar.getmembers()]
    cut = tmp_path / "cut.tar"
    for length in (0, 100, *ends, len(data) // 2):
        cut.write_bytes(data[:length])
        with pytest.raises(ArchiveError):
            verify_archive(cut)

    target = Installation(tmp_path / "target")
    assert target.run("restore", cut)[0] == 1
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
    code, printed = source.run("backup", target)
    assert code == 0, printed
    verify_archive(target)
    assert not unfinished.exists()


def test_a_restore_that_is_killed_is_not_served_and_can_be_repeated(
    made: Made, reachable_dir: Path
) -> None:
    target = Installation(reachable_dir / "again")
    process = target.call("restore", made.archive)
    mark = target.data_dir / "restore.unfinished"
    while not mark.exists():
        assert process.poll() is None, target.printed.read_text()
        time.sleep(0.01)
    process.kill()
    process.wait()

    code, printed = target.run("serve")
    assert code == 1
    assert "only half restored" in printed
    code, printed = target.run("restore", made.archive)
    assert code == 0, printed
    assert not mark.exists()


def test_a_database_of_ones_own_is_restored_with_the_archives_keys(
    made: Made, postgres_url: str, tmp_path: Path
) -> None:
    target = Installation(tmp_path / "own")
    with fresh_database(postgres_url) as url, tarfile.open(made.archive) as tar:
        target.environment["HELIOGRAPH_DATABASE_URL"] = url
        target.environment["HELIOGRAPH_SECRET_KEYS"] = generate_secret_key()
        code, printed = target.run("restore", made.archive)
        assert code == 1
        assert "keys that are not set" in printed
        keys = tar.extractfile("keys/secret-keys")
        assert keys is not None
        target.environment["HELIOGRAPH_SECRET_KEYS"] = keys.read().decode().strip()
        code, printed = target.run("restore", made.archive)
        assert code == 0, printed
        code, printed = target.run("restore", made.archive)
        assert code == 1
        assert "not empty" in printed
