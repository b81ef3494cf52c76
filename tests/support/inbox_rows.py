"""Contacts and conversations as rows, for tests of what the API makes of them."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID

from api_scene import Customer, Scene
from heliograph.platform.folding import fold

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)

INSERT_CONTACT = """
INSERT INTO contacts (
    shard, organization_id, id, phone_number, name, chat_name, searched, created_at, updated_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
"""
INSERT_CONVERSATION = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
    phone_number, is_group, agent_paused, pinned, last_message_at, last_message_preview, created_at,
    updated_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false, false, $11, 'Hello', $12, $12)
"""


async def insert_contact(
    scene: Scene,
    phone_number: str | None = None,
    name: str | None = None,
    chat_name: str | None = None,
    *,
    of: Customer | None = None,
) -> UUID:
    clock, tenant = scene.database.clock, (of or scene.acme).organization.tenant
    contact_id = clock.new_id()
    searched = "\n".join(fold(text) for text in (name, chat_name, phone_number) if text)
    names = (phone_number, name, chat_name, searched)
    await scene.database.pool.execute(INSERT_CONTACT, *tenant, contact_id, *names, clock.now())
    await asyncio.sleep(0.002)  # ids of one millisecond come in any order
    return contact_id


async def insert_conversation(
    scene: Scene,
    jid: str,
    minute: int | None = 0,
    *,
    status: str = "open",
    unread: int = 0,
    contact_id: UUID | None = None,
    is_group: bool = False,
    account_id: UUID | None = None,
    of: Customer | None = None,
) -> UUID:
    """Insert one in which something was said last at this minute, or never."""
    clock, customer = scene.database.clock, of or scene.acme
    conversation_id = clock.new_id()
    said_at = None if minute is None else BEGINNING + timedelta(minutes=minute)
    await scene.database.pool.execute(
        INSERT_CONVERSATION,
        *customer.organization.tenant,
        conversation_id,
        account_id or customer.account.id,
        jid,
        status,
        unread,
        contact_id,
        "+" + jid.partition("@")[0],
        is_group,
        said_at,
        clock.now(),
    )
    await asyncio.sleep(0.002)  # as above
    return conversation_id
