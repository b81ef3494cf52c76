"""Texts that answer a question: finds the question and the choice."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from heliograph.core.ingest.model import PressByText
from heliograph.core.messages.sql import ChoiceMessage
from heliograph.networks.choices import MAX_ANSWER_LENGTH, chosen, last_asked
from heliograph.networks.content import Question, Text, message_type
from heliograph.networks.port import Inbound, NetworkEvent

LATEST = datetime(9999, 12, 31, tzinfo=UTC)


def mark_possible_press(event: NetworkEvent, answers: frozenset[str]) -> NetworkEvent:
    """Mark a text that may answer questions of these kinds, which the network does not support."""
    if not isinstance(event, Inbound) or event.from_me or not isinstance(event.content, Text):
        return event
    if event.may_press:  # the driver knows of more kinds that a text can answer
        return replace(event, answers=event.answers | answers)
    return replace(event, may_press=len(event.content.body) <= MAX_ANSWER_LENGTH, answers=answers)


def latest_question_time(event: Inbound) -> datetime:
    """Return the time before which a question must have been asked."""
    # a text that quotes its question came after it, whatever the clocks say
    return last_asked(event.sent_at) if event.reply_to_chat_message_id is None else LATEST


def find_press(questions: Sequence[ChoiceMessage], event: Inbound) -> PressByText | None:
    """Find the choice that the text expresses, in the newest earlier question that offers it.

    A reply can choose only from the message that it quotes. A bare number is a choice only if
    nothing else was sent after the question.
    """
    named = event.reply_to_chat_message_id
    for question in questions:
        is_meant = named in (None, question.chat_message_id)
        asked = question.content
        if not isinstance(asked, Question) or message_type(asked) not in event.answers:
            continue
        found = chosen(
            asked.choices,
            event.content.summary,
            by_number=named is not None or not question.was_followed(event.sent_at),
        )
        if found and is_meant and question.asked_at <= latest_question_time(event):
            return PressByText(asked.reply(found), question.message_id, question.chat_message_id)
    return None
