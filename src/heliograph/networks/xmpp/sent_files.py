"""The addresses of sent files, which an edit of a caption has to repeat."""

from collections.abc import Callable

from cachetools import LRUCache

from heliograph.networks.xmpp.archive import ArchiveReader
from heliograph.networks.xmpp.archive_search import ArchivedChat
from heliograph.networks.xmpp.payloads import UploadedFile
from heliograph.networks.xmpp.shared_files import read_file
from heliograph.networks.xmpp.stanzas import Message

MAX_REMEMBERED = 500
MAX_PAGES = 10
"""The most pages of a chat that are searched for a message."""


class SentFiles:
    """The files of the newest messages. Older ones are looked for in the archives, over what
    `archives` returns."""

    def __init__(self, archives: Callable[[], ArchiveReader | None]) -> None:
        self._archives = archives
        self._files: LRUCache[str, UploadedFile] = LRUCache(MAX_REMEMBERED)

    def remember(self, chat_message_id: str, file: UploadedFile) -> None:
        self._files[chat_message_id] = file

    async def find(self, chat: ArchivedChat | None, chat_message_id: str) -> UploadedFile | None:
        """Find the file of a message. Raises `NetworkError`."""
        known, archives = self._files.get(chat_message_id), self._archives()
        if known is not None or archives is None or chat is None:
            return known
        before: str | None = None
        for _ in range(MAX_PAGES):
            page = await archives.page_before(chat.archive, chat.jid, before)
            for message in page.messages:
                if chat_message_id in (message.own_id, message.archived_as):
                    return _file_of(message)
            if page.is_complete or page.first in (None, before):
                break
            before = page.first
        return None


def _file_of(message: Message) -> UploadedFile | None:
    announced = read_file(message)
    if announced is None or announced.sha256 is None:
        return None
    content = announced.content
    return UploadedFile(
        announced.url,
        content.file_name or "",
        content.media_type,
        content.size or 0,
        announced.sha256,
    )
