"""Whatever the network says, and in whatever order: a message goes forward and tells each once."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from each_case import for_each
from heliograph.core.messages.model import ChatType, Direction, Message, MessageStatus, advance
from heliograph.core.tenants.model import Tenant
from heliograph.networks.content import Text

START = datetime(2026, 1, 1, tzinfo=UTC)
QUEUED = Message(
    tenant=Tenant(0, UUID(int=1)),
    id=UUID(int=2),
    seq=1,
    account_id=UUID(int=3),
    direction=Direction.OUTBOUND,
    status=MessageStatus.SENDING,
    message_type="text",
    chat_type=ChatType.INDIVIDUAL,
    recipient="15550100001",
    phone_number="+15550100001",
    content=Text("Hello"),
    chat_message_id="X1",
    created_at=START,
    updated_at=START,
)
FORWARD = [
    MessageStatus.SCHEDULED,
    MessageStatus.QUEUED,
    MessageStatus.SENDING,
    MessageStatus.FAILED,
    MessageStatus.SENT,
    MessageStatus.DELIVERED,
    MessageStatus.READ,
]
NEWS = [
    MessageStatus.FAILED,
    MessageStatus.SENT,
    MessageStatus.DELIVERED,
    MessageStatus.READ,
]
times = st.integers(0, 10_000).map(lambda seconds: START + timedelta(seconds=seconds))
histories = st.lists(st.tuples(st.sampled_from(NEWS), times), max_size=12)
beginnings = st.sampled_from(FORWARD[:3])


@given(beginnings, histories)
def test_it_never_goes_backwards(
    beginning: MessageStatus, history: list[tuple[MessageStatus, datetime]]
) -> None:
    message = replace(QUEUED, status=beginning)
    for to, at in history:
        after, _ = advance(message, to, at, reason="so it is")
        refused_late = (message.status, after.status) == (MessageStatus.SENT, MessageStatus.FAILED)
        assert refused_late or FORWARD.index(after.status) >= FORWARD.index(message.status)
        message = after


@given(beginnings, histories)
def test_each_state_is_told_once_and_sent_before_what_follows_it(
    beginning: MessageStatus, history: list[tuple[MessageStatus, datetime]]
) -> None:
    message, told = replace(QUEUED, status=beginning), list[MessageStatus]()
    for to, at in history:
        message, news = advance(message, to, at)
        told += news
    # only a failure can be told again: after word that it was sent has taken back the first one
    assert all(told.count(state) == 1 for state in told if state is not MessageStatus.FAILED)
    assert told.count(MessageStatus.FAILED) <= 2
    reached = [state for state in told if state is not MessageStatus.FAILED]
    assert reached[:1] in ([], [MessageStatus.SENT])
    assert message.status in (beginning, *told)


@given(histories)
def test_each_told_state_has_its_own_time(history: list[tuple[MessageStatus, datetime]]) -> None:
    message = QUEUED
    for to, at in history:
        message, news = advance(message, to, at)
        for state in news:
            assert getattr(message, f"{state}_at") == at
    assert (message.failure_reason is None) or message.status is MessageStatus.FAILED


@given(beginnings, histories)
def test_nothing_is_sent_after_it_arrived(
    beginning: MessageStatus, history: list[tuple[MessageStatus, datetime]]
) -> None:
    message = replace(QUEUED, status=beginning)
    for to, at in history:
        message, _ = advance(message, to, at)
        for arrived_at in (message.delivered_at, message.read_at):
            assert arrived_at is None or (message.sent_at or arrived_at) <= arrived_at


@given(st.sampled_from(NEWS), times, times)
def test_the_same_news_again_changes_nothing(
    to: MessageStatus, at: datetime, later: datetime
) -> None:
    once, _ = advance(QUEUED, to, at)
    again, news = advance(once, to, later, reason="again")
    assert again is once
    assert news == ()


def test_a_late_receipt_sets_its_time_and_nothing_else() -> None:
    read, _ = advance(QUEUED, MessageStatus.READ, START)
    later = START + timedelta(minutes=1)
    after, news = advance(read, MessageStatus.DELIVERED, later)
    assert after == replace(read, delivered_at=later)
    assert news == (MessageStatus.DELIVERED,)


@pytest.mark.parametrize("to", NEWS[1:])
def test_a_receipt_proves_that_a_failed_message_did_arrive(to: MessageStatus) -> None:
    failed, _ = advance(QUEUED, MessageStatus.FAILED, START, reason="No answer.")
    after, news = advance(failed, to, START)
    assert after.status is to
    assert after.failure_reason is None
    assert after.failed_at == START
    assert news[-1] is to


@given(histories)
def test_what_has_arrived_fails_no_more(history: list[tuple[MessageStatus, datetime]]) -> None:
    message = QUEUED
    for to, at in history:
        message, _ = advance(message, to, at, reason="so it is")
        arrived = message.delivered_at is not None or message.read_at is not None
        assert (message.status in (MessageStatus.DELIVERED, MessageStatus.READ)) is arrived


def test_what_was_sent_fails_when_the_network_says_so_later() -> None:
    sent, _ = advance(QUEUED, MessageStatus.SENT, START)
    later = START + timedelta(minutes=1)
    failed, news = advance(sent, MessageStatus.FAILED, later, reason="The mailbox is full.")
    assert failed == replace(
        sent,
        status=MessageStatus.FAILED,
        failed_at=later,
        failure_reason="The mailbox is full.",
    )
    assert news == (MessageStatus.FAILED,)


def test_word_that_it_was_sent_is_no_proof_against_a_failure_after_that() -> None:
    sent, _ = advance(QUEUED, MessageStatus.SENT, START)
    failed, _ = advance(sent, MessageStatus.FAILED, START, reason="The mailbox is full.")
    assert advance(failed, MessageStatus.SENT, START) == (failed, ())
    delivered, news = advance(failed, MessageStatus.DELIVERED, START)
    assert delivered.status is MessageStatus.DELIVERED
    assert delivered.failure_reason is None
    assert news == (MessageStatus.DELIVERED,)


@pytest.mark.parametrize("status", [MessageStatus.DELIVERED, MessageStatus.READ])
def test_what_was_delivered_or_read_can_fail_no_more(status: MessageStatus) -> None:
    message, _ = advance(QUEUED, status, START)
    assert advance(message, MessageStatus.FAILED, START) == (message, ())


@for_each("to", NEWS)
def test_a_canceled_message_stays_canceled(to: MessageStatus) -> None:
    canceled = replace(QUEUED, status=MessageStatus.CANCELED)
    assert advance(canceled, to, START) == (canceled, ())
