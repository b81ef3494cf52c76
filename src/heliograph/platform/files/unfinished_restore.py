"""The mark on a data directory that a restore has begun and not ended: nothing is served there."""

from pathlib import Path

from heliograph.platform.files.private import DataDirError, write_private

_MARK = "restore.unfinished"


def begin_restore(data_dir: Path, archive: str) -> None:
    """Mark it. `archive` names what is restored."""
    write_private(data_dir / _MARK, archive + "\n")


def find_restored(data_dir: Path) -> str | None:
    """Return what is being restored there, if anything."""
    try:
        return (data_dir / _MARK).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None


def end_restore(data_dir: Path) -> None:
    (data_dir / _MARK).unlink(missing_ok=True)


def check_restored(data_dir: Path) -> None:
    """Raise `DataDirError` where a restore has not ended."""
    archive = find_restored(data_dir)
    if archive is not None:
        raise DataDirError(
            f"The data directory {data_dir} is only half restored.",
            remedy="Run `heliograph restore` once more with the same archive, or remove the data "
            "directory.",
        )
