"""An archive: a tar file whose member `SHA256SUMS` has the digests of all before it, and whose last
one, `SHA256SUMS.hmac`, says by which keys those digests were signed.

    tar -xf ARCHIVE && sha256sum -c SHA256SUMS

A member's header is written when its size is known, so what is archived may be a stream. The file
has its name only once it is whole, on disk, and has been read back.
"""

import fcntl
import hashlib
import os
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, Self

from heliograph.errors import ConfigurationError
from heliograph.platform.files.age import AgeRecipients
from heliograph.platform.files.private import is_private, open_own

SUMS = "SHA256SUMS"
SIGNATURES = "SHA256SUMS.hmac"
UNFINISHED = ".unfinished"
"""The end of an archive's name until it is whole."""
CHUNK = 1024 * 1024

_HEADER_FORM: Final = tarfile.GNU_FORMAT  # its headers are as long whatever the size is

_MAX_SIGNATURES_SIZE = 64 * 1024  # bytes; a line for each key of an installation

Sign = Callable[[bytes], bytes]
"""Returns the signatures of the SHA-256 of `SHA256SUMS`."""

Show = Callable[[int, int | None], None]
"""Is told how many bytes are done, and of how many, where that is known."""


class ArchiveError(ConfigurationError):
    """An archive can't be written, or is none, or is damaged."""


class ArchiveWriter:
    """Writes an archive beside its final name. Use it as a context: a file that `finish` has not
    named is removed at the end.

    With `recipients`, the archive that gets the name is encrypted.
    """

    def __init__(self, path: Path, recipients: AgeRecipients | None = None) -> None:
        self._path = path
        self._recipients = recipients
        self._unfinished = path.with_name(path.name + UNFINISHED)
        self._encrypted = path.with_name(f"{path.name}.encrypted{UNFINISHED}")
        if path.exists():
            raise ArchiveError(f"{path} exists already.", remedy="Give another name.")
        try:
            descriptor = self._open()
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveError(f"Another process is writing {path}.") from None
        except OSError as error:
            raise ArchiveError(f"{path} can't be written: {error.strerror}.") from None
        self._file = os.fdopen(descriptor, "r+b", buffering=CHUNK)
        self._file.truncate(0)  # what a killed process has left
        self._sums = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`

    def _open(self) -> int:
        """Make the file, or take over what a killed process of ours has left."""
        with suppress(FileExistsError):
            return open_own(self._unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        descriptor = open_own(self._unfinished, os.O_RDWR)
        if is_private(descriptor):
            return descriptor
        os.close(descriptor)
        raise ArchiveError(
            f"{self._unfinished} belongs to somebody else, or others may read it.",
            remedy="Remove it, or write the archive into a folder of your own.",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._unfinished.unlink(missing_ok=True)  # gone already if it was finished
        if self._recipients is not None:
            self._encrypted.unlink(missing_ok=True)
        self._sums.close()
        with suppress(OSError):  # what a full disk did not take is not wanted any more
            self._file.close()

    @contextmanager
    def member(self, name: str) -> Iterator[Callable[[bytes], object]]:
        """Yield a function that appends to a new member. After an exception it has no such
        member."""
        start = self._file.tell()
        header = tarfile.TarInfo(name)
        header.mode, header.mtime = 0o600, int(time.time())
        self._file.write(header.tobuf(_HEADER_FORM))
        digest = hashlib.sha256()

        def write(data: bytes) -> None:
            digest.update(data)
            header.size += len(data)
            self._file.write(data)

        try:
            yield write
        except BaseException:
            self._file.seek(start)
            self._file.truncate()
            raise
        self._file.write(bytes(-header.size % tarfile.BLOCKSIZE))
        end = self._file.tell()
        self._file.seek(start)
        self._file.write(header.tobuf(_HEADER_FORM))
        self._file.seek(end)
        self._sums.write(_line(digest.hexdigest(), name))

    def add(self, name: str, data: bytes) -> None:
        with self.member(name) as write:
            write(data)

    def finish(self, sign: Sign, check: Callable[[Path], object]) -> None:
        """Write the digests and their signatures, and give the archive its name once `check` has
        read it back.

        Raises what `check` raises.
        """
        self._sums.seek(0)
        digest = hashlib.sha256()
        with self.member(SUMS) as write:
            while data := self._sums.read(CHUNK):
                digest.update(data)
                write(data)
        self.add(SIGNATURES, sign(digest.digest()))
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.flush()
        os.fsync(self._file.fileno())
        check(self._unfinished)
        self._encrypt().rename(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _encrypt(self) -> Path:
        """Return what is to have the archive's name."""
        if self._recipients is None:
            return self._unfinished
        self._encrypted.unlink(missing_ok=True)  # what a killed process has left
        self._recipients.encrypt(self._unfinished, self._encrypted)
        return self._encrypted


def _line(digest: str, name: str) -> bytes:
    return f"{digest}  {name}\n".encode()


@contextmanager
def _refuse_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise ArchiveError(f"{path} is damaged, cut short, or no archive: {error}.") from error
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror}.") from error


def read_members(path: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Yield each member's name, size and content, which is to be read before the next one.

    Raises `ArchiveError` for what is not an archive, and at the end if anything follows it.
    """
    with _refuse_damage(path), tarfile.open(path, "r:") as tar:
        seen: Any = tar  # whose list of members type checkers don't know
        while (member := tar.next()) is not None:
            is_plain = member.isreg() and not member.issparse()
            content = tar.extractfile(member) if is_plain else None
            if content is None:
                raise ArchiveError(f"{path} is not an archive of ours: it has {member.name!r}.")
            yield member.name, member.size, content
            seen.members.clear()  # which would have all of them in memory
        seen.fileobj.seek(seen.offset)
        _check_rest(path, seen.fileobj)


def read_chunks(content: IO[bytes]) -> Iterator[bytes]:
    while data := content.read(CHUNK):
        yield data


def verify_archive(path: Path, show: Show = lambda *_: None) -> None:
    """Read all of an archive, and check that every member has its digest. Raises `ArchiveError`."""
    with _refuse_damage(path), tempfile.TemporaryFile() as found:
        total, done = path.stat().st_size, 0
        members = read_members(path)
        for name, size, content in members:
            if name == SUMS:
                found.seek(0)
                _compare(path, found, content)
                _check_end(path, members)
                return
            digest = hashlib.sha256()
            for data in read_chunks(content):
                digest.update(data)
                show(done + content.tell(), total)
            done += size
            found.write(_line(digest.hexdigest(), name))
    raise ArchiveError(
        f"{path} is cut short or damaged: its end, {SUMS}, is missing.",
        remedy="Use another backup.",
    )


def _check_end(path: Path, members: Iterator[tuple[str, int, IO[bytes]]]) -> None:
    """Raise `ArchiveError` if anything but their signatures follows the digests."""
    for name, _, _ in members:
        if name != SIGNATURES:
            raise ArchiveError(f"{path} is not an archive of ours: {name!r} comes after its end.")


def _check_rest(path: Path, rest: IO[bytes]) -> None:
    """Raise `ArchiveError` if a tar file's end is more than zeros."""
    if any(data.strip(b"\0") for data in read_chunks(rest)):
        raise ArchiveError(
            f"{path} is not an archive of ours: something comes after its end.",
            remedy="Use another backup.",
        )


def _compare(path: Path, found: IO[bytes], expected: IO[bytes]) -> None:
    for line in expected:
        if found.readline() != line:
            name = line.decode(errors="replace").rstrip("\n")[66:]
            raise ArchiveError(
                f"{path} is damaged: {name} is not what was written.", remedy="Use another backup."
            )
    if found.readline():
        raise ArchiveError(f"{path} is damaged: {SUMS} is cut short.", remedy="Use another backup.")


def read_signatures(path: Path) -> tuple[bytes, bytes]:
    """Return the SHA-256 of `SHA256SUMS` and its signatures, empty if there are none.

    Raises `ArchiveError`.
    """
    digest = hashlib.sha256()
    for name, _, content in read_members(path):
        if name == SUMS:
            for data in read_chunks(content):
                digest.update(data)
        elif name == SIGNATURES:
            return digest.digest(), content.read(_MAX_SIGNATURES_SIZE)
    return digest.digest(), b""
