"""Commands know where the gateway of their data directory answers."""

import asyncio
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from heliograph.app.supervisor import forget_gateway
from heliograph.core.health.doctor import examine
from heliograph.faces.cli.output import call_of
from heliograph.platform.embedded.postmaster import EmbeddedPostgresError
from heliograph.platform.embedded.server import connect_url
from heliograph.platform.files.data_dir import DataDirLock
from heliograph.platform.files.running_gateway import (
    find_gateway,
    join_gateway,
    list_other_data_dirs,
    record_gateway,
)
from heliograph.settings import DataSettings, ServerSettings, Settings


def settings(folder: Path, *, port: int = 8000, public_url: str | None = None) -> Settings:
    server = ServerSettings(port=port, public_url=public_url)
    return Settings(server=server, data=DataSettings(dir=folder))


def test_a_command_takes_the_address_of_the_gateway_that_runs(tmp_path: Path) -> None:
    record_gateway(settings(tmp_path, port=8123))
    joined = join_gateway(settings(tmp_path))
    assert (joined.server.port, joined.public_url) == (8123, "http://127.0.0.1:8123")


def test_the_data_directory_is_made_where_it_can_be(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "data"
    record_gateway(settings(folder))
    assert find_gateway(folder) is not None
    assert folder.stat().st_mode & 0o777 == 0o700
    record_gateway(settings(Path("/dev/null/data")))  # which no gateway ends for


def test_a_call_from_uvx_can_be_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV", "/usr/bin/uv")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "archive-v0" / "3fGh"))
    assert re.search(r"uvx --from '?heliograph\[demo\].* heliograph$", call_of(settings(tmp_path)))


def test_a_public_url_of_the_gateway_is_the_commands_too(tmp_path: Path) -> None:
    record_gateway(settings(tmp_path, port=8123, public_url="https://chat.example"))
    assert join_gateway(settings(tmp_path)).public_url == "https://chat.example"
    own = settings(tmp_path, public_url="https://other.example")
    assert join_gateway(own).public_url == "https://other.example"


def test_a_gateway_that_has_ended_is_not_believed(tmp_path: Path) -> None:
    record_gateway(settings(tmp_path, port=8123))
    forget_gateway(tmp_path / "gateway.json")
    assert find_gateway(tmp_path) is None
    record_gateway(settings(tmp_path, port=8123))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    note = tmp_path / "gateway.json"
    note.write_text(note.read_text().replace(str(os.getpid()), str(ended.pid)))
    assert join_gateway(settings(tmp_path)).server.port == 8000
    forget_gateway(tmp_path / "gateway.json")
    assert note.exists(), "what another process wrote is its own"


def test_doctor_says_where_the_gateway_answers(tmp_path: Path) -> None:
    record_gateway(settings(tmp_path, port=8123))
    found = {check.name: check for check in asyncio.run(examine(join_gateway(settings(tmp_path))))}
    assert f"http://127.0.0.1:8123, process {os.getpid()}" in found["gateway"].detail


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_gateway_on_another_data_directory_is_named(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    lock = DataDirLock.acquire(there)
    record_gateway(settings(there))
    try:
        assert there in list_other_data_dirs(here)
        assert there not in list_other_data_dirs(there)
        with pytest.raises(EmbeddedPostgresError, match=f"HELIOGRAPH_DATA_DIR={there}"):
            connect_url(here)
        found = {check.name: check for check in asyncio.run(examine(settings(here)))}
        assert str(there) in found["gateway"].detail
    finally:
        lock.release()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_whoever_finds_no_gateway_is_told_to_start_one_and_of_three_others_at_most(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / name for name in ("cluster", "one", "two", "three", "four")]
    with ExitStack() as locks:
        for folder in folders:
            folder.mkdir()
            locks.callback(DataDirLock.acquire(folder).release)
        for folder in folders[1:]:
            record_gateway(settings(folder))
        with pytest.raises(EmbeddedPostgresError) as none_here:
            connect_url(tmp_path / "here")
        assert folders[0] not in list_other_data_dirs(tmp_path / "here"), "has no gateway"
    assert "Start one with `heliograph serve`" in none_here.value.remedy
    assert none_here.value.remedy.count("HELIOGRAPH_DATA_DIR=") == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_another_users_gateway_is_not_named(tmp_path: Path) -> None:
    lock = DataDirLock.acquire(tmp_path)
    record_gateway(settings(tmp_path))
    try:
        assert tmp_path in list_other_data_dirs(tmp_path / "here")
        os.chown(tmp_path / "gateway.json", 65534, -1)
        assert tmp_path not in list_other_data_dirs(tmp_path / "here")
    finally:
        lock.release()


def test_commands_to_paste_name_a_data_directory_that_is_not_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "HELIOGRAPH_DATA_DIR" not in call_of(settings(Path(".heliograph")))
    elsewhere = settings(tmp_path / "some data")
    assert call_of(elsewhere).startswith(f"HELIOGRAPH_DATA_DIR='{tmp_path}/some data' ")
