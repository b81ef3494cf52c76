"""Stores accepted messages: in their conversations, counted, and claimed where this node sends for
the account."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import asyncpg
from msgspec.structs import replace

from heliograph.core.messages import sql
from heliograph.core.messages.accepting.expiry_sql import insert_expiries
from heliograph.core.messages.accepting.recipients_sql import ChatPlaces, list_conversations_with
from heliograph.core.messages.model import Claim, Direction, MessageStatus, NewMessage
from heliograph.core.messages.queue.claims import NewClaims
from heliograph.core.messages.queue.senders import Reservation
from heliograph.core.messages.statistics.sql import CountChanges, writes_of_counts
from heliograph.core.tenants.rows import Shards
from heliograph.platform.database.pool import Connection, RepeatTransactionError


async def list_stored(
    connection: Connection, shards: Shards, messages: Sequence[NewMessage]
) -> set[UUID]:
    """Return the ids of those messages that an earlier try has stored."""
    keys = [(message.tenant.organization_id, message.id) for message in messages]
    return await sql.list_stored_ids(connection, shards, keys) if keys else set()


async def insert_messages(
    connection: Connection,
    shards: Shards,
    messages: Sequence[NewMessage],
    epochs: Mapping[UUID, int],
    reservations: Mapping[UUID, Reservation],
    chats: ChatPlaces,
) -> dict[UUID, Claim]:
    """Insert new messages, those of the accounts in `epochs` as claimed; return their claims by
    account."""
    messages = await _in_conversations(connection, shards, messages, chats)
    claims = NewClaims([each for each in messages if each.account_id in epochs], reservations)
    counts = CountChanges()
    for message in messages:
        is_claimed = message.account_id in epochs
        counts.add(
            message.tenant.organization_id,
            message.account_id,
            message.created_at,
            Direction.OUTBOUND,
            MessageStatus.SENDING if is_claimed else sql.initial_status(message),
        )
    others = [*claims.writes(), *writes_of_counts(connection, counts)]
    try:
        seqs = await sql.insert_outbound(connection, shards, messages, epochs, others)
    except asyncpg.UniqueViolationError as error:
        # an earlier try, whose answer was lost, has been committed since we looked
        raise RepeatTransactionError("a message was stored meanwhile") from error
    await claims.delete_over(connection)
    if expiring := [message for message in messages if message.expires_at is not None]:
        await insert_expiries(connection, shards, expiring)
    return claims.of(seqs)


async def _in_conversations(
    connection: Connection,
    shards: Shards,
    messages: Sequence[NewMessage],
    chats: ChatPlaces,
) -> list[NewMessage]:
    """Return the messages with their conversations, if these exist already. Setting the
    conversation after the insert would cost another entry in every index."""
    unplaced = [message for message in messages if message.conversation_id is None]
    found = await list_conversations_with(connection, shards, unplaced, chats) if unplaced else {}
    if not found:
        return list(messages)
    return [
        replace(
            message,
            conversation_id=message.conversation_id
            or found.get((message.account_id, message.recipient)),
        )
        for message in messages
    ]
