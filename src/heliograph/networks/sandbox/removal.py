"""Forget a removed account and everything that its phones had."""

from uuid import UUID

from heliograph.networks.sandbox.database_access import Database

DELETE_OF_ACCOUNT = (
    "DELETE FROM sandbox.updates WHERE account_id = $1",
    "DELETE FROM sandbox.changes WHERE account_id = $1",
    "DELETE FROM sandbox.typing WHERE account_id = $1",
    "DELETE FROM sandbox.tries WHERE account_id = $1",
    "DELETE FROM sandbox.messages WHERE account_id = $1",
    "DELETE FROM sandbox.files WHERE account_id = $1",
    "DELETE FROM sandbox.phones WHERE account_id = $1",
    "DELETE FROM sandbox.pairings WHERE account_id = $1",
    "DELETE FROM sandbox.join_requests WHERE account_id = $1",
    """
    DELETE FROM sandbox.members m USING sandbox.devices d
    WHERE d.account_id = $1 AND m.jid = d.jid
    """,
    "DELETE FROM sandbox.devices WHERE account_id = $1",
)


async def forget(database: Database, account_id: UUID) -> None:
    """Delete the account's rows, one table at a time. Repeating it does no harm."""
    for statement in DELETE_OF_ACCOUNT:
        await database.execute(statement, account_id)
