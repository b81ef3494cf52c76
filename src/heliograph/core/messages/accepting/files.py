"""The file of a message to send: an uploaded one, or one that is fetched first."""

from typing import TypeVar

import msgspec

from heliograph.core.media.fetching import FetchService
from heliograph.core.media.links import FILE_LINK_LIFETIME
from heliograph.core.media.model import Media as StoredMedia
from heliograph.core.media.previews import PreviewService
from heliograph.core.media.service import MediaService
from heliograph.core.tenants.model import Principal
from heliograph.networks.content import LinkPreview, Media, Text
from heliograph.networks.content.inputs import FileSource

M = TypeVar("M", bound=Media)


class MessageFiles:
    def __init__(
        self, media: MediaService, fetches: FetchService, previews: PreviewService
    ) -> None:
        self._media = media
        self._fetches = fetches
        self._previews = previews

    async def find(self, principal: Principal, content: Media, source: FileSource) -> StoredMedia:
        """Find or fetch the file of this content. Raises what `MediaService.resolve` and
        `FetchService.fetch` raise."""
        if source.media_id is not None:
            location = ("body", "content", "media_id")
            return await self._media.resolve(principal, source.media_id, type(content), location)
        location = ("body", "content", "url")
        return await self._fetches.fetch(principal, source.url or "", type(content), location)

    def link(self, media: StoredMedia) -> str:
        return self._media.link(media.object_key, FILE_LINK_LIFETIME)

    async def preview(self, principal: Principal, content: Text) -> Text:
        """Return the text with a preview of the first page that it links to. Raises
        `InvalidInputError` if that can't be fetched."""
        page = await self._previews.find(
            principal, content.body, ("body", "content", "preview_url")
        )
        if page is None:
            return content
        preview = LinkPreview(page.url, page.title, page.description)
        return msgspec.structs.replace(content, preview=preview)


def with_file(content: M, media: StoredMedia) -> M:
    """Return the content with the metadata of its file."""
    return msgspec.structs.replace(
        content,
        media_type=media.media_type,
        size=media.size,
        file_name=content.file_name or media.file_name,
        media_id=media.id,
    )
