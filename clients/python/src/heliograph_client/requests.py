"""What every request gets, whichever kind of client sends it."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO
from uuid import uuid4

import httpx

from .generated.client import Request

TIMEOUT = httpx.Timeout(60, connect=10)  # longer than HELIOGRAPH_NETWORK_TIMEOUT by default
CHUNK = 1 << 16
try:
    _VERSION = version("heliograph-client")
except PackageNotFoundError:  # imported from its folder, without being installed
    _VERSION = "0"


@dataclass(frozen=True)
class Gateway:
    """Where requests go, and with which key."""

    base_url: str
    api_key: str = field(repr=False)  # it is a secret

    def complete(self, request: Request) -> Request:
        """Return the request with its address, its key and, for a POST, an idempotency key: one
        for all tries, unless the caller has given one."""
        headers: dict[str, Any] = {
            "Authorization": f"Bearer {self.api_key}",
            "User-Agent": f"heliograph-client-python/{_VERSION}",
        }
        if request["method"] == "post":
            headers["Idempotency-Key"] = str(uuid4())
        given = {name: text for name, text in request.get("headers", {}).items() if text}
        url = f"{self.base_url}{request['url']}"
        return {**request, "url": url, "headers": headers | given}


class Upload:
    """A file as the body of a request, from its beginning at each try."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            yield chunk


class AsyncUpload:
    """The same for asyncio: the file is read in a thread."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        await asyncio.to_thread(self._file.seek, 0)
        while chunk := await asyncio.to_thread(self._file.read, CHUNK):
            yield chunk


def with_upload(request: Request, upload: type[Upload] | type[AsyncUpload]) -> Request:
    """Return the request with its file, if it has one, as a body that can be sent again."""
    file = request.get("content")
    if file is None:
        return request
    headers = request["headers"] | {"Content-Length": str(file.seek(0, os.SEEK_END))}
    return {**request, "content": upload(file), "headers": headers}
