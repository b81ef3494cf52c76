"""What an archive is written into, and what is taken for one."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from heliograph.platform.files.archive import (
    SIGNATURES,
    SUMS,
    ArchiveError,
    ArchiveWriter,
    read_members,
    verify_archive,
)


@pytest.mark.parametrize("made", ["readable", "linked"])
def test_a_file_that_others_may_have_is_not_written_into(tmp_path: Path, made: str) -> None:
    """It could lie in a shared folder under the name that is about to be used."""
    unfinished = tmp_path / "backup.tar.unfinished"
    unfinished.touch(0o644 if made == "readable" else 0o600)
    if made == "linked":
        (tmp_path / "kept").hardlink_to(unfinished)

    with pytest.raises(ArchiveError, match="belongs to somebody else"):
        ArchiveWriter(tmp_path / "backup.tar")

    assert unfinished.read_bytes() == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of somebody else")
def test_a_file_of_somebody_else_is_not_written_into(tmp_path: Path) -> None:
    unfinished = tmp_path / "backup.tar.unfinished"
    unfinished.touch(0o600)
    os.chown(unfinished, 65534, 65534)

    with pytest.raises(ArchiveError, match="belongs to somebody else"):
        ArchiveWriter(tmp_path / "backup.tar")


def test_what_a_killed_process_left_is_written_over(tmp_path: Path) -> None:
    unfinished = tmp_path / "backup.tar.unfinished"
    unfinished.touch(0o600)
    unfinished.write_bytes(b"left")

    with ArchiveWriter(tmp_path / "backup.tar") as archive:
        archive.add("a", b"text")
        archive.finish(lambda _: b"", lambda _: None)

    assert next(read_members(tmp_path / "backup.tar"))[0] == "a"


def test_a_file_with_holes_is_none_of_ours(tmp_path: Path) -> None:
    """It may be larger than any disk."""
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 30)
    tar = shutil.which("tar")
    assert tar
    subprocess.run([tar, "-cSf", "holes.tar", "holes"], cwd=tmp_path, check=True)

    with pytest.raises(ArchiveError, match="not an archive of ours"):
        next(read_members(tmp_path / "holes.tar"))


def written(path: Path) -> bytes:
    with ArchiveWriter(path) as archive:
        archive.add("a", b"text")
        archive.finish(lambda _: b"signed", lambda _: None)
    return path.read_bytes()


@pytest.mark.parametrize(
    "more", ["itself", b"garbage", b"\0" * 5000 + b"x", b"x" * 512, "a member behind the sums"]
)
def test_nothing_may_stand_behind_the_end(tmp_path: Path, more: str | bytes) -> None:
    path = tmp_path / "backup.tar"
    data = written(path)
    if isinstance(more, bytes):
        path.write_bytes(data + more)
    elif more == "itself":
        path.write_bytes(data + data)
    else:
        with tarfile.open(path, "a:") as tar:
            tar.addfile(tarfile.TarInfo("b"))

    with pytest.raises(ArchiveError, match="comes after"):
        verify_archive(path)


@pytest.mark.parametrize("zeros", [0, 512, 8192])
def test_an_archive_may_end_in_zeros_as_other_programs_write_them(
    tmp_path: Path, zeros: int
) -> None:
    path = tmp_path / "backup.tar"
    path.write_bytes(written(path) + bytes(zeros))

    verify_archive(path)

    assert [name for name, _, _ in read_members(path)] == ["a", SUMS, SIGNATURES]
