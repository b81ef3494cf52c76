"""Labels as clients see them."""

from typing import TypedDict

from heliograph.core.labels.model import Label


class LabelListRecord(TypedDict):
    """A page of labels by name; `total` counts all of them."""

    labels: list[Label]
    total: int
    limit: int
    offset: int
