"""Asks sessions to read their accounts again: at once by a notification, and by the account's row,
which nodes check from time to time in case the notification was lost."""

from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import ask_to_reopen
from heliograph.core.changes.model import Change


async def ask_to_reopen_session(change: Change, account_id: UUID) -> None:
    """Ask the node that owns a locked account to reopen its session."""
    await ask_to_reopen(change.connection, change.tenant, account_id, change.now)
    change.wake(topics.account_changed(account_id))
