"""What happened, whether it was posted to a webhook or read from `GET /events`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx

from .generated import EVENT_CLASSES, EventBody
from .generated.api.event_log import list_events
from .generated.client import Request
from .generated.types import UNSET
from .ids import read_id


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Attributes:
        id: The same whenever and however the event comes: drop duplicates by it.
        type: Such as `message.received`. Types may be added.
        timestamp: When the gateway learned of it.
        data: What it is about, as it came.
        body: The event as an object of its type's class, such as `MessageReceivedEvent`; None if
            this version of the package does not know its type or its form.
        cursor: Of an event from `GET /events`: what to go on after. A few events may come again.
    """

    id: str
    type: str
    timestamp: datetime
    data: dict[str, Any]
    body: EventBody | None
    cursor: str | None = None


@dataclass(frozen=True)
class EventsPage:
    """Some events, and where to go on when they have been dealt with. It may hold none."""

    events: list[Event]
    next_cursor: str


@dataclass(frozen=True)
class EventQuery:
    """Which events to read."""

    types: Iterable[str] = ()
    chat_account_id: str | UUID | None = None
    limit: int = 50
    wait: int = 30

    def __post_init__(self) -> None:
        types = (self.types,) if isinstance(self.types, str) else tuple(self.types)
        object.__setattr__(self, "types", types)  # read again for each page

    def build_request(self, after: str | None) -> Request:
        """Build the request of a page. Who has no cursor yet does not wait for the first one."""
        request = list_events.build_request(
            after=after or UNSET,
            types=",".join(self.types) or UNSET,
            chat_account_id=read_id(self.chat_account_id or UNSET),
            limit=self.limit,
            wait=self.wait if after else 0,
        )
        return {**request, "timeout": httpx.Timeout(self.wait + 30, connect=10)}

    def ends_with(self, page: EventsPage, after: str | None) -> bool:
        """Return whether there is nothing more now, and nothing to wait for."""
        return self.wait == 0 and not page.events and page.next_cursor == after


def read_page(response: httpx.Response, after: str | None) -> EventsPage:
    """Read a page. Only its last event moves the cursor: a reader that goes on from one before
    gets the page's events again."""
    body = response.json()
    found, end = body["events"], body["next_cursor"]
    cursors = [after or end for _ in found[1:]] + [end]
    events = [parse_event(each["id"], each, at) for each, at in zip(found, cursors, strict=False)]
    return EventsPage(events, end)


def parse_event(event_id: str, event: dict[str, Any], cursor: str | None = None) -> Event:
    """Return the event of such a body: `{"type", "timestamp", "data"}`."""
    timestamp = datetime.fromisoformat(event["timestamp"])
    return Event(event_id, event["type"], timestamp, event["data"], _parse_body(event), cursor)


def _parse_body(event: dict[str, Any]) -> EventBody | None:
    known = EVENT_CLASSES.get(event["type"])
    try:
        return known.from_dict(event) if known else None
    except (AttributeError, KeyError, TypeError, ValueError):  # what generated parsers raise
        return None
