"""A file that came in, for examples that download one."""

from uuid import UUID

import httpx

from acceptance.running_program import wait_for
from heliograph.core.services import Services
from heliograph.networks.content import Document
from heliograph.networks.phone_actions import Send
from live_gateway import LiveGateway

PDF = b"%PDF-1.4\n%%EOF\n"


def receive_document(gateway: LiveGateway) -> None:
    """Let the demo's phone send a document, and wait until it is a message."""

    async def work(services: Services) -> None:
        principal = await services.keys.authenticate_key(gateway.demo.api_key)
        account = await services.accounts.get(principal, UUID(gateway.demo.chat_account_id))
        phones = services.simulator.of(account)
        await phones.act(Send(gateway.demo.contact_phone, Document("application/pdf"), file=PDF))

    gateway.run(work)
    found = f"{gateway.base_url}/api/v1/messages?message_type=document"
    wait_for(lambda: httpx.get(found, headers=gateway.headers).json()["messages"])
