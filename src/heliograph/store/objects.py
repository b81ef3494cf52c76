"""Object storage for pictures and media: a local folder by default, S3 and its like by URL."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.store import LocalStore, ObjectStore, from_url


class ObjectNotFoundError(LookupError):
    """Nothing is stored under this key."""


class Objects:
    def __init__(self, url: str) -> None:
        self._store = _open(url)

    async def put(self, key: str, data: bytes) -> None:
        await obstore.put_async(self._store, key, data)

    async def get(self, key: str) -> bytes:
        """Raises `ObjectNotFoundError`."""
        try:
            result = await obstore.get_async(self._store, key)
            return bytes(await result.bytes_async())
        except FileNotFoundError as error:
            raise ObjectNotFoundError(key) from error


def _open(url: str) -> ObjectStore:
    parts = urlsplit(url)
    if parts.scheme == "file":
        folder = Path(unquote(parts.path))
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return LocalStore(folder)
    return from_url(url)
