"""Writes of one transaction that a client may repeat: the key is taken in that transaction.

A service takes a `Keep` and calls it at the end of its transaction, with what it will return:

    answer = await writes.once(principal, key, partial(service.create, principal, name), respond)
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, TypeVar
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    KeyTakenError,
    StoredResponse,
    UnfinishedRequest,
)
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.errors import GatewayError, IdempotencyConflictError
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.pool import Connection, Database

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Keep: TypeAlias = Callable[[Connection, T], Awaitable[None]]


class Write(Protocol[T_co]):
    """A service's method, with all its arguments but `keep`."""

    async def __call__(self, *, keep: Keep[T_co]) -> object: ...


async def keep_nothing(_connection: Connection, _result: object) -> None:
    """Do without a key."""


class KeyedWrites:
    """`secret_box` encrypts the answers that show a secret, as long as they are kept."""

    def __init__(
        self, database: Database, idempotency: IdempotencyService, secret_box: SecretBox
    ) -> None:
        self._database = database
        self._idempotency = idempotency
        self._secret_box = secret_box

    async def once(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        write: Write[T],
        respond: Callable[[T], StoredResponse],
        *,
        shows_secret: bool = False,
    ) -> StoredResponse:
        """Write, once, and return the answer: `respond` makes it of what `keep` was given.

        Raises what `write` raises; final errors are kept under the key, too.
        """
        tenant, box = principal.tenant, self._secret_box if shows_secret else None
        while True:
            known = None if key is None else await self._idempotency.look_up(tenant, key)
            if isinstance(known, UnfinishedRequest):
                raise IdempotencyConflictError
            if known is not None and key is not None:
                return _open(box, tenant, key, known)
            attempt = _Attempt(self, tenant, key, respond, box)
            try:
                await write(keep=attempt.keep)
                return attempt.answer
            except KeyTakenError:
                continue
            except GatewayError as error:
                if key is None or not error.is_final:
                    raise
                return await self._idempotency.record_error(tenant, key, error)

    async def take(
        self, connection: Connection, tenant: Tenant, key: IdempotencyKey, kept: StoredResponse
    ) -> None:
        """Take the key in this transaction. Raises `KeyTakenError` when it is another's."""
        resource_id = self._database.clock.new_id()
        record = self._idempotency.record(tenant, key, resource_id=resource_id, response=kept)
        await self._idempotency.take(connection, tenant, record)


class _Attempt:
    """One try: makes the answer within the service's transaction, and keeps it under the key."""

    def __init__(
        self,
        writes: KeyedWrites,
        tenant: Tenant,
        key: IdempotencyKey | None,
        respond: Callable[[T], StoredResponse],
        box: SecretBox | None,
    ) -> None:
        self._writes = writes
        self._tenant = tenant
        self._key = key
        self._respond: Callable[..., StoredResponse] = respond
        self._box = box
        self.answer = StoredResponse(500, b"")

    async def keep(self, connection: Connection, result: object) -> None:
        self.answer = self._respond(result)
        if self._key is not None:
            kept = _seal(self._box, self._tenant, self._key, self.answer)
            await self._writes.take(connection, self._tenant, self._key, kept)


def _seal(
    box: SecretBox | None, tenant: Tenant, key: IdempotencyKey, answer: StoredResponse
) -> StoredResponse:
    if box is None:
        return answer
    return replace(answer, body=box.encrypt(answer.body, *_context(tenant, key)))


def _open(
    box: SecretBox | None, tenant: Tenant, key: IdempotencyKey, known: StoredResponse
) -> StoredResponse:
    if box is None or known.status >= 400:  # errors are kept as they are
        return known
    return replace(known, body=box.decrypt(known.body, *_context(tenant, key)))


def _context(tenant: Tenant, key: IdempotencyKey) -> tuple[str, UUID, str]:
    return ("idempotency_keys", tenant.organization_id, key.key)
