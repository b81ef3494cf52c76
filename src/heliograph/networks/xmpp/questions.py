"""The messages with buttons that an account has sent: which of them an answer means."""

from collections import OrderedDict
from datetime import datetime
from typing import NamedTuple

from heliograph.model.content import Button, chosen_button, last_asked

MOST_CHATS = 2000
MOST_IN_CHAT = 5


class Question(NamedTuple):
    asked_at: datetime
    buttons: tuple[Button, ...]


class Questions:
    """What this session knows of: the newest questions of each chat, of the newest chats."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, dict[str, Question]] = OrderedDict()

    def remember(
        self, chat_jid: str, chat_message_id: str, buttons: tuple[Button, ...], asked_at: datetime
    ) -> None:
        """A question that is tried again may have been seen, and answered, the first time."""
        chat = self._chats.setdefault(chat_jid, {})
        self._chats.move_to_end(chat_jid)
        if chat_message_id in chat:
            asked_at = min(asked_at, chat[chat_message_id].asked_at)
        chat[chat_message_id] = Question(asked_at, buttons)
        if len(chat) > MOST_IN_CHAT:
            del chat[_newest_first(chat)[-1]]
        if len(self._chats) > MOST_CHATS:
            self._chats.popitem(last=False)

    def answered_by(
        self,
        chat_jid: str,
        text: str,
        said_at: datetime,
        replies_to: str | None,
        thread: str | None = None,
    ) -> tuple[str, Button] | None:
        """The message and the button that the text chooses: of the message it says it answers and
        no other; else of that of its thread, else of the newest before it that has such a button.
        """
        chat = self._chats.get(chat_jid, {})
        meant = [replies_to]
        if replies_to is None:
            asked = [each for each in chat if chat[each].asked_at <= last_asked(said_at)]
            meant = [thread, *_newest_first({each: chat[each] for each in asked})]
        for message_id in meant:
            question = chat.get(message_id or "")
            button = chosen_button(question.buttons, text) if question is not None else None
            if message_id is not None and button is not None:
                return message_id, button
        return None


def _newest_first(chat: dict[str, Question]) -> list[str]:
    return sorted(chat, key=lambda message_id: chat[message_id].asked_at, reverse=True)
