"""Object storage for pictures and media: a local folder by default, S3 and its like by URL.

Credentials come from where `obstore` looks for them: `AWS_ACCESS_KEY_ID` and its like, or the
machine's own role.
"""

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from heliograph.errors import ConfigurationError

if TYPE_CHECKING:  # obstore has these for type checkers alone
    from obstore.store import ClientConfig, RetryConfig

# Somebody waits for the answer; and an `http` address is one that the operator wrote himself.
_CLIENT: "ClientConfig" = {"timeout": "10s", "connect_timeout": "5s", "allow_http": True}
_RETRIES: "RetryConfig" = {"max_retries": 2}


class ObjectNotFoundError(LookupError):
    """Nothing is stored under this key."""


class ObjectStorageError(Exception):
    """The storage refused or failed; carries the first line of what it said."""


class Objects:
    """A place for objects. Raises `ConfigurationError` for a URL that names no storage."""

    def __init__(self, url: str) -> None:
        self._store = _open(url)

    async def put(self, key: str, data: bytes) -> None:
        """Store an object. Raises `ObjectStorageError`."""
        with _errors_of_ours():
            await obstore.put_async(self._store, key, data)

    async def get(self, key: str) -> bytes:
        """Return an object. Raises `ObjectNotFoundError` and `ObjectStorageError`."""
        with _errors_of_ours():
            try:
                result = await obstore.get_async(self._store, key)
                return bytes(await result.bytes_async())
            except FileNotFoundError as error:
                raise ObjectNotFoundError(key) from error

    async def list_keys(self, prefix: str) -> list[str]:
        """Return the keys below this one. Raises `ObjectStorageError`."""
        with _errors_of_ours():
            pages = obstore.list(self._store, prefix + "/")
            return [item["path"] async for page in pages for item in page]

    async def delete(self, keys: Sequence[str]) -> None:
        """Delete an object. Raises `ObjectStorageError`."""
        if keys:
            with _errors_of_ours():
                await obstore.delete_async(self._store, list(keys))

    async def try_out(self) -> None:
        """Store something, read it and delete it. Raises what `put` and `get` do."""
        key, data = f"try-out/{secrets.token_hex(8)}", b"test object"
        await self.put(key, data)
        if await self.get(key) != data:
            raise ObjectStorageError("what was stored came back as something else")
        with _errors_of_ours():
            await obstore.delete_async(self._store, key)


def _open(url: str) -> ObjectStore:
    parts = urlsplit(url)
    try:
        if parts.scheme == "file":
            folder = Path(unquote(parts.path))
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return LocalStore(folder)
        return from_url(url, client_options=_CLIENT, retry_config=_RETRIES)
    except OSError as error:
        raise ConfigurationError(
            f"The folder of {url!r} can't be made: {error.strerror}.",
            remedy="Set HELIOGRAPH_OBJECTS_URL to a folder that you may write to.",
            setting="HELIOGRAPH_OBJECTS_URL",
        ) from error
    except (BaseError, ValueError) as error:
        raise ConfigurationError(
            f"{url!r} is not an object storage: {_first_line(error)}.",
            remedy="Set HELIOGRAPH_OBJECTS_URL to a URL such as s3://bucket/prefix or file:///srv/pictures.",
            setting="HELIOGRAPH_OBJECTS_URL",
        ) from error


@contextlib.contextmanager
def _errors_of_ours() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        raise ObjectStorageError(_first_line(error)) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
