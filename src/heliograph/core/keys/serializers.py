"""API keys as clients see them: without the secret, except in the answer that creates it."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.keys.model import ApiKeyRecord, MintedKey
from heliograph.core.records import make_record


class KeyRecord(TypedDict):
    """An API key of the organization, without its secret."""

    id: UUID
    key_id: Annotated[str, Doc("The public part of the key, by which the audit log names it.")]
    name: str
    display_prefix: Annotated[str, Doc("The first characters of the key.")]
    created_at: datetime
    updated_at: datetime
    scopes: Annotated[list[str] | None, Doc("The scopes of the key; null means all.")]
    chat_account_ids: Annotated[
        list[UUID] | None, Doc("The only devices it may use; null is all of them.")
    ]
    expires_at: datetime | None
    last_used_at: datetime | None
    last_used_address: Annotated[
        str | None, Doc("The address from which it was used last, as the gateway sees it.")
    ]
    revoked_at: datetime | None
    old_secrets_expire_at: Annotated[
        list[datetime], Doc("When each secret before the last rotation expires or has expired.")
    ]


class NewKeyRecord(KeyRecord):
    """An API key with its new secret, which is shown only this once."""

    api_key: Annotated[str, Doc("The whole key, to send as `Authorization: Bearer <key>`.")]


def key_record(key: ApiKeyRecord) -> KeyRecord:
    return make_record(
        KeyRecord,
        key,
        scopes=None if key.scopes is None else list(key.scopes),
        chat_account_ids=None if key.account_ids is None else list(key.account_ids),
        old_secrets_expire_at=list(key.old_secrets_expire_at),
    )


def new_key_record(minted: MintedKey) -> NewKeyRecord:
    return {**key_record(minted.record), "api_key": minted.text}
