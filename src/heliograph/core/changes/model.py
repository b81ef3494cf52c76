"""What a write declares, and the change that it makes in one transaction."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.tenants.model import Author, Principal, Tenant
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection

Step = Callable[[Connection], Awaitable[None]]


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of write: what it takes, and the traces that it may leave.

    `scope` is the scope that the caller needs; None for what the gateway does by itself. `audits`
    are the actions that the audit log gets, or `unaudited` says why it gets none. `events` are the
    types of events that report it. `is_repeatable` where a client may send an idempotency key.
    """

    scope: str | None
    audits: tuple[AuditAction, ...] = ()
    unaudited: str = ""
    events: tuple[EventType, ...] = ()
    is_repeatable: bool = False

    def require(self, principal: Principal) -> None:
        """Raise `MissingScopeError` unless the caller has the scope."""
        if self.scope is not None:
            principal.require(self.scope)


class Change:
    """One transaction of a write: its connection, and the traces that it leaves.

    The transaction may be repeated, so it leaves traces only of what it finds to be different.
    `now` is the same at each try.
    """

    def __init__(
        self,
        write: Write,
        connection: Connection,
        principal: Principal,
        now: datetime,
        clock: Clock,
        entry_ids: "StableIds",
    ) -> None:
        self.connection = connection
        self.principal = principal
        self.now = now
        self.clock = clock
        self.events = EventBuilder(clock)
        self.entries: list[AuditEntry] = []
        self.topics: list[str] = []
        self.last_steps: list[Step] = []
        self._write = write
        self._entry_ids = entry_ids

    @property
    def tenant(self) -> Tenant:
        return self.principal.tenant

    @property
    def author(self) -> Author:
        return self.principal.author

    def audit(self, action: AuditAction, subject: object, /, **details: object) -> None:
        """Add an entry to the audit log."""
        if action not in self._write.audits:
            raise UndeclaredTraceError(action)
        self.entries.append(
            AuditEntry(
                tenant=self.tenant,
                id=self._entry_ids[len(self.entries)],
                actor=self.principal.actor,
                action=action,
                subject=str(subject),
                details=details,
                created_at=self.now,
            )
        )

    def event(
        self,
        type_: EventType,
        data: Mapping[str, Any],
        *,
        account_id: UUID | None = None,
        conversation_id: UUID | None = None,
        message_id: UUID | None = None,
    ) -> None:
        """Add an event, perhaps about an account, a conversation or a message."""
        self.events.add(
            type_,
            data,
            self.tenant,
            account_id=account_id,
            conversation_id=conversation_id,
            message_id=message_id,
        )

    def wake(self, *topics: str) -> None:
        """Wake what has subscribed to these topics, once the transaction is committed."""
        self.topics.extend(topics)

    def last(self, step: Step) -> None:
        """Do this at the end of the transaction, because it locks rows that many writes share, such
        as counters."""
        self.last_steps.append(step)

    def check_events(self) -> None:
        """Raise `UndeclaredTraceError` for an event that the write has not declared."""
        for event in self.events.events:
            if event.type not in self._write.events:
                raise UndeclaredTraceError(event.type)


class StableIds:
    """New ids that are the same at each try of a transaction: each place has one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ids: list[UUID] = []

    def __getitem__(self, place: int) -> UUID:
        while len(self._ids) <= place:
            self._ids.append(self._clock.new_id())
        return self._ids[place]


class UndeclaredTraceError(Exception):
    """A write leaves a trace that its `Write` does not declare: a fault of the program."""
