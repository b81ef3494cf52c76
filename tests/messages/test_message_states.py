"""Whatever the network says, and in whatever order: a message goes forward and tells each once."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

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


@given(histories)
def test_what_has_arrived_fails_no_more(history: list[tuple[MessageStatus, datetime]]) -> None:
    message = QUEUED
    for to, at in history:
        message, _ = advance(message, to, at, reason="so it is")
        arrived = message.delivered_at is not None or message.read_at is not None
        assert (message.status in (MessageStatus.DELIVERED, MessageStatus.READ)) is arrived


@for_each("to", NEWS)
def test_a_canceled_message_stays_canceled(to: MessageStatus) -> None:
    canceled = replace(QUEUED, status=MessageStatus.CANCELED)
    assert advance(canceled, to, START) == (canceled, ())
