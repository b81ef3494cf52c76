"""Messages with buttons that a text may answer."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.networks.content import Buttons, decode_content
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

_ASKED = Columns("organization_id uuid, conversation_id uuid, last_asked timestamptz")
LIST_QUESTIONS = _ASKED.fill("""
SELECT k.conversation_id, q.id, q.chat_message_id, q.content, q.asked_at, q.followed_at
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT r.id, r.seq, r.chat_message_id, r.content, r.message_type,
            coalesce(r.sent_at, r.created_at) AS asked_at,
            lead(coalesce(r.sent_at, r.created_at)) OVER (ORDER BY r.seq) AS followed_at
        FROM (
            SELECT * FROM messages
            WHERE shard = $1 AND organization_id = k.organization_id
              AND conversation_id = k.conversation_id
            ORDER BY seq DESC LIMIT 100
        ) AS r
        WHERE r.direction = 'outbound'
          AND r.status NOT IN ('scheduled', 'queued', 'failed', 'canceled')
    ) AS said
    WHERE said.message_type = 'buttons' AND said.asked_at <= k.last_asked
    ORDER BY said.seq DESC LIMIT 5
) AS q
ORDER BY k.conversation_id, q.seq DESC
""")


class Question(msgspec.Struct, frozen=True):
    """One of our messages with buttons. `asked_at` is when the network took it, as far as known,
    `followed_at` when it took what we said next."""

    message_id: UUID
    chat_message_id: str
    content: Buttons
    asked_at: datetime
    followed_at: datetime | None

    def was_followed(self, at: datetime) -> bool:
        """Whether we had said something else by then."""
        return self.followed_at is not None and self.followed_at <= at


async def list_questions(
    connection: Connection, shard: int, conversations: Mapping[tuple[UUID, UUID], datetime]
) -> dict[UUID, list[Question]]:
    """The newest questions in conversations, by the conversation's id, newest first: at most five
    of each, among its newest hundred messages. Keys begin with the organization; each has the time
    at which a question was asked at the latest."""
    asked = [(*key, last_asked) for key, last_asked in sorted(conversations.items())]
    rows = await connection.fetch(LIST_QUESTIONS, shard, *_ASKED.transpose(asked))
    found: defaultdict[UUID, list[Question]] = defaultdict(list)
    for row in rows:
        content = decode_content(row["content"])
        if isinstance(content, Buttons):  # of an account that keeps no contents, nothing is left
            question = Question(
                row["id"], row["chat_message_id"], content, row["asked_at"], row["followed_at"]
            )
            found[row["conversation_id"]].append(question)
    return found
