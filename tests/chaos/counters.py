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
SELECT a.id, a.total_messages_sent AS told_sent, a.total_messages_received AS told_received,
    count(*) FILTER (WHERE m.direction = 'outbound') AS sent,
    count(*) FILTER (WHERE m.direction = 'inbound') AS received
FROM accounts AS a JOIN messages AS m ON m.account_id = a.id
GROUP BY a.id, a.total_messages_sent, a.total_messages_received
"""
UNREAD = """
SELECT c.id, c.unread_count, count(m.id) AS unread FROM conversations AS c
LEFT JOIN messages AS m ON m.conversation_id = c.id AND m.direction = 'inbound'
GROUP BY c.id, c.unread_count HAVING c.unread_count <> count(m.id)
"""


async def miscounted(world: World) -> list[str]:
    """What a counter says that the rows don't, once all is sent, of messages nobody has read."""
    fetch = world.postgres.fetch
    counts = {tuple(row.values()) for row in await fetch(COUNTS)}
    recounted = {tuple(row.values()) for row in await fetch(RECOUNTED)}
    wrong = [f"counted {row}, which is not so" for row in counts - recounted]
    wrong += [f"not counted: {row}" for row in recounted - counts]
    for row in await fetch(ACCOUNTS):
        if (row["told_sent"], row["told_received"]) != (row["sent"], row["received"]):
            wrong.append(f"account: {dict(row)}")
    return wrong + [f"conversation: {dict(row)}" for row in await fetch(UNREAD)]
