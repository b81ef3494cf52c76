"""The tables `message_queue`, with messages that wait to be sent, and `message_claims`, with those
that may be `sending`.

They are small, and spare `messages` an index that every change of status would have to update. A
transaction that changes a message's row here holds a lock on the message, so that no two wait for
each other here. The status itself is in `messages`.

A row is `fresh` if it was inserted by the transaction that gave the message its `seq`, and has
never been postponed. Claims scan fresh rows from the account's floor on
(`platform.database.floors`). Other rows can appear with an old `seq` at any time: they have a small
index of their own, which is scanned from the start.

A claim is one row, however many messages it has. It is deleted some time after all of them have
ended. So the messages that a dead owner was sending are found among few rows, however long the
queue.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID, uuid4

from heliograph.core.cluster.model import Lease
from heliograph.core.messages.model import (
    Claim,
    ClaimedMessage,
    ClaimResult,
    Message,
    MessageStatus,
    NewMessage,
    RequeuedMessage,
)
from heliograph.core.messages.queue.attempts_sql import appended
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import (
    RowWrite,
    Shards,
    shards_of,
    statement,
    tenant_columns,
    tenant_of,
)
from heliograph.networks.content import decode_content
from heliograph.platform.database.floors import START, Floor
from heliograph.platform.database.horizon import Numbering
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads

NEXT_MESSAGES = 200
"""The number of messages at the head of a queue that count as being sent next."""

QUEUED = Numbering("messages_seq_seq", ("messages",))
"""The source of a row's `seq`: the message that is inserted in the same transaction."""

_WAITING = tenant_columns(
    "account_id uuid, seq bigint, message_id uuid, queued_at timestamptz,"
    " next_attempt_at timestamptz, recipient text",
    message_id="id",
    queued_at=lambda message: message.queued_at or message.created_at,
)
INSERT_NEW = insertion(
    """
INSERT INTO message_queue (shard, fresh, {names}) SELECT {shard}, true, {values} FROM {rows}
""",
    _WAITING,
)
INSERT = insertion(
    """
INSERT INTO message_queue (shard, {names}) SELECT {shard}, {values} FROM {rows}
ON CONFLICT (shard, organization_id, account_id, seq)
DO UPDATE SET next_attempt_at = excluded.next_attempt_at, fresh = false
""",
    _WAITING,
)


async def insert_new(
    connection: Connection, shards: Shards, messages: Sequence[tuple[NewMessage, int]]
) -> None:
    """Queue messages that this transaction has inserted, with their `seq`."""
    rows = [
        (
            message.tenant.organization_id,
            message.account_id,
            seq,
            message.id,
            message.created_at,
            None,
            message.recipient,
        )
        for message, seq in messages
    ]
    await INSERT_NEW.insert_rows(connection, shards, rows)


async def insert_waiting(
    connection: Connection, shards: Shards, messages: Sequence[Message | RequeuedMessage]
) -> None:
    """Queue locked messages, or change when they are due."""
    await INSERT.insert(connection, shards, messages)


_KEYS = Columns("organization_id uuid, account_id uuid, seq bigint")
DELETE = statement(
    """
DELETE FROM message_queue AS q USING {rows}
WHERE q.shard = {shard} AND q.organization_id = k.organization_id AND q.account_id = k.account_id
  AND q.seq = k.seq
""",
    _KEYS,
)


async def follow_changes(
    connection: Connection, shards: Shards, changes: Iterable[tuple[Message, Message]]
) -> None:
    """Update the queue after changes of locked messages. `changes` has each message as it was and
    as it is."""
    gone: list[tuple[UUID, UUID, int]] = []
    waiting: list[Message] = []
    for before, after in changes:
        if after.status is MessageStatus.QUEUED:
            waiting.append(after)
        elif before.status is MessageStatus.QUEUED:
            gone.append((after.tenant.organization_id, after.account_id, after.seq))
    if gone:
        await connection.execute(*DELETE.transpose(shards, gone))
    if waiting:
        await insert_waiting(connection, shards, waiting)


# --- claims --------------------------------------------------------------------------------------

# Each part has an index of its own, in the order of `seq`: the first rows overall are among the
# first of each. OFFSET keeps the check for an earlier message in backoff a single index look-up.
_DUE = """
    SELECT seq, message_id, recipient FROM (
        SELECT * FROM (
            SELECT q.seq, q.message_id, q.recipient FROM message_queue AS q
            WHERE q.shard = $1 AND q.organization_id = $2 AND q.account_id = $3
              AND q.fresh
              AND q.seq >= greatest(0, $6::bigint * ($7 = pg_postmaster_start_time())::integer)
              AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= $5) {in_turn}
            ORDER BY q.seq LIMIT $4
        ) AS fresh
        UNION ALL
        SELECT * FROM (
            SELECT q.seq, q.message_id, q.recipient FROM message_queue AS q
            WHERE q.shard = $1 AND q.organization_id = $2 AND q.account_id = $3
              AND NOT q.fresh
              AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= $5) {in_turn}
            ORDER BY q.seq LIMIT $4
        ) AS others
    ) AS found
    ORDER BY seq LIMIT $4
"""
_IN_TURN = """
              AND NOT EXISTS (
                  SELECT 1 FROM message_queue AS e
                  WHERE e.shard = $1 AND e.organization_id = $2 AND e.account_id = $3
                    AND e.recipient = q.recipient AND e.seq < q.seq AND e.next_attempt_at > $5
                  OFFSET 0
              )
"""
# MATERIALIZED makes PostgreSQL find and lock due messages once, whatever its statistics: a join may
# be run again for each row, which is slow and, with SKIP LOCKED, exceeds the limit. As an array,
# claimed messages are found by their ids. A message that another transaction has locked is `busy`,
# and later ones to the same recipient wait with it: order must not depend on locks.
CLAIM = """
WITH due AS MATERIALIZED ({due}),
locked AS MATERIALIZED (
    SELECT due.seq, due.recipient, m.id FROM due
    CROSS JOIN LATERAL (
        SELECT id FROM messages
        WHERE shard = $1 AND organization_id = $2 AND id = due.message_id AND status = 'queued'
        FOR UPDATE SKIP LOCKED
    ) AS m
),
busy AS MATERIALIZED (
    SELECT due.recipient, min(due.seq) AS seq FROM due
    CROSS JOIN LATERAL (
        SELECT 1 FROM messages
        WHERE shard = $1 AND organization_id = $2 AND id = due.message_id AND status = 'queued'
        OFFSET 0
    ) AS m
    WHERE due.message_id <> ALL(ARRAY(SELECT id FROM locked))
    GROUP BY due.recipient
),
claimed AS (
    UPDATE messages AS m
    SET status = 'sending', claim_epoch = $8, updated_at = now()
    WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
        SELECT locked.id FROM locked
        WHERE NOT EXISTS (
            SELECT 1 FROM busy WHERE busy.recipient = locked.recipient AND busy.seq < locked.seq
        )
    ))
    RETURNING m.shard, m.organization_id, m.id, m.seq, m.account_id, m.message_type, m.recipient,
        m.content, m.chat_message_id, m.created_at, m.run_id, m.media_url, m.reply_to_message_id,
        m.retry_count, m.connected_seconds, m.expires_at, m.trace_context, m.failure_reason
)
SELECT claimed.*, EXISTS (SELECT 1 FROM busy) AS is_busy
FROM (VALUES (1)) AS one LEFT JOIN claimed ON true
""".replace("{due}", _DUE.replace("{in_turn}", _IN_TURN))
# The list is sorted, and its ends bound what PostgreSQL before version 17 may read (decision 73).
DELETE_CLAIMED = """
DELETE FROM message_queue
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND seq = ANY($4::bigint[])
  AND seq BETWEEN ($4::bigint[])[1] AND ($4::bigint[])[cardinality($4::bigint[])]
"""
INSERT_CLAIM = """
INSERT INTO message_claims (shard, organization_id, account_id, id, message_ids)
VALUES ($1, $2, $3, $4, $5)
"""

_IDLE = Columns(
    "organization_id uuid, account_id uuid, epoch bigint, floor bigint, server timestamptz", first=3
)
LOCK_IDLE = statement(
    """
SELECT l.account_id, (
    SELECT q.seq FROM message_queue AS q
    WHERE q.shard = {shard} AND q.organization_id = k.organization_id
      AND q.account_id = k.account_id AND q.fresh
      AND q.seq >= greatest(0, k.floor * (k.server = pg_postmaster_start_time())::integer)
    ORDER BY q.seq LIMIT 1
) IS NOT NULL OR (
    SELECT q.seq FROM message_queue AS q
    WHERE q.shard = {shard} AND q.organization_id = k.organization_id
      AND q.account_id = k.account_id AND NOT q.fresh
    ORDER BY q.seq LIMIT 1
) IS NOT NULL AS is_waiting
FROM {rows}
JOIN account_leases AS l ON l.shard = {shard} AND l.organization_id = k.organization_id
    AND l.account_id = k.account_id AND l.epoch = k.epoch
WHERE l.node_id = $2
ORDER BY l.organization_id, l.account_id FOR SHARE OF l
""",
    _IDLE,
)


async def lock_idle(
    connection: Connection, leases: Sequence[Lease], floors: Sequence[Floor]
) -> set[UUID]:
    """Lock these leases of one node on accounts until the transaction ends. Returns the accounts
    that are still owned under them and for which no message waits, from their floors on."""
    if not leases:
        return set()
    shards = shards_of(lease.tenant for lease in leases)
    asked = [
        (lease.tenant.organization_id, lease.resource_id, lease.epoch, *floor)
        for lease, floor in zip(leases, floors, strict=True)
    ]
    rows = await connection.fetch(*LOCK_IDLE.transpose(shards, asked, leases[0].node_id))
    return {row["account_id"] for row in rows if not row["is_waiting"]}


_CLAIMS = Columns("organization_id uuid, account_id uuid, id uuid, message_ids text")
INSERT_CLAIMS = insertion(
    """
INSERT INTO message_claims (shard, organization_id, account_id, id, message_ids)
SELECT {shard}, k.organization_id, k.account_id, k.id, k.message_ids::uuid[] FROM {rows}
""",
    _CLAIMS,
)


def insertion_of_claims(claims: Iterable[tuple[Lease, UUID, Sequence[UUID]]]) -> RowWrite:
    """Return the write that stores claims, given by the lease, the claim's id and its messages'."""
    return INSERT_CLAIMS.write_rows(
        (
            lease.tenant.organization_id,
            lease.resource_id,
            claim_id,
            "{" + ",".join(map(str, message_ids)) + "}",
        )
        for lease, claim_id, message_ids in claims
    )


_claimed_of = reads(
    ClaimedMessage, tenant=tenant_of, content=lambda row: decode_content(row["content"])
)


async def claim_queued(
    connection: Connection, lease: Lease, limit: int, now: datetime, floor: Floor = START
) -> ClaimResult:
    """Mark the account's next due messages as `sending` under the lease's epoch, by `seq`.

    Messages behind one in backoff to the same recipient are not due, and those behind a locked one
    are skipped. `now` is by the same clock as `next_attempt_at`.
    """
    account = (*lease.tenant, lease.resource_id)
    values = (*account, limit, now, *floor)
    rows, is_busy = await _claim(connection, values, lease.epoch)
    if not rows:
        return ClaimResult(None, is_busy)
    claim = Claim(uuid4(), sorted(map(_claimed_of, rows), key=lambda message: message.seq))
    await connection.execute(DELETE_CLAIMED, *account, [each.seq for each in claim.messages])
    await connection.execute(INSERT_CLAIM, *account, claim.id, [each.id for each in claim.messages])
    return ClaimResult(claim, is_busy)


async def _claim(
    connection: Connection, values: Sequence[object], epoch: int
) -> tuple[list[Row], bool]:
    """Return the claimed rows, and whether others were locked."""
    rows = await connection.fetch(CLAIM, *values, epoch)
    return [row for row in rows if row["id"] is not None], rows[0]["is_busy"]


DELETE_CLAIMS = """
DELETE FROM message_claims
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND id = ANY($4::uuid[])
"""


async def delete_claims(connection: Connection, lease: Lease, claim_ids: Sequence[UUID]) -> None:
    """Delete claims whose messages have all ended."""
    await connection.execute(DELETE_CLAIMS, *lease.tenant, lease.resource_id, claim_ids)


LIST_CLAIMED = """
SELECT unnest(message_ids) AS id FROM message_claims
WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""


async def list_claimed(connection: Connection, tenant: Tenant, account_id: UUID) -> set[UUID]:
    """List the account's messages that may be `sending`; no others are."""
    rows = await connection.fetch(LIST_CLAIMED, *tenant, account_id)
    return {row["id"] for row in rows}


IS_NEXT = """
SELECT EXISTS (
    SELECT 1 FROM (
        SELECT recipient FROM message_queue
        WHERE shard = $1 AND organization_id = $2 AND account_id = $3
        ORDER BY seq LIMIT $5
    ) AS q
    WHERE q.recipient = $4
)
"""
IS_SENDING = """
SELECT EXISTS (
    SELECT 1 FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND status = 'sending'
      AND recipient = $4
)
"""


async def is_sending(
    connection: Connection, tenant: Tenant, account_id: UUID, recipient: str
) -> bool:
    """Whether a message to this address is among the next ones or being sent."""
    next_ones = (*tenant, account_id, recipient, NEXT_MESSAGES)
    if await connection.fetchval(IS_NEXT, *next_ones):
        return True
    claimed = await list_claimed(connection, tenant, account_id)
    return bool(
        claimed and await connection.fetchval(IS_SENDING, *tenant, sorted(claimed), recipient)
    )


REQUEUE_SENDING = """
UPDATE messages AS m
SET status = 'queued', retry_count = retry_count + 1, failure_reason = $5::text, updated_at = now(),
    in_doubt = true, attempts = {attempts}
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND status = 'sending'
      AND claim_epoch <= $4
    ORDER BY id FOR NO KEY UPDATE
))
RETURNING m.shard, m.organization_id, m.id, m.seq, m.account_id, m.status, m.recipient, m.run_id,
    m.created_at, m.queued_at, m.next_attempt_at, m.retry_count
""".replace(
    "{attempts}",
    appended("jsonb_build_object('at', now(), 'reason', $5::text, 'certain', false)"),
)
# Neither claims with messages that are being sent, nor claims committed since they were listed.
DELETE_EMPTY_CLAIMS = """
DELETE FROM message_claims
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND message_ids <@ $4::uuid[]
"""

_requeued_of = reads(RequeuedMessage, tenant=tenant_of)


async def requeue_sending(
    connection: Connection, lease: Lease, reason: str, but: Collection[UUID] = ()
) -> list[RequeuedMessage]:
    """Requeue messages that an earlier owner, or this one, left in `sending`, except those in
    `but`, which are being sent. `reason` tells users why they are retried."""
    tenant, account_id = lease.tenant, lease.resource_id
    claimed = await list_claimed(connection, tenant, account_id)
    if not claimed:
        return []
    lost = sorted(claimed.difference(but))
    rows = await connection.fetch(REQUEUE_SENDING, *tenant, lost, lease.epoch, reason)
    requeued = list(map(_requeued_of, rows))
    if requeued:
        await insert_waiting(connection, tenant.shard, requeued)
    await connection.execute(DELETE_EMPTY_CLAIMS, *tenant, account_id, lost)
    return requeued
