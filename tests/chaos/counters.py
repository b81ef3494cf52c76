"""Counters against the rows they count: one that moved twice, or not, is a lost or doubled step."""

from chaos.world import World

COUNTS = """
SELECT organization_id, direction, status, sum(n)::int AS n FROM message_counts
GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3
"""
RECOUNTED = """
SELECT organization_id, direction, status, count(*)::int AS n FROM messages
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
ACCOUNTS = """
SELECT a.id, t.sent AS told_sent, t.received AS told_received, m.sent, m.received
FROM accounts AS a
CROSS JOIN LATERAL (
    SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(received), 0)::int AS received
    FROM account_totals WHERE shard = a.shard AND account_id = a.id
) AS t
JOIN (
    SELECT shard, account_id, count(*) FILTER (WHERE direction = 'outbound') AS sent,
        count(*) FILTER (WHERE direction = 'inbound') AS received
    FROM messages GROUP BY shard, account_id
) AS m ON m.shard = a.shard AND m.account_id = a.id
"""
UNREAD = """
SELECT c.id, c.unread_count, count(m.id) AS unread FROM conversations AS c
LEFT JOIN messages AS m
  ON m.shard = c.shard AND m.conversation_id = c.id AND m.direction = 'inbound'
GROUP BY c.shard, c.id, c.unread_count HAVING c.unread_count <> count(m.id)
"""


async def miscounted(world: World) -> list[str]:
    """What a counter says that the rows don't, once all is sent, of messages nobody has read."""
    fetch = world.database.fetch
    counts = {tuple(row.values()) for row in await fetch(COUNTS)}
    recounted = {tuple(row.values()) for row in await fetch(RECOUNTED)}
    wrong = [f"counted {row}, which is not so" for row in counts - recounted]
    wrong += [f"not counted: {row}" for row in recounted - counts]
    for row in await fetch(ACCOUNTS):
        if (row["told_sent"], row["told_received"]) != (row["sent"], row["received"]):
            wrong.append(f"account: {dict(row)}")
    return wrong + [f"conversation: {dict(row)}" for row in await fetch(UNREAD)]
