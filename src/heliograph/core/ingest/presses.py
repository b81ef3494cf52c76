"""Texts that press a button: which may, and which button of which question they choose."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from heliograph.core.ingest.model import Press
from heliograph.core.messages.sql import Question
from heliograph.networks.choices import LONGEST_ANSWER, chosen_button, last_asked
from heliograph.networks.content import Text
from heliograph.networks.port import Inbound, NetworkEvent

LATEST = datetime(9999, 12, 31, tzinfo=UTC)


def mark_possible_press(event: NetworkEvent) -> NetworkEvent:
    """Mark a text that may be a choice, on a network without buttons."""
    if not isinstance(event, Inbound) or event.from_me or not isinstance(event.content, Text):
        return event
    return replace(event, may_press=len(event.content.body) <= LONGEST_ANSWER)


def latest_question_time(event: Inbound) -> datetime:
    """Return the time before which a question must have been asked."""
    # a text that names the question it answers came after it, whatever the clocks say
    return last_asked(event.sent_at) if event.reply_to_chat_message_id is None else LATEST


def find_press(questions: Sequence[Question], event: Inbound) -> Press | None:
    """Find the button that the text chooses, in the newest earlier question that has such a button.

    A reply can only choose from the message that it replies to. A bare number is a choice only
    while nothing else was said after the question.
    """
    named = event.reply_to_chat_message_id
    for question in questions:
        is_meant = named in (None, question.chat_message_id)
        button = chosen_button(
            question.content.buttons,
            event.content.summary,
            by_number=named is not None or not question.was_followed(event.sent_at),
        )
        if button is not None and is_meant and question.asked_at <= latest_question_time(event):
            return Press(button, question.message_id, question.chat_message_id)
    return None
