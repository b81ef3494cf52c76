"""The one way to write: a transaction with its entries in the audit log, its events and their
deliveries, and the answer to a request that may be repeated. After the commit, its subscribers are
woken.

    CREATE = Write(scope="conversations:write", audits=(AuditAction.LABEL_CREATED,))

    async def create(self, principal: Principal, name: str) -> Label:
        label = ...
        return await self._changes.run(CREATE, principal, self._insert, label)

    async def _insert(self, change: Change, label: Label) -> Label:
        await sql.insert_label(change.connection, change.tenant, label)
        change.audit(AuditAction.LABEL_CREATED, label.id, name=label.name)
        return label

What accepts messages, stores what networks report or ends deliveries writes for many tenants at
once, in ways of its own.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, Protocol, TypeVar
from uuid import UUID

from heliograph.core import topics
from heliograph.core.audit.sql import has_entry, insert_audit_entries
from heliograph.core.changes.keyed import KeyedAnswer, answering, find_answer
from heliograph.core.changes.model import Change, StableIds, Write
from heliograph.core.events.model import Event
from heliograph.core.idempotency.service import (
    IdempotencyKey,
    IdempotencyService,
    KeyTakenError,
    StoredResponse,
    UnfinishedRequest,
)
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.rows import Shards
from heliograph.errors import GatewayError, IdempotencyConflictError, InvalidInputError
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, await_standbys

P = ParamSpec("P")
T = TypeVar("T")


class StoreEvents(Protocol):
    async def __call__(
        self, connection: Connection, shards: Shards, events: Sequence[Event], clock: Clock, /
    ) -> Collection[UUID]:
        """Store events and their deliveries. Return the webhooks that have new ones."""


@dataclass(eq=False)
class Changes:
    """`secret_box` encrypts answers that show a secret for as long as they are kept."""

    _database: Database
    _notifications: Notifications
    _idempotency: IdempotencyService
    _secret_box: SecretBox
    _store_events: StoreEvents

    async def run(
        self,
        write: Write,
        principal: Principal,
        work: Callable[Concatenate[Change, P], Awaitable[T]],
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """Do `work` in one transaction with the traces that it leaves; return what it returned.

        `work` is called with the change and with the arguments given here, perhaps several times:
        what has to be the same each time, such as ids and secrets, is made before. If it fails
        because an earlier call was committed after all, which that call's entry in the audit log
        shows, the earlier result is returned. Raises
        `MissingScopeError`, what `work` raises, and what `Database.transact` raises.
        """
        write.require(principal)
        keyed = find_answer() if write.is_repeatable else None
        clock = self._database.clock
        now, entry_ids = clock.now(), StableIds(clock)
        made: list[tuple[T, Change]] = []

        async def commit(connection: Connection) -> None:
            change = Change(write, connection, principal, now, clock, entry_ids)
            try:
                result = await work(change, *args, **options)
            except (GatewayError, InvalidInputError):
                # such as for a row that an earlier try has deleted
                recorded = [each for each in made if each[1].entries]
                if recorded and await _is_recorded(connection, recorded[-1][1]):
                    made.append(recorded[-1])
                    raise _CommittedBeforeError from None
                raise
            if keyed is not None:
                await keyed.keep(connection, result)
            await self._leave_traces(change)
            made.append((result, change))

        try:
            await self._database.transact(commit)
        except _CommittedBeforeError:
            await self._database.transact(await_standbys)
        result, change = made[-1]
        if keyed is not None:
            keyed.note_commit()
        self._wake(change)
        return result

    async def _leave_traces(self, change: Change) -> None:
        change.check_events()
        shard = change.tenant.shard
        if change.entries:
            await insert_audit_entries(change.connection, shard, change.entries)
        webhooks = await self._store_events(
            change.connection, shard, change.events.events, self._database.clock
        )
        change.wake(*map(topics.deliveries_of, webhooks))
        for step in change.last_steps:
            await step(change.connection)

    def _wake(self, change: Change) -> None:
        owned = [topic for topic in change.topics if topics.has_one_owner(topic)]
        self._notifications.notify_owner(*owned)
        self._notifications.notify(*[topic for topic in change.topics if topic not in owned])

    async def once(
        self,
        principal: Principal,
        key: IdempotencyKey | None,
        write: Callable[[], Awaitable[T]],
        respond: Callable[[T], StoredResponse],
        *,
        shows_secret: bool = False,
    ) -> StoredResponse:
        """Call `write`, which does one transaction with `run` and returns its result, and answer
        with what `respond` makes of that. The same transaction keeps the answer under the key, and
        a repeat of the request gets it, also one that comes while the first is at work and is
        refused because of what that has done.

        Raises what `write` raises; final errors are kept under the key, too. Raises
        `InvalidInputError` for another request under the same key, and `IdempotencyConflictError`
        while the first one is still running.
        """
        tenant, box = principal.tenant, self._secret_box if shows_secret else None
        while True:
            keyed = KeyedAnswer(self._idempotency, tenant, key, respond, box)
            known = None if key is None else await self._idempotency.look_up(tenant, key)
            if isinstance(known, UnfinishedRequest):
                raise IdempotencyConflictError
            if known is not None:
                return keyed.open(known)
            with suppress(KeyTakenError):
                try:
                    with answering(keyed):
                        await write()
                    return keyed.answer
                except (GatewayError, InvalidInputError) as error:
                    if key is None:
                        raise
                    await self._idempotency.refuse(tenant, key, error)


class _CommittedBeforeError(Exception):
    """An earlier try was committed, and its answer was lost."""


async def _is_recorded(connection: Connection, change: Change) -> bool:
    """Return whether the change is in the audit log."""
    return await has_entry(connection, change.tenant, change.entries[0].id)
