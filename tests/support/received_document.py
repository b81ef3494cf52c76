"""A file that came in, for examples that download one."""

import httpx

from acceptance.running_program import wait_for
from demo_phone import act
from heliograph.networks.content import Document
from heliograph.networks.phone_actions import Send
from live_gateway import LiveGateway

PDF = b"%PDF-1.4\n%%EOF\n"


def receive_document(gateway: LiveGateway) -> None:
    """Let the demo's phone send a document, and wait until it is a message."""
    act(gateway, Send(gateway.demo.contact_phone, Document("application/pdf"), file=PDF))
    found = f"{gateway.base_url}/api/v1/messages?message_type=document"
    wait_for(lambda: httpx.get(found, headers=gateway.headers).json()["messages"])
