"""Records of received files, which belong to the organization and can be sent on."""

from heliograph.core.media.links import find_key
from heliograph.core.media.model import Media as StoredMedia
from heliograph.core.messages.model import Message
from heliograph.networks.content import Media
from heliograph.networks.port import Inbound


def received_file(message: Message, event: Inbound) -> StoredMedia | None:
    """Return the stored file of an inbound message, or None if it has none."""
    content, kept = message.content, event.kept_file
    object_key = find_key(message.tenant, message.media_url)
    if not isinstance(content, Media) or kept is None or object_key is None:
        return None
    if content.media_id is None or content.size is None:
        return None
    return StoredMedia(
        tenant=message.tenant,
        id=content.media_id,
        object_key=object_key,
        media_type=kept.media_type,
        size=content.size,
        sha256=kept.sha256,
        file_name=content.file_name,
        created_at=message.created_at,
        stored_at=message.created_at,
        expires_at=None,
        account_id=message.account_id,
    )
