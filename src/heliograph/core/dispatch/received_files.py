"""Store the files of incoming messages before the messages are reported."""

import asyncio
import hashlib

from msgspec.structs import replace

from heliograph.core.media.media_types import (
    GENERIC,
    HEAD,
    as_sent,
    guess_media_type,
    parse_media_type,
)
from heliograph.core.media.service import MediaService
from heliograph.core.tenants.model import Tenant
from heliograph.errors import MediaTypeError
from heliograph.networks.content import Media
from heliograph.networks.port import Inbound, KeptFile

_CODEC = "codecs="


async def keep_file(media: MediaService, tenant: Tenant, event: Inbound, data: bytes) -> Inbound:
    """Store the event's file, and return the event with a link and an id instead.

    Raises `StorageUnavailableError`.
    """
    url = await media.store_file(tenant, data)
    content = event.content
    if not isinstance(content, Media):
        return replace(event, file=None, media_url=url)
    digest = await asyncio.to_thread(hashlib.sha256, data)  # tens of milliseconds for a large one
    kept = KeptFile(_judge(content.media_type, data), digest.digest())
    content = replace(
        content,
        media_type=kept.media_type if _CODEC in kept.media_type else content.media_type,
        size=len(data),
        media_id=media.id_in(tenant, url),
    )
    return replace(event, content=content, file=None, media_url=url, kept_file=kept)


def _judge(claimed: str, data: bytes) -> str:
    """Return the media type of a received file: the claimed type unless the bytes contradict it,
    else the detected one, with the codec."""
    head = data[:HEAD]
    try:
        return as_sent(guess_media_type(parse_media_type(claimed), head), head)
    except MediaTypeError:
        return GENERIC
