"""Chats: what the phones of one account show, and what they say.

`progress` is how far a message has come: 0 sent, 1 delivered, 2 read. A phone's own stays at 0
until the account marks it as read.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.networks.content import (
    Content,
    Media,
    Poll,
    PollVote,
    decode_content,
    encode_content,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Quoted, SimulatedMessage
from heliograph.networks.sandbox import changes, files
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.phones import Phone
from heliograph.networks.sandbox.test_numbers import NEVER_ARRIVES, Misbehavior, misbehavior_of
from heliograph.platform.database.rows import Columns, reads

STATUSES = ("sent", "delivered", "read")
TYPING_LASTS = timedelta(seconds=25)


class ArrivingMessage(msgspec.Struct, frozen=True):
    """A message on its way to one of our accounts. `sender` is the phone that sends it, if any."""

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


async def insert_arriving(database: Database, messages: Sequence[ArrivingMessage]) -> None:
    """Put the messages, in order, into their accounts' mailboxes; those with a known id are
    dropped."""
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
    quoted=lambda _: None,
    is_edited=lambda _: False,
    is_deleted=lambda _: False,
    has_file=lambda _: False,
    reactions=lambda _: {},
    votes=lambda _: {},
)
LIST_MESSAGES = """
SELECT *, sender_jid = $4 AS mine FROM sandbox.messages
WHERE account_id = $1 AND chat_jid = $2 AND ($3 OR sender_jid = $4 OR progress > 0)
ORDER BY seq DESC LIMIT $5
"""


async def list_messages(
    database: Database, account_id: UUID, chat_jid: str, phone: Phone, limit: int
) -> list[SimulatedMessage]:
    """Return the newest messages on the phone in a chat, as they read now, oldest first."""
    if misbehavior_of(phone.jid) in NEVER_ARRIVES:
        return []
    rows = await database.fetch(LIST_MESSAGES, account_id, chat_jid, phone.online, phone.jid, limit)
    sent = [_simulated_of(row) for row in reversed(rows)]
    return await _as_they_are_now(database, account_id, sent) if sent else []


async def _as_they_are_now(
    database: Database, account_id: UUID, sent: Sequence[SimulatedMessage]
) -> list[SimulatedMessage]:
    quoted = await _find_quoted(database, account_id, sent)
    ids = {message.chat_message_id for message in sent} | quoted.keys()
    made = await changes.list_of_messages(database, account_id, sorted(ids))
    stored = await files.find_stored(
        database, [each.chat_message_id for each in sent if isinstance(each.content, Media)]
    )
    votes = await _find_votes(database, account_id, sent)

    def now(message: SimulatedMessage) -> SimulatedMessage:
        id_ = message.chat_message_id
        of_message = made.get(id_, ())
        kinds = {change.kind for change in of_message}
        is_deleted = "deleted" in kinds
        answered = quoted.get(message.reply_to or "")
        if answered is not None:
            said = changes.content_after(answered.content, made.get(answered.chat_message_id, ()))
            answered = replace(answered, content=said)
        return replace(
            message,
            content=changes.content_after(message.content, of_message),
            quoted=answered,
            is_edited="edited" in kinds and not is_deleted,
            is_deleted=is_deleted,
            has_file=id_ in stored and not is_deleted,
            reactions={} if is_deleted else changes.reactions(of_message),
            votes=votes.get(id_, {}),
        )

    return [now(message) for message in sent]


_quoted_of = reads(Quoted, content=lambda row: decode_content(row["content"]))
LIST_QUOTED = "SELECT * FROM sandbox.messages WHERE account_id = $1 AND chat_message_id = ANY($2)"


async def _find_quoted(
    database: Database, account_id: UUID, sent: Sequence[SimulatedMessage]
) -> dict[str, Quoted]:
    """Return the messages that these answer, by id."""
    wanted = sorted({message.reply_to for message in sent if message.reply_to})
    rows = await database.fetch(LIST_QUOTED, account_id, wanted) if wanted else ()
    return {row["chat_message_id"]: _quoted_of(row) for row in rows}


LIST_VOTES = """
SELECT reply_to, sender_jid, content FROM sandbox.messages
WHERE account_id = $1 AND reply_to = ANY($2) ORDER BY seq
"""


async def _find_votes(
    database: Database, account_id: UUID, sent: Sequence[SimulatedMessage]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return what everybody last chose in the polls, by the poll and the voter."""
    polls = {each.chat_message_id for each in sent if isinstance(each.content, Poll)}
    rows = await database.fetch(LIST_VOTES, account_id, sorted(polls)) if polls else ()
    found: dict[str, dict[str, tuple[str, ...]]] = {poll: {} for poll in polls}
    for row in rows:
        vote = decode_content(row["content"])
        if isinstance(vote, PollVote):
            found[row["reply_to"]][row["sender_jid"]] = vote.options
    return found


GET_MEDIA = """
SELECT content FROM sandbox.messages m WHERE account_id = $1 AND chat_message_id = $2
  AND NOT EXISTS (
    SELECT FROM sandbox.changes c
    WHERE c.account_id = m.account_id AND c.chat_message_id = m.chat_message_id
      AND c.kind = 'deleted'
)
"""


async def get_file(database: Database, account_id: UUID, chat_message_id: str) -> files.SandboxFile:
    """Return the file of a message. Raises `NetworkError` where there is none."""
    raw = await database.fetchval(GET_MEDIA, account_id, chat_message_id)
    content = None if raw is None else decode_content(raw)
    size = await files.find_size(database, chat_message_id)
    if not isinstance(content, Media) or size is None:
        raise NetworkError(f"The message {chat_message_id} has no file here.", permanent=True)
    return files.SandboxFile(
        database, chat_message_id, content.media_type, content.file_name or "", size
    )


IS_TYPING = """
SELECT EXISTS (
    SELECT FROM sandbox.typing t
    WHERE t.account_id = $1 AND t.chat_jid = $2 AND t.ends_at > $3 AND NOT EXISTS (
        SELECT FROM sandbox.messages m JOIN sandbox.devices d USING (account_id)
        WHERE m.account_id = $1 AND m.chat_jid = $2 AND m.sender_jid = d.jid
          AND m.sent_at >= t.began_at
    )
)
"""


async def is_typing(database: Database, account_id: UUID, chat_jid: str, now: datetime) -> bool:
    """Return whether the account is typing in the chat: it said so, and has sent nothing since."""
    found: bool = await database.fetchval(IS_TYPING, account_id, chat_jid, now)
    return found


BEGIN_TYPING = """
INSERT INTO sandbox.typing (account_id, chat_jid, began_at, ends_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, chat_jid) DO UPDATE SET began_at = $3, ends_at = $4
"""
END_TYPING = "DELETE FROM sandbox.typing WHERE account_id = $1 AND chat_jid = $2"


async def set_typing(
    database: Database, account_id: UUID, chat_jid: str, is_typing: bool, now: datetime
) -> None:
    """Show on the phones of a chat that the account is typing, for `TYPING_LASTS` at most."""
    if is_typing:
        ends_at = now + TYPING_LASTS
        await database.execute(BEGIN_TYPING, account_id, chat_jid, now, ends_at)
    else:
        await database.execute(END_TYPING, account_id, chat_jid)


MARK_READ = """
UPDATE sandbox.messages m SET progress = 2
FROM unnest($3::text[], $4::text[]) AS i(chat_message_id, sender_jid)
WHERE m.account_id = $1 AND m.chat_jid = $2 AND m.chat_message_id = i.chat_message_id
  AND m.sender_jid = i.sender_jid AND m.progress < 2
"""


async def mark_read(
    database: Database, account_id: UUID, chat_jid: str, messages: Sequence[tuple[str, str]]
) -> None:
    """Show on the phones that the account has read messages, each its id and sender."""
    ids, senders = [id_ for id_, _ in messages], [sender for _, sender in messages]
    await database.execute(MARK_READ, account_id, chat_jid, ids, senders)


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
    """Delete the accounts' messages sent before this time, except those still in a mailbox."""
    await database.execute(DELETE_MESSAGES, accounts, before)
