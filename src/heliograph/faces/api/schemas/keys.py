"""API keys: the bodies that make and rotate one, and what is shown of them."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from heliograph.core.keys.serializers import KeyRecord, NewKeyRecord
from heliograph.core.keys.service import MAX_NAME_LENGTH
from heliograph.core.secrets.model import DEFAULT_GRACE, MAX_GRACE
from heliograph.core.tenants.scopes import SCOPES
from heliograph.faces.api.schemas.fields import StrictBody, Time, with_example
from heliograph.faces.api.schemas.records import describes
from heliograph.platform.json_numbers import Integer

_MAX_ACCOUNTS = 1000

_KEY = {
    "id": "01939b1c-1000-7aaa-8bbb-ccccddddeeee",
    "key_id": "5Zg0mS3yqk2vX9Qd8RfLbA",
    "name": "Front desk backend",
    "display_prefix": "hg_5Zg0mS3y",
    "created_at": "2025-12-06T09:00:00.000000Z",
    "updated_at": "2025-12-06T09:00:00.000000Z",
    "scopes": ["messages:write", "conversations:read"],
    "chat_account_ids": ["01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"],
    "expires_at": "2026-12-06T09:00:00.000000Z",
    "last_used_at": None,
    "last_used_address": None,
    "revoked_at": None,
    "old_secrets_expire_at": [],
}
_NEW = _KEY | {"api_key": "hg_5Zg0mS3yqk2vX9Qd8RfLbA_…"}

Scope = Annotated[str, StringConstraints(pattern=f"^({'|'.join(SCOPES)})$")]


class CreateApiKey(StrictBody):
    """A new key. It can't do more than the key that makes it."""

    model_config = with_example(
        {
            "name": "Front desk backend",
            "scopes": ["messages:write", "conversations:read"],
            "expires_at": "2099-12-06T09:00:00Z",
            "chat_account_ids": ["01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"],
        }
    ) | {"extra": "forbid"}

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, pattern=r"\S", description="What it is for."
    )
    scopes: list[Scope] | None = Field(
        default=None, min_length=1, max_length=len(SCOPES), description="Null: everything."
    )
    expires_at: Time | None = Field(default=None, description="Null: it never expires.")
    chat_account_ids: list[UUID] | None = Field(
        default=None,
        min_length=1,
        max_length=_MAX_ACCOUNTS,
        description="The only devices it may use. Null: all, including future ones.",
    )


class RotateApiKey(StrictBody):
    """When the replaced secret expires."""

    model_config = with_example({"grace_seconds": 86400}) | {"extra": "forbid"}

    grace_seconds: Integer = Field(
        default=int(DEFAULT_GRACE.total_seconds()),
        ge=0,
        le=int(MAX_GRACE.total_seconds()),
        description="How long the old secret stays valid.",
    )


@describes(KeyRecord)
class ApiKey(BaseModel):
    model_config = with_example(_KEY)


@describes(NewKeyRecord)
class CreatedApiKey(ApiKey):
    model_config = with_example(_NEW)


class ApiKeyList(BaseModel):
    """One page of keys, newest first, revoked ones too; `total` counts them all."""

    model_config = with_example({"api_keys": [_KEY], "total": 1, "limit": 50, "offset": 0})

    api_keys: list[ApiKey]
    total: int
    limit: int
    offset: int
