"""Connections of processes that stand still in the middle of a statement.

PostgreSQL ends a transaction that idles, but not one whose client stopped between two messages of
one statement, or while it read an answer: there the server waits for as long as the client's kernel
holds the connection, and the transaction keeps its rows from everybody else.
"""

from heliograph.platform.database.pool import Connection

END = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user
  AND application_name = current_setting('application_name')
  AND state = 'active' AND wait_event_type = 'Client'
  AND state_change < clock_timestamp()
      - nullif(current_setting('idle_in_transaction_session_timeout'), '0')::interval
"""


async def end_stalled_connections(connection: Connection) -> int:
    """End the gateway's own connections to this database that have waited for their client in the
    middle of a statement for as long as a transaction may idle; how many."""
    return int(await connection.fetchval(END))
