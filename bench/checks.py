"""Check that the webhooks came: each once, in order, for every message."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence

import asyncpg

from bench.gateway import Customer, Gateway
from bench.receiver import Arrival

PER_MESSAGE = ("message.sent", "message.delivered", "message.read")
_SAMPLE = 3000
"""Events."""


def check_each_once(sent: int, arrivals: Sequence[Arrival]) -> None:
    """Check that so many messages were reported as sent, delivered and read, in order and once."""
    doubles = [
        name for name, n in Counter(arrival.webhook_id for arrival in arrivals).items() if n > 1
    ]
    require(not doubles, f"{len(doubles)} webhooks came more than once")
    told: dict[str | None, list[str]] = defaultdict(list)
    for arrival in arrivals:
        told[arrival.message_id].append(arrival.type)
    wrong = [name for name, types in told.items() if tuple(types) != PER_MESSAGE]
    require(not wrong, f"{len(wrong)} messages did not tell sent, delivered, read in this order")
    require(len(told) == sent, f"{len(told)} of {sent} messages told something")


async def check_order(
    gateway: Gateway, sent_ids: Sequence[str], arrivals: Sequence[Arrival]
) -> None:
    """Check that all are read, and that each conversation's events came in the order of writing."""
    tenant = gateway.customer.tenant
    async with gateway.database() as connection:
        statuses = await connection.fetch(
            """
            SELECT status, count(*) AS n FROM messages
            WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) GROUP BY status
            """,
            *tenant,
            sent_ids,
        )
        written = await connection.fetch(
            """
            SELECT conversation_id, message_id, type FROM events
            WHERE shard = $1 AND organization_id = $2 AND message_id = ANY($3::uuid[])
            ORDER BY seq
            """,
            *tenant,
            sent_ids,
        )
    require([tuple(row) for row in statuses] == [("read", len(sent_ids))], "not all are read")
    _check_conversations(written, arrivals)


def _check_conversations(written: Sequence[asyncpg.Record], arrivals: Sequence[Arrival]) -> None:
    """Compare what was written with what came, conversation by conversation."""
    wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    came: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in written:
        wanted[str(row["conversation_id"])].append((str(row["message_id"]), row["type"]))
    for arrival in arrivals:
        came[str(arrival.conversation_id)].append((str(arrival.message_id), arrival.type))
    wrong = [conversation for conversation in wanted if wanted[conversation] != came[conversation]]
    require(not wrong, f"{len(wrong)} conversations were told in another order")


async def count_transactions(
    gateway: Gateway, customers: Sequence[Customer], arrivals: Sequence[Arrival]
) -> float:
    """Return in how many transactions the events of one message were written: 3 where each status
    had its own."""
    ids = list({arrival.message_id for arrival in arrivals[-_SAMPLE:]})
    async with gateway.database() as connection:
        counts = [
            row["transactions"]
            for customer in customers
            for row in await connection.fetch(
                """
                SELECT count(DISTINCT xmin::text) AS transactions FROM events
                WHERE shard = $1 AND organization_id = $2 AND message_id = ANY($3::uuid[])
                GROUP BY message_id
                """,
                *customer.tenant,
                ids,
            )
        ]
    return float(statistics.mean(counts))


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RuntimeError(otherwise)
