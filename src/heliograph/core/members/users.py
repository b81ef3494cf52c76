"""Users: people, as an OpenID Connect provider tells them apart."""

from datetime import datetime
from uuid import UUID

import msgspec


class Identity(msgspec.Struct, frozen=True):
    """What a provider says of who has signed in (OpenID Connect Core 1.0, 5.1).

    `issuer` and `subject` together are the person; `email` is None unless the provider vouches for
    it.
    """

    issuer: str
    subject: str
    email: str | None
    name: str


class User(msgspec.Struct, frozen=True):
    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str
    created_at: datetime
    signed_in_at: datetime
