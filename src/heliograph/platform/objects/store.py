"""Object storage for pictures and media: a local folder by default, S3 and its like by URL.

Credentials come from where `obstore` looks for them: `AWS_ACCESS_KEY_ID` and its like, or the
machine's own role.
"""

import asyncio
import contextlib
import re
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from heliograph.errors import ConfigurationError
from heliograph.platform.objects.staging import ObjectStorageError, StagedFile, Staging

if TYPE_CHECKING:  # obstore has these for type checkers alone
    from obstore.store import ClientConfig, RetryConfig

_QUICK, _PATIENT = "10s", "60s"
"""For one request to the storage: while somebody waits for the answer, and for a part of a file."""
_RETRIES: "RetryConfig" = {"max_retries": 2, "retry_timeout": timedelta(seconds=8)}
"""Retries of a request that was told to try again: together they may not take much longer than one
that gets no answer."""

PART = 5 * 1024 * 1024
"""Bytes of a file that are sent to the storage at once; S3 takes no smaller parts."""
_PARTS_AT_ONCE = 2
_FILES_AT_ONCE = 4
_TURN_WITHIN = 30.0
"""Seconds that a file waits for its turn."""
CHUNK = 512 * 1024
"""Bytes of an object that are read at once."""
STAGING = ".staging"
"""The folder for files that arrive, within a storage that is a folder itself."""


_MAX_KEY_LENGTH = 1024  # S3's
_KEY = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}(?:/(?!$)|$))+")


def is_key(key: str) -> bool:
    """Return whether an object may be stored under this key: no part of it leads out of a folder,
    or to a hidden file."""
    return len(key) <= _MAX_KEY_LENGTH and _KEY.fullmatch(key) is not None


class ObjectNotFoundError(LookupError):
    """Nothing is stored under this key."""


class Objects:
    """A place for objects. Raises `ConfigurationError` for a URL that names no storage.

    Files that are still arriving are kept in the folder `staging`; a storage that is a folder
    itself has its own for them, so that a file that is whole has only to be renamed. Serves one
    event loop.
    """

    def __init__(self, url: str, staging: Path | None = None) -> None:
        self._folder = _folder_of(url)
        self._store = _open(url, _QUICK)
        is_here = urlsplit(url).scheme in ("file", "memory")
        self._patient = self._store if is_here else _open(url, _PATIENT)
        own = None if self._folder is None else self._folder / STAGING
        self.staging = Staging(own or staging or Path(tempfile.gettempdir()) / "heliograph-staging")
        self._sending = asyncio.Semaphore(_FILES_AT_ONCE)

    @contextlib.asynccontextmanager
    async def stage(self) -> AsyncIterator[StagedFile]:
        """Give a file to write to, which is gone after the block if `put_staged` has not stored it.
        Raises `ObjectStorageError`."""
        async with contextlib.AsyncExitStack() as stack:
            with _errors_of_ours():
                staged = await stack.enter_async_context(self.staging.open())
            yield staged

    async def put_staged(self, key: str, staged: StagedFile) -> None:
        """Store a file that is whole; readers see all of it or nothing. Raises
        `ObjectStorageError`, and `ValueError` for what `is_key` refuses."""
        if not is_key(key):
            raise ValueError(f"{key!r} is no key of an object")
        with _errors_of_ours():
            if self._folder is not None:
                await staged.move_to(self._folder / key)
                return
            async with self._turn():
                await obstore.put_async(
                    self._patient,
                    key,
                    staged.path,
                    chunk_size=PART,
                    max_concurrency=_PARTS_AT_ONCE,
                )

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold one of a few turns, so that files fail soon when the storage hangs."""
        try:
            async with asyncio.timeout(_TURN_WITHIN):
                await self._sending.acquire()
        except TimeoutError:
            raise ObjectStorageError("the files before this one take too long") from None
        try:
            yield
        finally:
            self._sending.release()

    async def get_size(self, key: str) -> int:
        """Return an object's size in bytes. Raises `ObjectNotFoundError` and
        `ObjectStorageError`."""
        with _errors_of_ours(), _not_found(key):
            return int((await obstore.head_async(self._store, key))["size"])

    async def read(self, key: str, start: int, end: int) -> AsyncIterator[bytes]:
        """Yield the bytes from `start` to before `end`, `CHUNK` at a time. Raises
        `ObjectNotFoundError` and `ObjectStorageError`.

        Each chunk is a request of its own: whoever reads slowly keeps no connection to the storage.
        """
        for at in range(start, end, CHUNK):
            with _errors_of_ours(), _not_found(key):
                chunk = await obstore.get_range_async(
                    self._store, key, start=at, end=min(at + CHUNK, end)
                )
            yield bytes(chunk)

    async def put(self, key: str, data: bytes) -> None:
        """Store an object. Raises `ObjectStorageError`."""
        with _errors_of_ours():
            await obstore.put_async(self._store, key, data)

    async def get(self, key: str) -> bytes:
        """Return an object. Raises `ObjectNotFoundError` and `ObjectStorageError`."""
        with _errors_of_ours(), _not_found(key):
            result = await obstore.get_async(self._store, key)
            return bytes(await result.bytes_async())

    async def list_keys(self, prefix: str) -> list[str]:
        """Return the keys below this one. Raises `ObjectStorageError`."""
        with _errors_of_ours():
            pages = obstore.list(self._store, prefix + "/")
            return [item["path"] async for page in pages for item in page]

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete objects; one that is gone already does no harm. Raises `ObjectStorageError`."""
        if not keys:
            return
        with _errors_of_ours():
            try:
                await obstore.delete_async(self._store, list(keys))
            except FileNotFoundError:
                for key in keys:
                    with contextlib.suppress(FileNotFoundError):
                        await obstore.delete_async(self._store, key)

    async def try_out(self) -> None:
        """Store something, read it and delete it. Raises what `put` and `get` do."""
        key, data = f"try-out/{secrets.token_hex(8)}", b"test object"
        await self.put(key, data)
        if await self.get(key) != data:
            raise ObjectStorageError("what was stored came back as something else")
        with _errors_of_ours():
            await obstore.delete_async(self._store, key)


def _folder_of(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _open(url: str, timeout: str) -> ObjectStore:
    try:
        folder = _folder_of(url)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return LocalStore(folder, automatic_cleanup=True)  # of folders that have become empty
        # an `http` address is the operator's own choice
        client: ClientConfig = {"timeout": timeout, "connect_timeout": "5s", "allow_http": True}
        return from_url(url, client_options=client, retry_config=_RETRIES)
    except OSError as error:
        raise ConfigurationError(
            f"The folder of {url!r} can't be made: {error.strerror}.",
            remedy="Set HELIOGRAPH_OBJECTS_URL to a folder that you may write to.",
            setting="HELIOGRAPH_OBJECTS_URL",
        ) from error
    except (BaseError, ValueError) as error:
        raise ConfigurationError(
            f"{url!r} is not an object storage: {_reason(error)}.",
            remedy="Set HELIOGRAPH_OBJECTS_URL to a URL such as s3://bucket/prefix or file:///srv/pictures.",
            setting="HELIOGRAPH_OBJECTS_URL",
        ) from error


@contextlib.contextmanager
def _errors_of_ours() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        raise ObjectStorageError(_reason(error)) from error


@contextlib.contextmanager
def _not_found(key: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ObjectNotFoundError(key) from error


_SAID = re.compile(r"<Code>([^<]+)</Code>.*?<Message>([^<]+)</Message>", re.DOTALL)


def _reason(error: Exception) -> str:
    """Return what failed in one line, with S3's own words, which follow in XML."""
    first, _, rest = str(error).partition("\n")
    said = _SAID.search(rest) or _SAID.search(first)
    reason = first.partition(": <")[0].rstrip(".")
    return f"{reason}: {said[1]}, {said[2].rstrip('.')}" if said else reason
