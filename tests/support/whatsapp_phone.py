"""What a person's phone shows of the account's messages, as it would read the library's objects."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, ProtocolMessage

import libmagic_needed  # noqa: F401 - before the library
from heliograph.networks.content import NOTHING, Button, Buttons, Content
from heliograph.networks.testing import ShownMessage
from heliograph.networks.whatsapp.conversion.contents import content_of, context_of, file_of
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped
from whatsapp_standin import World


def choices_of(message: Message) -> list[dict[str, str]]:
    buttons = message.interactiveMessage.nativeFlowMessage.buttons
    return [json.loads(button.buttonParamsJSON) for button in buttons]


def shown_on_phone(message: Message) -> Content:
    """What a phone shows of a message."""
    plain = unwrapped(message)
    if not plain.HasField("interactiveMessage"):
        return content_of(plain) or NOTHING
    asked = plain.interactiveMessage
    buttons = tuple(Button(choice["id"], choice["display_text"]) for choice in choices_of(plain))
    return Buttons(asked.body.text, buttons, asked.header.title or None, asked.footer.text or None)


def messages_on(
    world: World, device: str, person: str, ours: Mapping[str, str]
) -> list[ShownMessage]:
    """The account's messages as they are now; `ours` has our ids by the network's."""
    shown: dict[str, ShownMessage] = {}
    for by, remote_id, message in world.got[person]:
        if by == device and not _changed(shown, unwrapped(message)):
            shown[remote_id] = _shown_message(world, message, remote_id, ours)
    return list(shown.values())


def reactions(world: World, device: str, person: str, remote_id: str) -> list[str]:
    """The account's reaction to a message, if it was not withdrawn."""
    given = [
        message.reactionMessage.text
        for by, _, message in world.got[person]
        if by == device and remote_id == message.reactionMessage.key.ID
    ]
    return [emoji for emoji in given[-1:] if emoji]


def _changed(shown: dict[str, ShownMessage], message: Message) -> bool:
    """Change what an earlier message shows; False for a message of its own."""
    if message.HasField("reactionMessage"):
        reaction = message.reactionMessage
        if message_now := shown.get(reaction.key.ID):
            emoji = (reaction.text,) if reaction.text else ()
            shown[reaction.key.ID] = replace(message_now, reactions=emoji)
        return True
    if not message.HasField("protocolMessage"):
        return False
    protocol = message.protocolMessage
    message_now = shown[protocol.key.ID]
    if protocol.type == ProtocolMessage.REVOKE:
        shown[protocol.key.ID] = replace(message_now, content=NOTHING, is_deleted=True)
    else:
        said = shown_on_phone(protocol.editedMessage)
        shown[protocol.key.ID] = replace(message_now, content=said, is_edited=True)
    return True


def _shown_message(
    world: World, message: Message, remote_id: str, ours: Mapping[str, str]
) -> ShownMessage:
    context, file = context_of(unwrapped(message)), file_of(unwrapped(message))
    files = {hashlib.sha256(data).digest(): data for data, _ in world.uploaded}
    quoted = context.stanzaID if context is not None else ""
    return ShownMessage(
        ours.get(remote_id, remote_id),
        shown_on_phone(message),
        file=files[file.sha256] if file is not None else None,
        reply_to=ours.get(quoted, quoted) or None,
    )
