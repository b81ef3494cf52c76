"""The subjects of the events of deliveries, which distinguish them in a list."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.events.model import Event


class Subject(NamedTuple):
    """A subject: `who` is a person, a group or a device, `says` the beginning of a message's text.
    Either may be empty."""

    who: str
    says: str


MAX_TEXT_LENGTH = 120
"""The most characters of a text that a list shows."""


class _EventData(msgspec.Struct):
    """The members of events' data that name a subject."""

    group_name: str | None = None
    display_name: str | None = None
    contact_name: str | None = None
    name: str | None = None
    phone_number: str | None = None
    content: str | None = None


class _EventPayload(msgspec.Struct):
    data: _EventData


_decoder = msgspec.json.Decoder(_EventPayload)


def read_subjects(events: Sequence[Event]) -> dict[UUID, Subject]:
    """Return the subjects of those events whose payload is kept, by the events' ids."""
    return {event.id: _read(event.payload) for event in events if event.payload}


def _read(payload: bytes) -> Subject:
    try:
        data = _decoder.decode(payload).data
    except msgspec.ValidationError:  # an earlier release may have written another shape
        return Subject("", "")
    names = (data.group_name, data.display_name, data.contact_name, data.name, data.phone_number)
    return Subject(
        _first(names),
        " ".join((data.content or "")[: 2 * MAX_TEXT_LENGTH].split())[:MAX_TEXT_LENGTH],
    )


def _first(names: Iterable[str | None]) -> str:
    return next((name for name in names if name), "")
