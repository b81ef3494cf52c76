"""Messages that belong to another one: a better copy of its picture or video, or a part of it.

WhatsApp sends a picture in high definition twice, the smaller one first; the other one follows in
an `associatedChildMessage`, with `messageContextInfo.messageAssociation` beside it, which names the
first. The pictures of a poll's options and of an event come in the same way.
"""

from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, MessageAssociation

from heliograph.networks.whatsapp.conversion.attachments import FILES
from heliograph.networks.whatsapp.conversion.wrapping import layers_of

_COPIES = frozenset(
    (
        MessageAssociation.HD_IMAGE_DUAL_UPLOAD,
        MessageAssociation.HD_VIDEO_DUAL_UPLOAD,
        MessageAssociation.HEVC_VIDEO_DUAL_UPLOAD,
        MessageAssociation.MOTION_PHOTO,
    )
)
_PARTS = frozenset((MessageAssociation.EVENT_COVER_IMAGE, MessageAssociation.MEDIA_POLL))
_WRAPPERS_OF_PARTS = frozenset(("eventCoverImage", "pollCreationOptionImageMessage"))


def copied_id(message: Message) -> str:
    """Return the id of the message of which this is a better copy, or an empty text."""
    association = _association_of(message)
    return association.parentMessageKey.ID if association.associationType in _COPIES else ""


def is_part_of_another(message: Message) -> bool:
    """Return whether phones show this picture only within another message."""
    layers = layers_of(message)
    if not any(field.message_type in FILES for field, _ in layers[-1].message.ListFields()):
        return False
    is_named = any(layer.wrapper in _WRAPPERS_OF_PARTS for layer in layers)
    return is_named or _association_of(message).associationType in _PARTS


def _association_of(message: Message) -> MessageAssociation:
    """Return the association at any layer, or an empty one."""
    contexts = (layer.message.messageContextInfo for layer in layers_of(message))
    named = (context for context in contexts if context.HasField("messageAssociation"))
    found = next(named, None)
    return MessageAssociation() if found is None else found.messageAssociation
