"""Sessions are asked to read their accounts again: by a notification at once, and by the account's
row, which nodes look at from time to time, where the notification is lost."""

from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import ask_to_reopen
from heliograph.core.changes.model import Change


async def ask_to_reopen_session(change: Change, account_id: UUID) -> None:
    """Ask the session of a locked account, on whatever node, to be opened anew."""
    await ask_to_reopen(change.connection, change.tenant, account_id, change.now)
    change.wake(topics.account_changed(account_id))
