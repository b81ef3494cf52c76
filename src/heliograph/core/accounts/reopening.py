"""Sessions are asked to read their accounts again: by a notification at once, and by the account's
row, which health checks look at, where the notification is lost."""

from uuid import UUID

from heliograph.core import topics
from heliograph.core.accounts.sql import ask_to_reopen
from heliograph.core.changes.model import Change


async def reopen_session(change: Change, account_id: UUID) -> None:
    """Have the session of a locked account opened anew."""
    await ask_to_reopen(change.connection, change.tenant, account_id, change.now)
    change.wake(topics.account_changed(account_id))
