"""The answer to a request that may be repeated: made in the transaction of its write, which keeps
it under the request's idempotency key."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.idempotency.service import IdempotencyKey, IdempotencyService, StoredResponse
from heliograph.core.tenants.model import Tenant
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.pool import Connection


class KeyedAnswer:
    """One attempt to answer a request: `respond` makes the answer from the result of the write's
    transaction. `box` encrypts an answer that shows a secret for as long as it is kept."""

    def __init__(
        self,
        idempotency: IdempotencyService,
        tenant: Tenant,
        key: IdempotencyKey | None,
        respond: Callable[[Any], StoredResponse],
        box: SecretBox | None,
    ) -> None:
        self._idempotency = idempotency
        self._tenant = tenant
        self._key = key
        self._respond = respond
        self._box = box
        self._is_committed = False
        self._answer: StoredResponse | None = None

    async def keep(self, connection: Connection, result: object) -> None:
        """Make the answer and keep it. Raises `KeyTakenError` if another request has taken the key
        meanwhile, and `SecondWriteError`."""
        if self._is_committed:
            raise SecondWriteError
        self._answer = self._respond(result)
        if self._key is not None:
            kept = _seal(self._box, self._tenant, self._key, self._answer)
            record = self._idempotency.record(
                self._tenant, self._key, resource_id=None, response=kept
            )
            await self._idempotency.take(connection, self._tenant, record)

    def note_commit(self) -> None:
        self._is_committed = True

    @property
    def answer(self) -> StoredResponse:
        if self._answer is None or not self._is_committed:
            raise NoWriteError
        return self._answer

    def open(self, known: StoredResponse) -> StoredResponse:
        """Decrypt an answer that was kept."""
        if self._box is None or self._key is None or known.status >= 400:  # errors show no secret
            return known
        opened = self._box.decrypt(known.body, *_context(self._tenant, self._key))
        return replace(known, body=opened)


_present: ContextVar[KeyedAnswer | None] = ContextVar("keyed answer", default=None)


@contextmanager
def answering(keyed: KeyedAnswer) -> Iterator[None]:
    """Within this block, have the write's transaction keep this answer."""
    token = _present.set(keyed)
    try:
        yield
    finally:
        _present.reset(token)


def find_answer() -> KeyedAnswer | None:
    """Return the answer that the current write has to keep, if its request may be repeated."""
    return _present.get()


def _seal(
    box: SecretBox | None, tenant: Tenant, key: IdempotencyKey, answer: StoredResponse
) -> StoredResponse:
    if box is None:
        return answer
    return replace(answer, body=box.encrypt(answer.body, *_context(tenant, key)))


def _context(tenant: Tenant, key: IdempotencyKey) -> tuple[str, UUID, str]:
    return ("idempotency_keys", tenant.organization_id, key.key)


class SecondWriteError(Exception):
    """A request under an idempotency key must be answered by one transaction, and has a second: a
    fault of the program."""


class NoWriteError(Exception):
    """A request under an idempotency key was answered without a transaction of `Changes`: a fault
    of the program."""
