"""API keys as they are kept: everything but the secret itself."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.secrets.model import OldSecret
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.plans import Plan


class ApiKeyRecord(msgspec.Struct, frozen=True):
    """One row of `api_keys`, fit to be shown. `scopes` None grants everything, `account_ids` None
    all accounts; `old_secrets_expire_at` is when each secret before the last rotation ends or has
    ended, the newest first."""

    id: UUID
    key_id: str
    organization_id: UUID
    name: str
    display_prefix: str
    scopes: tuple[str, ...] | None
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    old_secrets_expire_at: tuple[datetime, ...]
    created_at: datetime
    updated_at: datetime
    account_ids: tuple[UUID, ...] | None = None
    last_used_address: str | None = None


class MintedKey(msgspec.Struct, frozen=True):
    """A new or rotated key: `text` is the whole key, which is shown now and never again."""

    record: ApiKeyRecord
    text: str


class KeyUse(NamedTuple):
    """When a key was used, and from which address, if that is known."""

    at: datetime
    address: str | None


class ApiKeyCheck(msgspec.Struct, frozen=True):
    """What a request's key is checked against: hashes, times, and whose it is."""

    key_id: str
    name: str
    tenant: Tenant
    plan: Plan
    scopes: tuple[str, ...] | None
    secret_hash: bytes
    old_secrets: tuple[OldSecret, ...]
    expires_at: datetime | None
    revoked_at: datetime | None
    account_ids: frozenset[UUID] | None = None


class NewApiKey(msgspec.Struct, frozen=True):
    """A key about to be stored; `secret_hash` is SHA-256 of its secret."""

    id: UUID
    key_id: str
    organization_id: UUID
    name: str
    display_prefix: str
    secret_hash: bytes
    scopes: tuple[str, ...] | None
    expires_at: datetime | None
    created_at: datetime
    account_ids: tuple[UUID, ...] | None = None
