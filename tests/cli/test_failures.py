"""What the disk, another program or the database refuses is a sentence, whatever the command."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from heliograph.platform.database.failures import explain_failure
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.settings import DataSettings, Settings
from installation import Installation
from prepared_data import prepare_data


@pytest.fixture
def locked_out(reachable_dir: Path) -> Iterator[Installation]:
    """A gateway's data directory whose password does not open its database any more."""
    folder = reachable_dir / "locked-out"
    prepare_data(folder)
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=folder)))
    server.start()
    (folder / "postgres-owner.password").write_text("another")
    try:
        yield Installation(folder)
    finally:
        server.stop()


def test_no_command_ends_in_a_traceback(locked_out: Installation, tmp_path: Path) -> None:
    for command in ("database shrink", "database shrink --dry-run", f"backup {tmp_path}/x.tar"):
        code, printed = locked_out.run(*command.split())
        assert (code, "Traceback" in printed) == (1, False), printed
        assert "password authentication failed" in printed


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has such a device")
@pytest.mark.parametrize("level", ["info", "debug"])
def test_a_full_disk_behind_standard_output_is_a_sentence(level: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "heliograph", "openapi"],
            env=os.environ | {"HELIOGRAPH_LOG_LEVEL": level},
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "What frees space" in done.stderr
    assert ("Traceback" in done.stderr) == (level == "debug")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_standard_stream_takes_what_is_printed(closed: str) -> None:
    command = f'exec "$0" -m heliograph --version {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.DiskFullError("could not write init file: No space left on device"),
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/lib/x"),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    ],
)
def test_a_full_disk_is_told_with_what_frees_space(error: Exception) -> None:
    explained = explain_failure(error)
    assert str(error) in explained.problem
    assert "What frees space" in explained.remedy


def test_a_role_that_owns_nothing_is_not_told_to_be_granted_what_only_owners_may() -> None:
    explained = explain_failure(
        asyncpg.InsufficientPrivilegeError("must be owner of table messages"), "heliograph_node"
    )
    assert "The role heliograph_node" in explained.problem
    assert "--grant-to" not in explained.remedy
    assert "the role that owns the tables" in explained.remedy
