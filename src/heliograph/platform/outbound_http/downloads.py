"""`Downloader`: a file from an address that a customer gave.

Over https alone. A redirect is followed a few times, and each is judged like the first URL: by the
same policy, at the moment it is dialed. A compressed answer is refused, since its unpacked size
can't be known.
"""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urljoin

import msgspec

from heliograph.platform.outbound_http.client import GuardedClient
from heliograph.platform.outbound_http.errors import (
    DeadlineError,
    InvalidUrlError,
    NoDownloadError,
)
from heliograph.platform.outbound_http.receivers import StreamedAnswer
from heliograph.platform.outbound_http.resolver import SystemResolver

DOWNLOAD_TIMEOUT = 20.0
"""For everything: names, redirects and the whole body."""
REDIRECTS = 3

_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity"}
_REDIRECTED = (301, 302, 303, 307, 308)


class Download(msgspec.Struct, frozen=True):
    """A file that is on its way. `content_type` is the header's; `size` is in bytes, where it was
    announced; `url` is the last one."""

    url: str
    content_type: str | None
    size: int | None
    chunks: AsyncIterator[bytes]


class Downloader:
    """Fetches files with `client`, whose policy decides which addresses may be dialed."""

    def __init__(
        self,
        client: GuardedClient,
        resolver: SystemResolver | None = None,
        *,
        seconds: float = DOWNLOAD_TIMEOUT,
    ) -> None:
        self._client = client
        self._resolver = resolver
        self.seconds = seconds

    @asynccontextmanager
    async def open(self, url: str) -> AsyncIterator[Download]:
        """Yield the file at `url`, which is read within the block. Raises `OutboundError`."""
        ends_at = time.monotonic() + self.seconds
        async with AsyncExitStack() as stack:
            answer, url = await self._follow(stack, url, ends_at)
            yield _download(answer, url)

    async def _follow(
        self, stack: AsyncExitStack, url: str, ends_at: float
    ) -> tuple[StreamedAnswer, str]:
        for _ in range(REDIRECTS + 1):
            left = ends_at - time.monotonic()
            if left <= 0:
                raise DeadlineError(f"There was no file within {self.seconds:g} s.")
            if not url.lower().startswith("https://"):
                raise InvalidUrlError("Files are fetched over https alone.")
            exchange = AsyncExitStack()
            answer = await exchange.enter_async_context(
                self._client.get(url, _HEADERS, seconds=left)
            )
            location = answer.header("location")
            if answer.status not in _REDIRECTED or location is None:
                stack.push_async_exit(exchange)
                return answer, url
            await exchange.aclose()
            url = _join(url, location)
        raise NoDownloadError(f"There were more than {REDIRECTS} redirects.")

    async def close(self) -> None:
        """Close every connection, and the resolver."""
        await self._client.close()
        if self._resolver is not None:
            await self._resolver.close()


def _join(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise NoDownloadError("The answer was a redirect to something that is no URL.") from None


def _download(answer: StreamedAnswer, url: str) -> Download:
    """Raise `NoDownloadError` for an answer that is not the file."""
    if answer.status != 200:
        raise NoDownloadError(f"The answer was {answer.status}.")
    encoding = answer.header("content-encoding")
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        raise NoDownloadError("The answer is compressed, though it was not asked for.")
    length = answer.header("content-length")
    size = int(length) if length is not None and length.isascii() and length.isdigit() else None
    return Download(url, answer.header("content-type"), size, answer.chunks())
