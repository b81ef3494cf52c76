"""What happened to a message, and when, in the words of the pages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from heliograph.core.messages.model import Attempt, Direction, Message, MessageStatus

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
_CHANGED = {"edited_at": "edited", "deleted_at": "deleted"}
_WAITING = frozenset({MessageStatus.QUEUED, MessageStatus.SENDING})


class Moment(NamedTuple):
    name: str
    at: datetime
    reason: str | None = None


def list_steps(message: Mapping[str, Any], attempts: Sequence[Attempt] = ()) -> list[Moment]:
    """List, in order, the steps of the message as the API shows it, and those of these attempts to
    send it that failed."""
    found = _list_times(message["direction"], message["status"], message.__getitem__)
    for attempt in attempts:
        tried = Moment("tried", attempt.at, attempt.reason)
        later = (place for place, moment in enumerate(found) if moment.at > attempt.at)
        found.insert(next(later, len(found)), tried)
    return found


def list_moments(message: Message) -> list[Moment]:
    """List what has happened to the message, in order, why it failed, and what comes next."""
    found = [
        moment._replace(reason=message.failure_reason) if moment.name == "failed" else moment
        for moment in _list_times(message.direction, message.status, partial(getattr, message))
    ]
    if message.status in _WAITING and message.next_attempt_at is not None:
        found.append(Moment("tries again", message.next_attempt_at))
    return found


def _list_times(
    direction: str, status: str, read: Callable[[str], datetime | None]
) -> list[Moment]:
    names = _INBOUND if direction == Direction.INBOUND else _OUTBOUND
    if status == MessageStatus.CANCELED:  # nothing happens to it after that
        names = {**names, "updated_at": "canceled"}
    found = _read_all(names, read)
    for change in _read_all(_CHANGED, read):
        # before what came later; nothing else is sorted, as the network's clock may differ
        later = (place for place, moment in enumerate(found) if moment.at > change.at)
        found.insert(next(later, len(found)), change)
    return found


def _read_all(names: Mapping[str, str], read: Callable[[str], datetime | None]) -> list[Moment]:
    return [Moment(name, at) for field, name in names.items() if (at := read(field)) is not None]
