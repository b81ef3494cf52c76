"""Changes of messages: edits, deletions, reactions.

A message is stored as it was sent; what it says now follows from its changes, in order. Each change
has an id, so it is made only once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from heliograph.networks.content import NOTHING, Content, decode_content, edited, encode_content
from heliograph.networks.errors import NetworkError, TooOldError
from heliograph.networks.port import Changed, ChangeKind
from heliograph.networks.sandbox.database_access import Database
from heliograph.platform.database.rows import reads

MAX_EDIT_AGE = 15 * 60
MAX_DELETE_AGE = 2 * 86_400
_LIMITS = {"edited": (MAX_EDIT_AGE, "15 minutes"), "deleted": (MAX_DELETE_AGE, "2 days")}


class PhoneChange(msgspec.Struct, frozen=True):
    """A change that somebody makes. An empty `emoji` withdraws a reaction."""

    kind: ChangeKind
    change_id: str
    chat_message_id: str
    sender_jid: str
    at: datetime
    content: Content | None = None
    emoji: str = ""


class Standing(msgspec.Struct, frozen=True):
    """What a change needs to know of its message."""

    sender_jid: str
    sent_at: datetime
    is_deleted: bool


_standing_of = reads(Standing)
FIND_STANDING = """
SELECT sender_jid, sent_at, EXISTS (
    SELECT FROM sandbox.changes c
    WHERE c.account_id = m.account_id AND c.chat_message_id = m.chat_message_id
      AND c.kind = 'deleted'
) AS is_deleted
FROM sandbox.messages m WHERE account_id = $1 AND chat_jid = $2 AND chat_message_id = $3
"""


async def require_changeable(
    database: Database, account_id: UUID, chat_jid: str, change: PhoneChange
) -> None:
    """Raise `TooOldError`, or `NetworkError` for a message that is not there, is somebody else's or
    was deleted."""
    row = await database.fetchrow(FIND_STANDING, account_id, chat_jid, change.chat_message_id)
    if row is None:
        raise NetworkError(
            f"There is no message {change.chat_message_id} in this chat.", permanent=True
        )
    message = _standing_of(row)
    if message.is_deleted:
        raise NetworkError("The message was deleted.", permanent=True)
    if change.kind == "reaction":
        return
    if message.sender_jid != change.sender_jid:
        raise NetworkError(
            "Only the author of a message can edit or delete it on this network.", permanent=True
        )
    most, told = _LIMITS[change.kind]
    if change.at - message.sent_at > timedelta(seconds=most):
        raise TooOldError(f"A message can be {change.kind} for {told} here, and this one is older.")


FIND_TIME = "SELECT at FROM sandbox.changes WHERE account_id = $1 AND change_id = $2"


async def find_time(database: Database, account_id: UUID, change_id: str) -> datetime | None:
    """Return when the change was made; None if it was not."""
    at: datetime | None = await database.fetchval(FIND_TIME, account_id, change_id)
    return at


INSERT_CHANGE = """
WITH made AS (
    INSERT INTO sandbox.changes
        (account_id, change_id, kind, chat_jid, chat_message_id, message_sender_jid, sender_jid,
         content, emoji, at)
    SELECT m.account_id, $3, $4, m.chat_jid, m.chat_message_id, m.sender_jid, $5, $6, $7, $8
    FROM sandbox.messages m
    WHERE m.account_id = ANY($1) AND m.chat_message_id = $2
    ORDER BY m.account_id
    ON CONFLICT DO NOTHING
    RETURNING account_id, chat_jid
)
INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
SELECT account_id, chat_jid, $3, 'changed', '-infinity' FROM made
WHERE account_id IS DISTINCT FROM $9
"""


async def insert_change(
    database: Database, accounts: Sequence[UUID], change: PhoneChange, *, by: UUID | None = None
) -> None:
    """Make a change for the accounts that have the message; all but `by` are notified."""
    await database.execute(
        INSERT_CHANGE,
        accounts,
        change.chat_message_id,
        change.change_id,
        change.kind,
        change.sender_jid,
        None if change.content is None else encode_content(change.content),
        change.emoji,
        change.at,
        by,
    )


changed_of = reads(
    Changed,
    content=lambda row: None if row["content"] is None else decode_content(row["content"]),
    emoji=lambda row: row["emoji"] if row["kind"] == "reaction" else None,
    earlier_jids=lambda _: {},
    from_own_account=lambda _: False,  # what the account changes does not come back to it
    otherwise=lambda _: None,
)
LIST_CHANGED = "SELECT * FROM sandbox.changes WHERE account_id = $1 AND change_id = ANY($2)"


async def find_changed(
    database: Database, account_id: UUID, change_ids: Sequence[str]
) -> dict[str, Changed]:
    """Return changes as the account's session reports them, by id."""
    if not change_ids:
        return {}
    rows = await database.fetch(LIST_CHANGED, account_id, change_ids)
    return {row["change_id"]: changed_of(row) for row in rows}


LIST_OF_MESSAGES = """
SELECT * FROM sandbox.changes WHERE account_id = $1 AND chat_message_id = ANY($2) ORDER BY seq
"""


async def list_of_messages(
    database: Database, account_id: UUID, chat_message_ids: Sequence[str]
) -> Mapping[str, Sequence[Changed]]:
    """List the changes of messages by their ids, each message's oldest first."""
    found: defaultdict[str, list[Changed]] = defaultdict(list)
    for row in await database.fetch(LIST_OF_MESSAGES, account_id, chat_message_ids):
        found[row["chat_message_id"]].append(changed_of(row))
    return found


def content_after(content: Content, made: Iterable[Changed]) -> Content:
    """Return what a message says after these changes: nothing, once it was deleted."""
    for change in made:
        if change.kind == "deleted":
            return NOTHING
        if change.kind == "edited" and change.content is not None:
            content = edited(content, change.content)
    return content


def reactions(made: Iterable[Changed]) -> dict[str, str]:
    """Return the emoji of everybody who reacts, by their address."""
    latest = {change.sender_jid: change.emoji for change in made if change.kind == "reaction"}
    return {jid: emoji for jid, emoji in latest.items() if emoji}


DELETE_OLD = """
DELETE FROM sandbox.changes c
WHERE c.account_id = ANY($1) AND c.at < $2 AND NOT EXISTS (
    SELECT FROM sandbox.updates u
    WHERE u.account_id = c.account_id AND u.chat_message_id = c.change_id
)
"""


async def delete_old(database: Database, accounts: Sequence[UUID], before: datetime) -> None:
    await database.execute(DELETE_OLD, accounts, before)
