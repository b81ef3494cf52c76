"""The data directory: private files, the lock that one gateway holds, the secret key."""

import errno
import fcntl
import os
import time
from pathlib import Path

from pydantic import SecretStr

from heliograph.platform.crypto import InvalidSecretKeyError, generate_secret_key, parse_secret_keys
from heliograph.platform.files.private import DataDirError, open_own, release_lock, write_private

LOCK = "gateway.lock"
_SECRET_KEY = "secret.key"  # noqa: S105 - the name of a file
_LOCK_TIMEOUT = 0.5  # seconds; `is_locked` holds the lock for an instant


def make_data_dir(path: Path) -> bool:
    """Make the data directory, mode 0700, and say whether there was none before.

    One that was there keeps its permissions. Raises `DataDirError`.
    """
    try:
        is_new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        _probe(path)
        return is_new
    except OSError as error:
        why = "it is a file" if path.is_file() else error.strerror
        raise DataDirError(
            f"The data directory {path} can't be written ({why}).",
            remedy="Set HELIOGRAPH_DATA_DIR to a folder that you may write to.",
            setting="HELIOGRAPH_DATA_DIR",
        ) from None


def _probe(path: Path) -> None:
    probe = path / f".probe-{os.getpid()}"
    probe.touch(mode=0o600)
    probe.unlink()


def load_secret_key(data_dir: Path) -> SecretStr:
    """Return the installation's own key, made at the first call: 32 random bytes in URL-safe
    base64."""
    path = data_dir / _SECRET_KEY
    if not path.exists():
        write_private(path, generate_secret_key() + "\n")
    return read_secret_key(data_dir)


def store_secret_key(data_dir: Path, text: str) -> None:
    """Make `text` the installation's own key."""
    write_private(data_dir / _SECRET_KEY, text + "\n")


def find_secret_key(data_dir: Path) -> SecretStr | None:
    """Return the installation's own key, or None where none was made yet. Raises `DataDirError`
    when it is unreadable or no key."""
    return read_secret_key(data_dir) if (data_dir / _SECRET_KEY).exists() else None


def read_secret_key(data_dir: Path) -> SecretStr:
    """Return the installation's own key. Raises `DataDirError` when it is missing, unreadable or no
    key."""
    path = data_dir / _SECRET_KEY
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        parse_secret_keys([text], variable=str(path))
        return SecretStr(text)
    except InvalidSecretKeyError:
        raise DataDirError(
            f"The secret key {path} is damaged: it is not a key.",
            remedy="Restore it from a backup.",
        ) from None
    except OSError as error:
        raise DataDirError(
            f"The secret key {path} can't be read ({error.strerror}).",
            remedy="Restore it from a backup, and run this as the user that the gateway runs as.",
        ) from None


class DataDirLock:
    """Held by the one gateway that works on a data directory; the system drops it when it dies."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, data_dir: Path) -> "DataDirLock":
        """Take the lock. Raises `DataDirError` that names the process that has it."""
        descriptor = open_own(data_dir / LOCK, os.O_RDWR | os.O_CREAT)
        deadline = time.monotonic() + _LOCK_TIMEOUT
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise DataDirError(
                    f"Another gateway (process {find_holder(data_dir)}) is using the data "
                    f"directory {data_dir}.",
                    remedy="Stop it, or set HELIOGRAPH_DATA_DIR to another folder.",
                    setting="HELIOGRAPH_DATA_DIR",
                )
            time.sleep(0.05)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    @property
    def descriptor(self) -> int:
        """The descriptor that holds the lock, in this process and in those that inherit it."""
        return self._descriptor

    def release(self) -> None:
        release_lock(self._descriptor)


def is_locked(data_dir: Path) -> bool:
    """Return whether a gateway is at work on the data directory."""
    try:
        descriptor = os.open(data_dir / LOCK, os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError:
        raise DataDirError(
            f"The data directory {data_dir} belongs to another user.",
            remedy="Run this as that user or as root.",
        ) from None
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def find_holder(data_dir: Path) -> int | None:
    """Return the process id that the lock's holder wrote down."""
    try:
        return int((data_dir / LOCK).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise
        return False
    return True
