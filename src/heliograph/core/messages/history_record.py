"""The history of a message as clients see it: its steps, the attempts on the network and at
webhooks, and an explanation."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.events.model import EventType
from heliograph.core.messages.history import MessageHistory, explain
from heliograph.core.messages.model import WAITING, Attempt, Direction, MessageStatus
from heliograph.core.messages.serializers import MessageRecord
from heliograph.core.records import make_record
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.deliveries.service import DeliveryReport
from heliograph.core.webhooks.model import DeliveryStatus
from heliograph.core.webhooks.serializers import DeliveryAttemptRecord, attempt_record
from heliograph.untrusted import UntrustedText


class MessageStepRecord(TypedDict):
    """A status that the message has reached, or a failed attempt to send it."""

    status: Annotated[MessageStatus, Doc("`sending` for a failed attempt.")]
    at: datetime
    reason: Annotated[UntrustedText | None, Doc("Why the message or the attempt failed, in words.")]


class NetworkAttemptsRecord(TypedDict):
    """The attempts to hand the message to the chat network."""

    failed: Annotated[int, Doc("The number of attempts that failed temporarily.")]
    last_error: Annotated[
        UntrustedText | None, Doc("Why the last attempt failed; null once the message is sent.")
    ]
    next_attempt_at: Annotated[
        datetime | None, Doc("The earliest time of the next attempt; null if none is planned.")
    ]


class MessageEventRecord(TypedDict):
    """An event that the message made."""

    id: Annotated[UUID, Doc("The `webhook-id` of the requests that report it.")]
    type: EventType
    created_at: datetime


class MessageDeliveryAttemptRecord(DeliveryAttemptRecord):
    """One POST and its answer."""


class MessageDeliveryRecord(TypedDict):
    """The delivery of one event of the message to one webhook, with each attempt."""

    id: UUID
    event_id: UUID
    event_type: EventType
    webhook_id: UUID
    webhook_url: str
    status: DeliveryStatus
    created_at: datetime
    delivered_at: datetime | None
    next_attempt_at: datetime | None
    attempts: list[MessageDeliveryAttemptRecord]


class MessageHistoryRecord(TypedDict):
    """The history of a message, as far as it is kept."""

    message: MessageRecord
    explanation: Annotated[
        list[UntrustedText],
        Doc("An explanation in sentences for people, the most important first."),
    ]
    steps: Annotated[
        list[MessageStepRecord],
        Doc(
            "In the order in which they were reached. Of more than 20 failed attempts, the first "
            "and the newest are listed."
        ),
    ]
    network_attempts: NetworkAttemptsRecord
    events: Annotated[list[MessageEventRecord], Doc("Oldest first.")]
    deliveries: Annotated[
        list[MessageDeliveryRecord] | None,
        Doc(
            "The last 20, oldest first; for a key that is limited to some devices those to "
            "webhooks that it sees. Null without the scope `webhooks:read`."
        ),
    ]


def history_record(history: MessageHistory, reader: Principal) -> MessageHistoryRecord:
    """Return the record. It names the account only for a reader with the scope `admin:read`."""
    message = history.message
    deliveries = history.deliveries
    return {
        "message": message,
        "explanation": explain(history, names_account=reader.may("admin:read")),
        "steps": _steps(message, history.attempts.kept),
        "network_attempts": {
            "failed": message["retry_count"],
            "last_error": message["failure_reason"],
            "next_attempt_at": history.attempts.next_attempt_at,
        },
        "events": [make_record(MessageEventRecord, event) for event in history.events],
        "deliveries": None if deliveries is None else [_delivery(report) for report in deliveries],
    }


def _steps(message: MessageRecord, attempts: Sequence[Attempt]) -> list[MessageStepRecord]:
    """Return the steps that the message's timestamps and its attempts show, in order; at equal
    times in the order of the statuses."""
    tried: list[MessageStepRecord] = [
        {"status": MessageStatus.SENDING, "at": attempt.at, "reason": attempt.reason}
        for attempt in attempts
    ]
    reached = list(_reached(message))
    before = [step for step in reached if step["status"] in WAITING]
    after = [step for step in reached if step["status"] not in WAITING]
    return sorted([*before, *tried, *after], key=lambda step: step["at"])


def _reached(message: MessageRecord) -> Iterator[MessageStepRecord]:
    is_inbound = message["direction"] is Direction.INBOUND
    was_scheduled = message["scheduled_for"] is not None
    first = MessageStatus.RECEIVED if is_inbound else MessageStatus.SCHEDULED
    times = (
        (first, message["created_at"] if is_inbound or was_scheduled else None),
        (MessageStatus.QUEUED, message["queued_at"]),
        (MessageStatus.SENT, None if is_inbound else message["sent_at"]),
        (MessageStatus.DELIVERED, message["delivered_at"]),
        (MessageStatus.READ, message["read_at"]),
        (MessageStatus.FAILED, message["failed_at"]),
    )
    for status, at in times:
        if at is not None:
            reason = message["failure_reason"] if status is MessageStatus.FAILED else None
            yield {"status": status, "at": at, "reason": reason}
    if message["status"] in (MessageStatus.CANCELED, MessageStatus.SENDING):
        reason = message["failure_reason"]
        yield {"status": message["status"], "at": message["updated_at"], "reason": reason}


def _delivery(report: DeliveryReport) -> MessageDeliveryRecord:
    attempts = [attempt_record(attempt) for attempt in report.attempts]
    return make_record(MessageDeliveryRecord, report.delivery, attempts=attempts)
