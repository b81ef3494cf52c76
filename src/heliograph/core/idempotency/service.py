"""Requests that a client may repeat: answered once, remembered for 24 hours.

A key belongs to an organization and to one request, identified by its fingerprint. 2xx answers and
final errors are kept; 422, temporary errors and errors that somebody can fix are not.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import Context
from datetime import datetime, timedelta
from typing import Any, NoReturn
from uuid import UUID

import msgspec

from heliograph.core.cluster import sql as cluster_sql
from heliograph.core.idempotency import sql
from heliograph.core.idempotency.sql import IdempotencyRecord
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.errors import (
    GatewayError,
    IdempotencyConflictError,
    InvalidInputError,
    UnavailableError,
)
from heliograph.platform.database.pool import Connection, Database, await_standbys

KEPT_FOR = timedelta(hours=24)
_WRITE_WAIT = 0.25


class IdempotencyKey(msgspec.Struct, frozen=True):
    """`fingerprint` is the SHA-256 of what is asked for and of what the caller may do."""

    key: str
    fingerprint: bytes


def fingerprint(principal: Principal, *request: str) -> bytes:
    """Return the fingerprint of a request, such as method, path and validated body.

    Under an API key that may do something else, or that expires at another time, it is another
    request: the first answer may show what that key may not see, such as the secret of a key that
    may do more.
    """
    accounts = principal.account_filter
    of_accounts = "all" if accounts is None else " ".join(map(str, accounts))
    until = "" if principal.expires_at is None else principal.expires_at.isoformat()
    parts = (" ".join(sorted(principal.scopes)), of_accounts, until, *request)
    return hashlib.sha256("\n".join(parts).encode()).digest()


class StoredResponse(msgspec.Struct, frozen=True):
    """The answer to a request; `body` is encoded JSON."""

    status: int
    body: bytes
    replayed: bool = False


class KeyTakenError(Exception):
    """Another request has taken this key meanwhile: this one's transaction is undone."""


class UnfinishedRequest(msgspec.Struct, frozen=True):
    """A request that was cut off after it made the job `resource_id`; a repeat continues it."""

    resource_id: UUID


def encode_response(status: int, body: Mapping[str, Any]) -> StoredResponse:
    return StoredResponse(status, msgspec.json.encode(body))


class IdempotencyService:
    """`node_id` returns this node's present id, which names who is at work on a request."""

    def __init__(self, database: Database, node_id: Callable[[], UUID]) -> None:
        self._database = database
        self._node_id = node_id
        self._writing: set[asyncio.Task[None]] = set()

    def record(
        self,
        tenant: Tenant,
        key: IdempotencyKey,
        *,
        resource_id: UUID | None,
        response: StoredResponse | None = None,
        at: datetime | None = None,
    ) -> IdempotencyRecord:
        """Make the row that takes this key: with its answer, or as being at work on this node.

        `at` is given where a repeated transaction makes the row anew.
        """
        now = at or self._database.clock.now()
        return IdempotencyRecord(
            tenant=tenant,
            key=key.key,
            fingerprint=key.fingerprint,
            resource_id=resource_id,
            node_id=None if response else self._node_id(),
            response_status=response.status if response else None,
            response_body=response.body if response else None,
            created_at=now,
            expires_at=now + KEPT_FOR,
        )

    async def is_taken(self, tenant: Tenant, name: str) -> bool:
        """Return whether a key of this name was used, for any request: asked about requests that
        can be compared only once their body has been read."""
        found = await self._database.read(sql.find_key, tenant, name)
        return found is not None and found.expires_at > self._database.clock.now()

    async def look_up(
        self, tenant: Tenant, key: IdempotencyKey
    ) -> StoredResponse | UnfinishedRequest | None:
        """Return the first answer under this key, a request to continue, or None for a new key.

        Raises `InvalidInputError` for another request under the same key, and
        `IdempotencyConflictError` while a living node is at work on it.
        """
        found = await self._database.read(sql.find_key, tenant, key.key)
        if found is None or found.expires_at <= self._database.clock.now():
            return None
        if replay := replay_of(found, key):
            await self._database.transact(await_standbys)
            return replay
        if found.node_id is not None and found.node_id in {
            node.id for node in await self._database.read(cluster_sql.list_alive_nodes)
        }:
            raise IdempotencyConflictError
        return await self._take_over(tenant, found)

    async def _take_over(self, tenant: Tenant, found: IdempotencyRecord) -> UnfinishedRequest:
        taken = await self._database.transact(
            # the node's id is read at each try: it may be a new one by then
            lambda connection: sql.take_over_key(
                connection, tenant, found.key, self._node_id(), found.node_id
            )
        )
        if not taken or found.resource_id is None:
            raise IdempotencyConflictError
        return UnfinishedRequest(found.resource_id)

    async def take(self, connection: Connection, tenant: Tenant, record: IdempotencyRecord) -> None:
        """Take the key within the caller's transaction. Raises `KeyTakenError`.

        A transaction that is repeated because its commit was in doubt finds its own row.
        """
        key = (tenant.organization_id, record.key)
        await sql.delete_expired_of(connection, tenant.shard, [key], record.created_at)
        if await sql.insert_keys(connection, tenant.shard, [record]):
            return
        found = await sql.find_key(connection, tenant, record.key)
        if found is None or not found.is_same_request(record):
            raise KeyTakenError

    async def finish(self, tenant: Tenant, key: IdempotencyKey, response: StoredResponse) -> None:
        """Keep the answer of the request that took this key. Raises `UnavailableError`."""
        if not await self._write(
            lambda connection: sql.finish_key(
                connection, tenant, key.key, response.status, response.body
            ),
            wait=self._database.request_timeout,
        ):
            late = TimeoutError("the answer under an Idempotency-Key is not written yet")
            raise UnavailableError(maybe_stored=True) from late

    async def release(self, tenant: Tenant, key: IdempotencyKey) -> None:
        """Give up the key without an answer: a repeat may wait for the outcome."""
        await self._write(
            lambda connection: sql.release_key(connection, tenant, key.key, self._node_id())
        )

    async def forget(self, tenant: Tenant, key: IdempotencyKey) -> None:
        """Delete the key of a request that had no effect: a repeat starts over."""
        await self._write(
            lambda connection: sql.delete_key(connection, tenant, key.key, self._node_id())
        )

    async def _write(
        self, work: Callable[[Connection], Awaitable[None]], *, wait: float = _WRITE_WAIT
    ) -> bool:
        """Write how a key's request ended; return whether that was done within `wait` seconds."""
        # The write goes on after that: a key left taken would be refused to every repeat while this
        # node lives.
        task = asyncio.create_task(self._database.within(None).transact(work), context=Context())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        done, _ = await asyncio.wait({task}, timeout=wait)
        if done:
            task.result()
        return bool(done)

    async def run(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        work: Callable[[], Awaitable[StoredResponse]],
    ) -> StoredResponse:
        """Do `work`, which takes the key itself if it succeeds. If it fails, replay the key's first
        answer if there is one: a repeat may come too late to pass the checks that the first request
        passed. A final error is kept under a free key.

        Raises what `work` raises, and what `look_up` raises.
        """
        try:
            return await work()
        except (GatewayError, InvalidInputError) as error:
            if key is None:
                raise
            with suppress(KeyTakenError):
                await self.refuse(principal.tenant, key, error)
            earlier = await self.look_up(principal.tenant, key)
            if isinstance(earlier, StoredResponse):
                return earlier
            raise

    async def refuse(
        self, tenant: Tenant, key: IdempotencyKey, error: GatewayError | InvalidInputError
    ) -> NoReturn:
        """Raise this error, which is kept as the key's answer if it is final.

        Raises `KeyTakenError` instead if somebody has taken the key since it was looked up: it may
        be the first request's own effect that its repeat is refused for, such as a name that is
        taken by now.
        """
        if isinstance(error, GatewayError) and error.is_final:
            kept = encode_response(error.status, error.body())
            record = self.record(tenant, key, resource_id=None, response=kept)
            await self._database.transact(self.take, tenant, record)
        elif error.status < 500 and await self.is_taken(tenant, key.key):
            raise KeyTakenError
        raise error


def replay_of(found: IdempotencyRecord, key: IdempotencyKey) -> StoredResponse | None:
    """Return the first answer, None while there is none. Raises `InvalidInputError` if the key was
    used for another request."""
    if found.fingerprint != key.fingerprint:
        raise InvalidInputError.at(
            ("header", "Idempotency-Key"),
            "this idempotency key was used before, with another request or with an API key of "
            "other scopes, devices or expiry; use a new one",
            input=key.key,
        )
    if found.response_status is None or found.response_body is None:
        return None
    return StoredResponse(found.response_status, found.response_body, replayed=True)
