"""The private server's log does not grow for ever, and leads nowhere else."""

import os
from pathlib import Path

import pytest

from heliograph.platform.embedded import postmaster as postmaster_module
from heliograph.platform.embedded.postmaster import Postmaster


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Postmaster:
    monkeypatch.setattr(postmaster_module, "_LOG_LIMIT", 100)
    return Postmaster([], str(tmp_path / "data"), str(tmp_path), str(tmp_path / "socket"), {})


def test_a_large_log_begins_anew_under_the_server_that_has_it_open(
    server: Postmaster, tmp_path: Path
) -> None:
    log = tmp_path / "postgres.log"
    with log.open("ab", buffering=0) as opened:
        opened.write(b"short\n")
        server.rotate_log()
        assert log.read_bytes() == b"short\n"
        opened.write(b"x" * 200)
        server.rotate_log()
        opened.write(b"new\n")
    assert log.read_bytes() == b"new\n"
    assert (tmp_path / "postgres.log.1").read_bytes() == b"short\n" + b"x" * 200


def test_no_link_is_followed(server: Postmaster, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"somebody's")
    (tmp_path / "postgres.log.1").symlink_to(other)
    (tmp_path / "postgres.log").write_bytes(b"x" * 200)
    server.rotate_log()
    assert other.read_bytes() == b"somebody's"
    os.remove(tmp_path / "postgres.log")
    (tmp_path / "postgres.log").symlink_to(other)
    other.write_bytes(b"y" * 200)
    server.rotate_log()
    assert other.read_bytes() == b"y" * 200
