"""Labels: an organization's own words for its conversations and contacts."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

import msgspec


class Label(msgspec.Struct, frozen=True):
    """A label that people put on conversations and contacts."""

    id: UUID
    organization_id: UUID
    name: str
    color: str
    created_at: datetime


def by_name(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return labels in the order in which they are shown."""
    return tuple(sorted(labels, key=lambda label: label.name))


def with_label(labels: Iterable[Label], label: Label) -> tuple[Label, ...]:
    """Return labels with this one in place of the one that has its id, if there is one."""
    return by_name((*(each for each in labels if each.id != label.id), label))
