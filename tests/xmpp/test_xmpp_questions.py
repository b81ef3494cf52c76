"""Which question an answer means: the newest one that was asked before it."""

from datetime import UTC, datetime, timedelta

from heliograph.networks.choices import QUESTION_CLOCK_SKEW
from heliograph.networks.content import Button
from heliograph.networks.xmpp.questions import MAX_IN_CHAT, Questions

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ADA = "ada@example.org"
YES = Button("yes", "Yes")


def asked(*times: datetime) -> Questions:
    """One question at each of these times, called by its number."""
    questions = Questions()
    for number, at in enumerate(times):
        questions.remember(ADA, str(number), (YES,), at)
    return questions


def test_an_answer_means_the_newest_question_before_it() -> None:
    questions = asked(AT + HOUR, AT, AT + 3 * HOUR)
    assert questions.answered_by(ADA, "yes", AT + 2 * HOUR, None) == ("0", YES)
    assert questions.answered_by(ADA, "yes", AT + 4 * HOUR, None) == ("2", YES)
    assert questions.answered_by(ADA, "yes", AT - HOUR, None) is None


def test_the_clocks_may_differ_a_little() -> None:
    questions = asked(AT + QUESTION_CLOCK_SKEW)
    assert questions.answered_by(ADA, "yes", AT, None) == ("0", YES)
    assert questions.answered_by(ADA, "yes", AT - timedelta(seconds=1), None) is None


def test_an_answer_that_names_its_question_is_of_it_whatever_the_clocks_say() -> None:
    questions = asked(AT, AT + HOUR)
    assert questions.answered_by(ADA, "yes", AT, "1") == ("1", YES)
    assert questions.answered_by(ADA, "yes", AT, None, thread="1") == ("1", YES)
    assert questions.answered_by(ADA, "yes", AT, "unknown") is None


def test_a_question_that_is_tried_again_was_asked_the_first_time() -> None:
    questions = asked(AT)
    questions.remember(ADA, "0", (YES,), AT + HOUR)
    assert questions.answered_by(ADA, "yes", AT, None) == ("0", YES)


def test_the_oldest_questions_are_forgotten() -> None:
    questions = asked(*(AT - number * HOUR for number in range(MAX_IN_CHAT + 1)))
    assert questions.answered_by(ADA, "yes", AT - MAX_IN_CHAT * HOUR, None) is None
    assert questions.answered_by(ADA, "yes", AT, None) == ("0", YES)


def test_a_number_means_the_newest_question_alone() -> None:
    questions = asked(AT, AT + HOUR)
    assert questions.answered_by(ADA, "1.", AT + 2 * HOUR, None) == ("1", YES)
    assert questions.answered_by(ADA, "1", AT + HOUR / 2, None) == ("0", YES)
    assert questions.answered_by(ADA, "1", AT + 2 * HOUR, "0") == ("0", YES)
    assert questions.answered_by(ADA, "2", AT + 2 * HOUR, None) is None


def test_a_number_is_no_choice_once_something_else_was_said() -> None:
    questions = asked(AT)
    questions.record_other_message(ADA, AT + HOUR)
    questions.record_other_message("bob@example.org", AT)
    assert questions.answered_by(ADA, "1", AT + 2 * HOUR, None) is None
    assert questions.answered_by(ADA, "1", AT + HOUR / 2, None) == ("0", YES)
    assert questions.answered_by(ADA, "YES!", AT + 2 * HOUR, None) == ("0", YES)
    assert questions.answered_by(ADA, "1", AT + 2 * HOUR, "0") == ("0", YES)
    assert questions.answered_by(ADA, "1", AT + 2 * HOUR, None, thread="0") == ("0", YES)
