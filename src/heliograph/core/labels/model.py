"""Labels: an organization's own words for its conversations and contacts."""

from datetime import datetime
from uuid import UUID

import msgspec


class Label(msgspec.Struct, frozen=True):
    id: UUID
    organization_id: UUID
    name: str
    color: str
    created_at: datetime
