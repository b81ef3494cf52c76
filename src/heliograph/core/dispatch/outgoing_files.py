"""The files of outgoing messages, as drivers read them: from object storage, never whole in
memory."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from heliograph.core.media.service import MediaService
from heliograph.core.messages.model import ClaimedMessage, Message
from heliograph.errors import NotFoundError, StorageUnavailableError
from heliograph.networks.content import Media
from heliograph.networks.errors import FileUnavailableError
from heliograph.networks.port import OutgoingFile

_GONE = "The file of this message has expired, or was deleted."


class StoredOutgoingFile:
    """An `OutgoingFile` in object storage."""

    def __init__(self, media: MediaService, object_key: str, content: Media) -> None:
        self._media = media
        self._object_key = object_key
        self.media_type = content.media_type
        self.file_name = content.file_name or "file"
        self.size = content.size or 0

    async def chunks(self) -> AsyncIterator[bytes]:
        with _file_errors():
            async for chunk in self._media.read(self._object_key, 0, self.size):
                yield chunk

    @asynccontextmanager
    async def on_disk(self) -> AsyncIterator[Path]:
        with _file_errors():
            async with self._media.spooled(self._object_key, self.size) as path:
                yield path


def find_file(media: MediaService, message: Message | ClaimedMessage) -> OutgoingFile | None:
    """Return the file of a message, or None if it has none. Raises `FileUnavailableError` if the
    file's record is gone."""
    if not isinstance(message.content, Media):
        return None
    object_key = media.find_key(message.tenant, message.media_url)
    if object_key is None:
        raise FileUnavailableError(_GONE, permanent=True)
    return StoredOutgoingFile(media, object_key, message.content)


@contextmanager
def _file_errors() -> Iterator[None]:
    try:
        yield
    except StorageUnavailableError as error:
        raise FileUnavailableError(error.detail) from error
    except NotFoundError as error:
        raise FileUnavailableError(_GONE, permanent=True) from error
