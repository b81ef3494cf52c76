"""Searches archives for messages in doubt: whether an earlier attempt was delivered."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from cachetools import LRUCache

from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Outgoing, OutgoingChange
from heliograph.networks.xmpp.archive import CLOCK_SKEW, ArchiveReader
from heliograph.networks.xmpp.stanzas import AnswerError

MAX_PAGES = 50
"""Pages of a chat that are searched for one message."""
MAX_DOUBT = timedelta(days=1)
"""How long ago a change may have been attempted first."""
MAX_CHATS = 32
"""Chats whose read part is remembered."""

log = structlog.get_logger(__name__)


class Sought(NamedTuple):
    """A message, or a change of one, that was attempted before: its id on the network, the number
    of attempts, the earliest time of the first one, and its name in the log."""

    chat_message_id: str
    attempt: int
    since: datetime
    name: str

    @classmethod
    def message(cls, message: Outgoing) -> "Sought":
        name = str(message.message_id)
        return cls(message.chat_message_id, message.attempt, _made_at(message), name)

    @classmethod
    def change(cls, change: OutgoingChange, now: datetime) -> "Sought":
        # nothing says when it was asked for
        return cls(change.change_id, change.attempt, now - MAX_DOUBT, change.change_id)


class ArchivedChat(NamedTuple):
    """A part of an archive: the messages with one person, or all messages of a group."""

    archive: str
    jid: str | None = None


class ArchiveSearch:
    """Searches the archives of one session for messages.

    A lost connection leaves many messages of a chat in doubt, and a chat can be long. So it is read
    once for all of them, from its end, and a search that gives up leaves the part that it has read
    to the next.
    """

    def __init__(self, reader: ArchiveReader) -> None:
        self._reader = reader
        self._read: LRUCache[ArchivedChat, _ReadChat] = LRUCache(MAX_CHATS)

    async def find(self, chat: ArchivedChat, message: Sought) -> datetime | None:
        """Find when the message was accepted; None if the archive does not have it.

        Raises `NetworkError`, never a permanent one: it is not the message's fault if the archive
        can't be read.
        """
        read = self._read.pop(chat, None)
        if read is None or message.chat_message_id in read.sent_since:
            read = _ReadChat(chat)
        self._read[chat] = read
        try:
            return await read.find(self._reader, message)
        except AnswerError as error:
            self._read.pop(chat, None)  # the archive may have dropped our position
            raise NetworkError(error.reason, permanent=False, certain=False) from error

    def sent(self, chat: ArchivedChat, message: Sought) -> None:
        """Record that a message is sent: pages read earlier do not contain it."""
        # a first attempt comes after those in doubt, and is not searched for
        if not message.attempt:
            self._read.pop(chat, None)
        elif chat in self._read:
            self._read[chat].sent_since.add(message.chat_message_id)


class _ReadChat:
    """The part of a chat that was read, backwards from its end."""

    def __init__(self, chat: ArchivedChat) -> None:
        self._chat = chat
        self._times: dict[str, datetime] = {}
        self._pages = 0
        self._before: str | None = None
        self._oldest = datetime.max.replace(tzinfo=UTC)
        self.sent_since: set[str] = set()

    async def find(self, reader: ArchiveReader, message: Sought) -> datetime | None:
        since = message.since - CLOCK_SKEW
        while message.chat_message_id not in self._times and self._oldest >= since:
            if self._pages == MAX_PAGES:
                log.warning("xmpp_archive_too_long_to_search", message_id=message.name)
                break
            await self._read_page(reader)
        return self._times.get(message.chat_message_id)

    async def _read_page(self, reader: ArchiveReader) -> None:
        page = await reader.page_before(self._chat.archive, self._chat.jid, self._before)
        for message in page.messages:
            for id_ in (message.stanza_id, message.origin_id or message.stanza_id):
                self._times[id_] = message.at
            self._oldest = min(self._oldest, message.at)
        if page.is_complete or page.first in (None, self._before):
            self._oldest = datetime.min.replace(tzinfo=UTC)
        self._before = page.first
        self._pages += 1


def _made_at(message: Outgoing) -> datetime:
    """Return when the message was accepted: the time in its id, if that is a UUID of version 7."""
    if message.message_id.version != 7:
        return datetime.fromtimestamp(0, UTC) + CLOCK_SKEW
    return datetime.fromtimestamp((message.message_id.int >> 80) / 1000, UTC)
