"""What happened to a message, and when, in the words of the thread."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from heliograph.core.messages.model import Direction, Message, MessageStatus

_WAITING = frozenset({MessageStatus.QUEUED, MessageStatus.SENDING})


class Moment(NamedTuple):
    name: str
    at: datetime
    reason: str | None = None


def list_moments(message: Message) -> list[Moment]:
    """List what happened to the message, in the order in which it usually does."""
    known = (
        _of_inbound(message) if message.direction is Direction.INBOUND else _of_outbound(message)
    )
    return [Moment(name, at, reason) for name, at, reason in known if at is not None]


_Known = Sequence[tuple[str, datetime | None, str | None]]


def _of_inbound(message: Message) -> _Known:
    return (
        ("sent", message.sent_at, None),
        ("received", message.created_at, None),
        ("read", message.read_at, None),
    )


def _of_outbound(message: Message) -> _Known:
    is_canceled = message.status is MessageStatus.CANCELED
    return (
        ("accepted", message.created_at, None),
        ("scheduled for", message.scheduled_for, None),
        ("queued", message.queued_at, None),
        ("tries again", message.next_attempt_at if message.status in _WAITING else None, None),
        ("failed", message.failed_at, message.failure_reason),
        ("sent", message.sent_at, None),
        ("delivered", message.delivered_at, None),
        ("read", message.read_at, None),
        ("canceled", message.updated_at if is_canceled else None, None),
    )
