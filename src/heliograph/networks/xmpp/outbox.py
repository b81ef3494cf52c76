"""Outgoing messages: they count as sent once the server has accepted them or the group has
reflected them."""

import asyncio
import contextlib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from datetime import datetime

from cachetools import LRUCache

from heliograph.networks.content import Buttons
from heliograph.networks.errors import NetworkError, RecipientNotFoundError
from heliograph.networks.port import Outgoing
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.stanzas import (
    IDS,
    MARKERS,
    RECEIPTS,
    AnswerError,
    Message,
    Refusal,
    element,
)
from heliograph.networks.xmpp.stream import Stream
from heliograph.platform.aio.futures import resolve

MAX_KNOWN = 10_000
"""Addresses that have accepted a message."""
LOST = "The connection was lost before the server had taken the message."


class Outbox:
    """The messages of one account that are being sent; it outlives the streams it sends over."""

    def __init__(self, questions: Questions, now: Callable[[], datetime]) -> None:
        self._questions = questions
        self._now = now
        self._pending: dict[str, asyncio.Future[datetime]] = {}
        self._known: LRUCache[str, None] = LRUCache(MAX_KNOWN)
        self._unanswered: dict[str, datetime | None] = {}

    async def send(
        self, stream: Stream, message: Outgoing, content: Sequence[ET.Element], *, in_group: bool
    ) -> datetime:
        """Send the message. Returns the time at which it was accepted. Raises as `post` does."""
        self._record(message)
        more = [] if in_group else [ET.Element(f"{RECEIPTS}request")]
        more.append(ET.Element(f"{MARKERS}markable"))
        return await self.post(
            stream, message.recipient, message.chat_message_id, [*content, *more], in_group=in_group
        )

    async def post(
        self,
        stream: Stream,
        to: str,
        id_: str,
        payload: Sequence[ET.Element],
        *,
        in_group: bool,
    ) -> datetime:
        """Send a stanza with this id. Returns the time at which it was accepted.

        Raises `NetworkError`, which is not certain if the connection ends before the server has
        acknowledged it.
        """
        taken: asyncio.Future[datetime] = asyncio.get_running_loop().create_future()
        self._pending[id_] = taken
        try:
            attributes = {"to": to, "type": "groupchat" if in_group else "chat", "id": id_}
            stream.post("message", attributes, *payload, element(f"{IDS}origin-id", id=id_))
            if stream.has_acks:
                stream.request_ack()
                if not in_group and to not in self._known:
                    await self._answered(stream, id_)
            elif not in_group:
                await stream.ping()  # a request sent after the message is answered after it
                self.taken(id_)
            taken_at = await taken
        finally:
            self._pending.pop(id_, None)
        if not in_group:
            self._known[to] = None
        return taken_at

    async def _answered(self, stream: Stream, id_: str) -> None:
        """Wait for the answer to a request sent after a message: some servers acknowledge a message
        first, and then report that the address does not exist."""
        self._unanswered[id_] = None
        try:
            with contextlib.suppress(NetworkError):  # the session may be resumed
                await stream.ping()
        finally:
            acked_at = self._unanswered.pop(id_)
        if acked_at is not None:
            self.taken(id_, acked_at)

    def _record(self, message: Outgoing) -> None:
        to, now = message.recipient, self._now()
        if isinstance(message.content, Buttons):
            self._questions.remember(to, message.chat_message_id, message.content.buttons, now)
        else:
            self._questions.record_other_message(to, now)

    # --- what the stream says ---

    def acked(self, chat_message_id: str) -> None:
        """Record that the server has acknowledged the message."""
        if chat_message_id in self._unanswered:
            self._unanswered[chat_message_id] = self._now()
        else:
            self.taken(chat_message_id)

    def taken(self, chat_message_id: str, at: datetime | None = None) -> bool:
        """Record that the server has the message. Returns whether somebody waited for that."""
        return self._resolve(chat_message_id, at or self._now())

    def shown(self, message: Message) -> bool:
        """Record that a group has reflected our message. Returns whether somebody waited for
        that."""
        ids = {message.stanza_id, message.origin_id or message.stanza_id}
        return any(self.taken(id_, message.at) for id_ in ids)

    def refused(self, chat_message_id: str, refusal: Refusal, *, in_group: bool) -> bool:
        """Record that the server or the group refuses it; returns whether somebody waited."""
        return self._resolve(chat_message_id, _error(refusal, in_group=in_group))

    def lose_all(self) -> None:
        """Fail all waiting sends: their session has ended."""
        for taken in self._pending.values():
            resolve(taken, NetworkError(LOST, certain=False))

    def _resolve(self, chat_message_id: str, outcome: datetime | NetworkError) -> bool:
        taken = self._pending.get(chat_message_id)
        if taken is not None:
            resolve(taken, outcome)
        return taken is not None


def _error(refusal: Refusal, *, in_group: bool) -> NetworkError:
    if in_group and refusal.condition in ("not-acceptable", "not-allowed", "forbidden"):
        return NetworkError(f"The group does not take it: {refusal.sentence}", permanent=True)
    if not in_group and refusal.is_nobody:
        return RecipientNotFoundError("Nobody has this address, or they can't be written to.")
    return AnswerError(refusal)
