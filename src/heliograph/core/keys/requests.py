"""API keys made and rotated by a request that a client may repeat.

The answer holds the key's secret, so it is kept encrypted for as long as a repeat may ask for it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    Keep,
    StoredResponse,
)
from heliograph.core.keys.serializers import NewKeyRecord
from heliograph.core.keys.service import KeyService
from heliograph.core.tenants.model import Principal
from heliograph.errors import ApiKeyNotFoundError
from heliograph.platform.crypto import SecretBox


class KeyRequestService:
    def __init__(
        self, keys: KeyService, idempotency: IdempotencyService, secret_box: SecretBox
    ) -> None:
        self._keys = keys
        self._idempotency = idempotency
        self._secret_box = secret_box

    async def create(
        self,
        principal: Principal,
        name: str,
        scopes: Sequence[str] | None,
        expires_at: datetime | None,
        account_ids: Sequence[UUID] | None,
        key: IdempotencyKey | None,
    ) -> StoredResponse:
        """Answer 201 with the new key. Raises what `KeyService.mint` raises."""

        async def work(keep: Keep) -> NewKeyRecord:
            minted = await self._keys.mint(
                principal,
                name,
                scopes=scopes,
                expires_at=expires_at,
                account_ids=account_ids,
                keep=keep,
            )
            return minted.answer

        return await self._idempotency.write_once(principal, key, 201, work, self._secret_box)

    async def rotate(
        self, principal: Principal, id_: UUID, grace: timedelta, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Answer 200 with the key's new secret. Raises what `KeyService.get` and `rotate` raise."""

        async def work(keep: Keep) -> NewKeyRecord:
            found = await self._keys.get(principal, id_)
            if found.revoked_at is not None:
                raise ApiKeyNotFoundError(id_)
            minted = await self._keys.rotate(principal, found.key_id, grace=grace, keep=keep)
            return minted.answer

        return await self._idempotency.write_once(principal, key, 200, work, self._secret_box)
