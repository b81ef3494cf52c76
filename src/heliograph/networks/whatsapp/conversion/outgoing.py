"""What we send, as the library wants it."""

import json

from neonize.proto.Neonize_pb2 import SendResponse
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import InteractiveMessage, Message

from heliograph.networks.content import Button, Buttons, Content, Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Sent
from heliograph.networks.whatsapp.addresses import phone_number
from heliograph.networks.whatsapp.conversion.arrivals import at_of

_FLOW_VERSION = 1


def message_to_send(content: Content) -> Message:
    """Convert a content. Raises `NetworkError` for a kind that can't be sent on WhatsApp."""
    if isinstance(content, Text):
        return Message(conversation=content.body)
    if isinstance(content, Buttons):
        return Message(interactiveMessage=_interactive(content))
    raise NetworkError("Messages of this kind can't be sent on WhatsApp.", permanent=True)


def sent_of(response: SendResponse, recipient: str) -> Sent:
    return Sent(
        remote_jid=recipient,
        sent_at=at_of(response.Timestamp),
        phone_number=phone_number(recipient),
    )


def _interactive(content: Buttons) -> InteractiveMessage:
    flow = InteractiveMessage.NativeFlowMessage(
        buttons=[_quick_reply(button) for button in content.buttons],
        messageVersion=_FLOW_VERSION,
    )
    message = InteractiveMessage(
        body=InteractiveMessage.Body(text=content.body), nativeFlowMessage=flow
    )
    if content.footer:
        message.footer.text = content.footer
    return message


def _quick_reply(button: Button) -> InteractiveMessage.NativeFlowMessage.NativeFlowButton:
    params = {"display_text": button.title, "id": button.id}
    return InteractiveMessage.NativeFlowMessage.NativeFlowButton(
        name="quick_reply", buttonParamsJSON=json.dumps(params, ensure_ascii=False)
    )
