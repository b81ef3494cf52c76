"""Chats: what the phones of one account show, and what they say.

`progress` is how far a message of the account has come: 0 sent, 1 delivered, 2 read.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.networks.content import Button, Buttons, Content, decode_content, encode_content
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import SimulatedMessage
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.phones import Phone
from heliograph.networks.sandbox.test_numbers import NEVER_ARRIVES, Misbehavior, misbehavior_of
from heliograph.platform.database.rows import Columns, reads

STATUSES = ("sent", "delivered", "read")
BUTTON_SEARCH = 100
"""Messages of a chat as far as a person would scroll back for a button."""


class Arriving(msgspec.Struct, frozen=True):
    """A message on its way to one of our accounts. `sender` is the phone that says it, if one."""

    account_id: UUID
    chat_jid: str
    sender_jid: str
    chat_message_id: str
    content: Content
    sent_at: datetime
    reply_to: str | None = None


_ARRIVING = Columns(
    "account_id uuid, chat_message_id text, chat_jid text, sender_jid text, content text,"
    " sent_at timestamptz, reply_to text",
    first=1,
    content=lambda message: encode_content(message.content),
)
INSERT_ARRIVING = _ARRIVING.fill("""
WITH input AS (
    SELECT * FROM {rows_in_order}
), made AS (
    INSERT INTO sandbox.messages ({names}) SELECT {names} FROM input ORDER BY position
    ON CONFLICT DO NOTHING
    RETURNING account_id, chat_message_id
)
INSERT INTO sandbox.updates (account_id, chat_jid, chat_message_id, kind, due_at)
SELECT account_id, chat_jid, chat_message_id, 'inbound', '-infinity'
FROM input JOIN made USING (account_id, chat_message_id) ORDER BY position
""")


async def insert_arriving(database: Database, messages: Sequence[Arriving]) -> None:
    """Put the messages, in order, into their accounts' mailboxes; one known by id is dropped."""
    await database.execute(INSERT_ARRIVING, *_ARRIVING.of(messages))


OPEN_CHAT = """
WITH receipts AS (
    UPDATE sandbox.updates SET due_at = $3
    WHERE account_id = $1 AND chat_jid = $2 AND due_at > $3 AND kind <> 'inbound'
    RETURNING id
), bubbles AS (
    UPDATE sandbox.messages SET progress = $4
    WHERE account_id = $1 AND chat_jid = $2 AND sender_jid <> $2 AND progress < $4
    RETURNING seq
)
SELECT count(*) FROM receipts
"""


async def open_chat(database: Database, account_id: UUID, phone: Phone, now: datetime) -> bool:
    """Show the chat on the phone: whatever waited for it is delivered and read at this moment."""
    if not phone.online or misbehavior_of(phone.jid) in NEVER_ARRIVES:
        return False
    progress = 1 if misbehavior_of(phone.jid) is Misbehavior.UNREAD else 2
    return bool(await database.fetchval(OPEN_CHAT, account_id, phone.jid, now, progress))


_simulated_of = reads(
    SimulatedMessage,
    content=lambda row: decode_content(row["content"]),
    status=lambda row: STATUSES[row["progress"]],
)
LIST_MESSAGES = """
SELECT *, sender_jid = $4 AS mine FROM sandbox.messages
WHERE account_id = $1 AND chat_jid = $2 AND ($3 OR sender_jid = $4 OR progress > 0)
ORDER BY seq DESC LIMIT $5
"""


async def list_messages(
    database: Database, account_id: UUID, chat_jid: str, phone: Phone, limit: int
) -> list[SimulatedMessage]:
    """Return the newest messages the phone has got in a chat, oldest first."""
    if misbehavior_of(phone.jid) in NEVER_ARRIVES:
        return []
    rows = await database.fetch(LIST_MESSAGES, account_id, chat_jid, phone.online, phone.jid, limit)
    return [_simulated_of(row) for row in reversed(rows)]


def find_button(
    messages: Sequence[SimulatedMessage], wanted: str, chat_message_id: str | None
) -> tuple[SimulatedMessage, Button]:
    """Return the newest message that has this button, by id or title. `messages` are oldest
    first.

    Raises `NetworkError` that names the buttons there are.
    """
    chosen = [
        (message, message.content.buttons)
        for message in reversed(messages)
        if isinstance(message.content, Buttons)
        and chat_message_id in (None, message.chat_message_id)
    ]
    for message, buttons in chosen:
        for button in buttons:
            if wanted == button.id or wanted.casefold() == button.title.casefold():
                return message, button
    if not chosen:
        raise NetworkError("There is no message with buttons here to press.", permanent=True)
    there = ", ".join(f"{button.title!r} (id {button.id})" for button in chosen[0][1])
    raise NetworkError(
        f"There is no button {wanted!r} here. The newest message has {there}.", permanent=True
    )


DELETE_MESSAGES = """
WITH gone AS (
    DELETE FROM sandbox.messages m
    WHERE m.account_id = ANY($1) AND m.sent_at < $2 AND NOT EXISTS (
        SELECT FROM sandbox.updates u
        WHERE u.account_id = m.account_id AND u.chat_message_id = m.chat_message_id
    )
    RETURNING account_id, chat_message_id
)
DELETE FROM sandbox.tries t USING gone g
WHERE t.account_id = g.account_id AND t.chat_message_id = g.chat_message_id
"""


async def delete_messages(database: Database, accounts: Sequence[UUID], before: datetime) -> None:
    """Forget the accounts' messages sent before this time, but those that still wait for them."""
    await database.execute(DELETE_MESSAGES, accounts, before)
