"""Users: people, as an OpenID Connect provider tells them apart."""

from datetime import datetime
from uuid import UUID

import msgspec


class User(msgspec.Struct, frozen=True):
    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str
    created_at: datetime
    signed_in_at: datetime
