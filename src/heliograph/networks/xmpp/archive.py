"""Message archives (XEP-0313): the account's own, and those of groups."""

import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime, timedelta
from uuid import uuid4

import msgspec

from heliograph.networks.connection import ANSWER_TIMEOUT
from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.stanzas import (
    AnswerError,
    Message,
    element,
    read_forwarded,
    read_time,
    submitted_form,
    write_time,
)
from heliograph.networks.xmpp.stream import Stream

MAM = "{urn:xmpp:mam:2}"
NAMESPACE = "urn:xmpp:mam:2"
RSM = "{http://jabber.org/protocol/rsm}"
PAGE = 100
CLOCK_SKEW = timedelta(minutes=10)
"""How far a server's clock may differ from ours, if only a time can be queried."""


class ArchivePosition(msgspec.Struct, frozen=True):
    """A position in an archive: after the message with this id, sent `at`. Without an id, only the
    time is known."""

    at: datetime
    archive_id: str | None = None

    @property
    def since(self) -> datetime:
        """The time from which to query, if only the time is known."""
        # duplicates are recognized by their ids
        return self.at - CLOCK_SKEW

    def written(self) -> str:
        return f"{self.at.isoformat()} {self.archive_id or ''}".strip()


def parse_position(written: str | None) -> ArchivePosition | None:
    """Read what `ArchivePosition.written` wrote; None for anything else."""
    stamp, _, archive_id = (written or "").partition(" ")
    at = read_time(stamp)
    return ArchivePosition(at, archive_id or None) if at is not None else None


class ArchivePage(msgspec.Struct, frozen=True):
    """Some messages, oldest first, and the ids at both ends. It `is_complete` if there are no more
    beyond it."""

    messages: list[Message]
    first: str | None
    last: str | None
    is_complete: bool


class ArchiveReader:
    """Reads archives over one stream; `take` is given every `<message/>` with a result."""

    def __init__(self, stream: Stream, own_jid: str, now: Callable[[], datetime]) -> None:
        self._stream = stream
        self._own_jid = own_jid
        self._now = now
        self._results: dict[str, tuple[str, list[Message]]] = {}

    def take(self, xml: ET.Element) -> bool:
        """Accept a result of an archive. Returns whether it was one. Unrequested results are
        dropped."""
        result = xml.find(f"{MAM}result")
        if result is None:
            return False
        archive, found = self._results.get(result.get("queryid", ""), ("", []))
        message = read_forwarded(result, self._now())
        if message is not None and xml.get("from", self._own_jid).lower() == archive:
            found.append(message)
        return True

    async def pages(self, archive: str, position: ArchivePosition) -> AsyncIterator[ArchivePage]:
        """Read the archive of this JID from this position on.

        Raises `NetworkError`; `AnswerError` with `item-not-found` for an id that the archive no
        longer has.
        """
        after = position.archive_id
        fields = {} if after else {"start": write_time(position.since)}
        while True:
            page = await self._page(archive, fields, element(f"{RSM}after", after))
            yield page
            if page.is_complete or page.last is None:
                return
            if page.last == after:
                raise NetworkError(f"The archive of {archive} says the same again and again.")
            after = page.last

    async def page_before(
        self, archive: str, chat_jid: str | None, before: str | None
    ) -> ArchivePage:
        """Read the page of one chat, or of all chats, before this id, or at the end of the archive
        of this JID.

        Raises as `pages` does.
        """
        fields = {} if chat_jid is None else {"with": chat_jid}
        return await self._page(archive, fields, element(f"{RSM}before", before))

    async def find(self, archive: str, archive_id: str) -> Message | None:
        """Find the message with this id in an archive, or None. Raises `NetworkError`."""
        # not every archive can be queried by id; a query from the message before it works
        try:
            page = await self._page(archive, {}, element(f"{RSM}before", archive_id), count=1)
            page = await self._page(archive, {}, element(f"{RSM}after", page.last), count=1)
        except AnswerError as error:
            if error.permanent:
                return None
            raise
        found = page.messages[-1] if page.messages else None
        return found if found is not None and found.archived_as == archive_id else None

    async def last(self, archive: str) -> ArchivePosition:
        """Find the end of the archive."""
        page = await self._page(archive, {}, ET.Element(f"{RSM}before"), count=1)
        if not page.messages:
            return ArchivePosition(self._now())
        newest = page.messages[-1]
        return ArchivePosition(newest.at, newest.archived_as)

    async def _page(
        self, archive: str, fields: Mapping[str, str], where: ET.Element, count: int = PAGE
    ) -> ArchivePage:
        query_id = uuid4().hex
        found: list[Message] = []
        self._results[query_id] = (archive, found)
        try:
            asked = _question(query_id, fields, where, count)
            to = archive if archive != self._own_jid else None
            answer = await self._stream.ask("set", asked, to, timeout=ANSWER_TIMEOUT)
        finally:
            del self._results[query_id]
        fin = answer.find(f"{MAM}fin")
        if fin is None:
            return ArchivePage(found, None, None, is_complete=True)
        first = fin.findtext(f"{RSM}set/{RSM}first")
        last = fin.findtext(f"{RSM}set/{RSM}last")
        return ArchivePage(found, first, last, fin.get("complete") == "true" or not found)


def _question(
    query_id: str, fields: Mapping[str, str], where: ET.Element, count: int
) -> ET.Element:
    asked = element(f"{MAM}query", queryid=query_id)
    asked.append(submitted_form(NAMESPACE, fields))
    paging = ET.SubElement(asked, f"{RSM}set")
    paging.append(element(f"{RSM}max", str(count)))
    if where.tag != f"{RSM}after" or where.text:
        paging.append(where)
    return asked
