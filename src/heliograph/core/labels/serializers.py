"""Labels as clients see them."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from heliograph.core.labels.model import Label


class LabelRecord(TypedDict):
    """A label that people put on conversations and contacts."""

    id: UUID
    organization_id: UUID
    name: str
    color: str
    created_at: datetime


class LabelListRecord(TypedDict):
    """A page of labels by name; `total` counts all of them."""

    labels: list[LabelRecord]
    total: int
    limit: int
    offset: int


def label_record(label: Label) -> LabelRecord:
    return {
        "id": label.id,
        "organization_id": label.organization_id,
        "name": label.name,
        "color": label.color,
        "created_at": label.created_at,
    }
