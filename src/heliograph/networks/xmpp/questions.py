"""The messages with buttons that an account has sent, for matching answers to them.

The gateway's own search (`Inbound.may_press`) uses the database, and is asked for answers that are
not matched here, such as those to a question from before a restart. It knows neither XMPP's threads
nor the buttons of the account's other programs, whose messages it stores as texts. So this module
remembers the messages that its session has sent and seen.
"""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from cachetools import LRUCache

from heliograph.networks.choices import chosen_button, last_asked
from heliograph.networks.content import Button

MAX_CHATS = 2000
MAX_IN_CHAT = 5
MAX_SAID = 20


class Question(NamedTuple):
    asked_at: datetime
    buttons: tuple[Button, ...]


@dataclass(slots=True)
class ChatQuestions:
    """The questions of a chat, by id, and when other messages were sent."""

    questions: dict[str, Question] = field(default_factory=dict)
    said: deque[datetime] = field(default_factory=lambda: deque(maxlen=MAX_SAID))

    def newest_first(self) -> list[str]:
        return sorted(
            self.questions, key=lambda message_id: self.questions[message_id].asked_at, reverse=True
        )

    def was_followed(self, question: Question, by: datetime) -> bool:
        """Return whether another message was sent after the question, up to this time."""
        others = (other.asked_at for other in self.questions.values() if other is not question)
        return any(question.asked_at < at <= by for at in (*self.said, *others))


class Questions:
    """The messages with buttons that this session knows: the newest of each of the newest chats."""

    def __init__(self) -> None:
        self._chats: LRUCache[str, ChatQuestions] = LRUCache(MAX_CHATS)

    def remember(
        self, chat_jid: str, chat_message_id: str, buttons: tuple[Button, ...], asked_at: datetime
    ) -> None:
        """Remember a message with buttons."""
        # one that is sent again may have been seen and answered the first time
        chat = self._chats.setdefault(chat_jid, ChatQuestions())
        if chat_message_id in chat.questions:
            asked_at = min(asked_at, chat.questions[chat_message_id].asked_at)
        chat.questions[chat_message_id] = Question(asked_at, buttons)
        if len(chat.questions) > MAX_IN_CHAT:
            del chat.questions[chat.newest_first()[-1]]

    def record_other_message(self, chat_jid: str, at: datetime) -> None:
        """Record that another message was sent in the chat."""
        # a bare number then answers no earlier question
        if chat_jid in self._chats:
            self._chats[chat_jid].said.append(at)

    def answered_by(
        self,
        chat_jid: str,
        text: str,
        said_at: datetime,
        replies_to: str | None,
        thread: str | None = None,
    ) -> tuple[str, Button] | None:
        """Find the message and the button that a text chooses.

        That is the message that the text quotes, and no other; else that of its thread; else the
        newest earlier one with such a button.
        """
        chat = self._chats.get(chat_jid, ChatQuestions())
        meant = [replies_to]
        if replies_to is None:
            until = last_asked(said_at)
            asked = [
                message_id
                for message_id in chat.newest_first()
                if chat.questions[message_id].asked_at <= until
            ]
            meant = [thread, *asked]
        for message_id in meant:
            question = chat.questions.get(message_id or "")
            if message_id is None or question is None:
                continue
            is_named = message_id in (replies_to, thread)
            by_number = is_named or not chat.was_followed(question, said_at)
            button = chosen_button(question.buttons, text, by_number=by_number)
            if button is not None:
                return message_id, button
        return None
