"""Link previews: a page's title and description, to be shown under a text that links to it.

The page is fetched like a file: from public addresses alone, over https, within 20 s. Its words are
a stranger's.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from email.message import Message as Headers
from html.parser import HTMLParser

import msgspec

from heliograph.core.media.fetching import AT_ONCE, SHARE, WAIT
from heliograph.core.media.model import Location
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.platform.aio.limits import FairSemaphore
from heliograph.platform.characters import one_line, without_hidden
from heliograph.platform.charsets import find_codec
from heliograph.platform.outbound_http import Downloader, OutboundError

MAX_PAGE_SIZE = 256 * 1024
"""The most bytes of a page that are read: its metadata is at the beginning."""
MAX_TEXT_LENGTH = 300
"""Characters of a title or description."""

_URL = re.compile(r"https://[^\s<>\"'\x00-\x20]{4,2000}", re.IGNORECASE)
_TITLES = ("og:title", "twitter:title")
_DESCRIPTIONS = ("og:description", "twitter:description", "description")


class PagePreview(msgspec.Struct, frozen=True):
    """`url` is as the text has it."""

    url: str
    title: str
    description: str


class PreviewService:
    def __init__(self, downloader: Downloader) -> None:
        self._downloader = downloader
        self._turns = FairSemaphore(AT_ONCE, SHARE)

    async def find(self, principal: Principal, text: str, location: Location) -> PagePreview | None:
        """Fetch the first page that the text links to over https; None if it links to none, or
        that page has no title. Raises `InvalidInputError` at `location` when it can't be fetched.
        """
        url = find_url(text)
        if url is None:
            return None
        try:
            async with asyncio.timeout(WAIT) as limit:
                async with self._turns.hold(principal.organization_id):
                    limit.reschedule(None)
                    return await self._fetch(url)
        except TimeoutError:
            reason = "others of this organization are being fetched; try again"
        except OutboundError as error:
            reason = str(error)
        raise InvalidInputError.at(
            location, f"Value error, this page can't be fetched: {reason.rstrip('.')}", input=url
        )

    async def _fetch(self, url: str) -> PagePreview | None:
        async with self._downloader.open(url) as download:
            headers = Headers()
            headers["content-type"] = download.content_type or ""
            if headers.get_content_type() not in ("text/html", "application/xhtml+xml"):
                return None
            page = await _beginning(download.chunks)
        codec = find_codec(headers.get_content_charset() or "") or "utf-8"
        text = page.decode(codec, "replace")
        return read_preview(url, text)


def find_url(text: str) -> str | None:
    """Return the first https address in a text, without the mark that ends its sentence."""
    found = _URL.search(text)
    return None if found is None else found[0].rstrip(".,;:!?)]}")


def read_preview(url: str, page: str) -> PagePreview | None:
    """Read the page's preview; None without a title."""
    reader = _HeadReader()
    reader.feed(page)
    title = next((reader.said[name] for name in _TITLES if reader.said.get(name)), reader.title)
    if not (title := _tidy(title)):
        return None
    description = next((reader.said[name] for name in _DESCRIPTIONS if reader.said.get(name)), "")
    return PagePreview(url, title, _tidy(description))


class _HeadReader(HTMLParser):
    """Collects the title and the first value of each `<meta>` of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.said: dict[str, str] = {}
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and not self.title
        if tag == "meta":
            given = dict(attrs)
            name = (given.get("property") or given.get("name") or "").lower()
            self.said.setdefault(name, given.get("content") or "")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title and len(self.title) < MAX_TEXT_LENGTH:
            self.title += data


def _tidy(text: str) -> str:
    line = one_line(without_hidden(text))
    return line if len(line) <= MAX_TEXT_LENGTH else line[: MAX_TEXT_LENGTH - 1] + "…"


async def _beginning(chunks: AsyncIterator[bytes]) -> bytes:
    read = bytearray()
    async for chunk in chunks:
        read += chunk
        if len(read) >= MAX_PAGE_SIZE:
            break
    return bytes(read[:MAX_PAGE_SIZE])
