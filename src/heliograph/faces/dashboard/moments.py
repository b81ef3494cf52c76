"""What happened to a message, and when, in the words of the pages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from heliograph.core.messages.model import Direction, Message, MessageStatus

_INBOUND = {"sent_at": "sent", "created_at": "received", "read_at": "read"}
_OUTBOUND = {
    "created_at": "accepted",
    "scheduled_for": "scheduled for",
    "queued_at": "queued",
    "sent_at": "sent",
    "delivered_at": "delivered",
    "read_at": "read",
    "failed_at": "failed",
}
_WAITING = frozenset({MessageStatus.QUEUED, MessageStatus.SENDING})


class Moment(NamedTuple):
    name: str
    at: datetime
    reason: str | None = None


def list_steps(message: Mapping[str, Any]) -> list[Moment]:
    """List what the message, as the API shows it, has been through, in order."""
    names = _names_of(message["direction"])
    return [Moment(name, message[field]) for field, name in names.items() if message[field]]


def list_moments(message: Message) -> list[Moment]:
    """List what the message has been through, in order, why it failed, and what comes next."""
    found = []
    for field, name in _names_of(message.direction).items():
        if (at := getattr(message, field)) is not None:
            reason = message.failure_reason if field == "failed_at" else None
            found.append(Moment(name, at, reason))
    if message.status in _WAITING and message.next_attempt_at is not None:
        found.append(Moment("tries again", message.next_attempt_at))
    if message.status is MessageStatus.CANCELED:
        found.append(Moment("canceled", message.updated_at))
    return found


def _names_of(direction: str) -> Mapping[str, str]:
    return _INBOUND if direction == Direction.INBOUND else _OUTBOUND
