"""Labels: an organization's own words for its conversations and contacts."""

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.events.service import EventBuilder
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.labels import sql
from heliograph.core.labels.model import Label
from heliograph.core.labels.serializers import LabelListRecord, label_record
from heliograph.core.tenants.model import Author, Principal, Tenant
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.core.webhooks.changes import ChangeWriter
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.folding import fold

MAX_LABELS = 200
MAX_NAME = 50
_COLOR = re.compile(r"#[0-9a-f]{6}")
_BATCH = 100

Tell = Callable[[Connection, EventBuilder, Tenant, Sequence[UUID], Label, Author], Awaitable[None]]
"""Adds the events of conversations, or of contacts, that had this label until now."""


async def tell_nobody(*_: object) -> None:
    """The `Tell` where no conversations or contacts are."""


class _Untold(NamedTuple):
    """Behind which conversations and contacts with a label are others to tell of; None: none."""

    conversation: UUID | None
    contact: UUID | None


_ALL = _Untold(UUID(int=0), UUID(int=0))


class LabelService:
    """All methods raise `MissingScopeError`; those that take a label's id also `NotFoundError` when
    nobody has it, and `OtherOrganizationError` when another organization does."""

    def __init__(
        self,
        database: Database,
        changes: ChangeWriter,
        tell: Tell = tell_nobody,
        tell_of_contacts: Tell = tell_nobody,
    ) -> None:
        self._database = database
        self._changes = changes
        self._tell = tell
        self._tell_of_contacts = tell_of_contacts

    async def list(self, principal: Principal) -> tuple[Label, ...]:
        """List the organization's labels by name."""
        principal.require("conversations:read")
        return tuple(await self._database.read(sql.list_labels, principal.tenant, 2 * MAX_LABELS))

    async def list_page(
        self, principal: Principal, *, limit: int = 50, offset: int = 0
    ) -> LabelListRecord:
        """Return one page of the labels by name, as clients see them."""
        labels = await self.list(principal)
        return {
            "labels": [label_record(label) for label in labels[offset : offset + limit]],
            "total": len(labels),
            "limit": limit,
            "offset": offset,
        }

    async def get(self, principal: Principal, label_id: UUID) -> Label:
        principal.require("conversations:read")
        return await self._database.read(get_label, principal, label_id)

    async def create(self, principal: Principal, name: str, color: str) -> Label:
        """Create a label. `name` has 1 to 50 characters, `color` is `#rrggbb`.

        Raises `InvalidInputError` for another name or color, for a name that a search can't tell
        from another one (`platform.folding`), and if there are 200 labels already, and
        `AccountNotAllowedError` for a caller who is limited to some accounts: all share the labels.
        """
        label = self._new(principal, name, color)
        entry = self._entry(principal, AuditAction.LABEL_CREATED, label)
        return await self._database.transact(_insert, principal.tenant, label, entry)

    async def create_once(
        self, principal: Principal, name: str, color: str, key: IdempotencyKey | None
    ) -> StoredResponse:
        """Create a label and answer with its record; a repeat under the same key gets the same
        answer. Raises what `create` raises."""
        label = self._new(principal, name, color)
        entry = self._entry(principal, AuditAction.LABEL_CREATED, label)

        async def work(connection: Connection, _: EventBuilder) -> StoredResponse:
            await _insert(connection, principal.tenant, label, entry)
            return encode_response(201, label_record(label))

        return await self._changes.answer(principal, key, work)

    def _new(self, principal: Principal, name: str, color: str) -> Label:
        principal.require("conversations:write")
        principal.require_all_accounts()
        clock = self._database.clock
        return Label(
            id=clock.new_id(),
            organization_id=principal.organization_id,
            name=_checked_name(name),
            color=_checked_color(color),
            created_at=clock.now(),
        )

    async def change(
        self,
        principal: Principal,
        label_id: UUID,
        name: str | None = None,
        color: str | None = None,
    ) -> Label:
        """Change its name or its color, whichever is given; conversations and contacts with it are
        told of, some at a time. If that is cut short, the remaining ones are not told of. Raises
        what `create` raises."""
        principal.require("conversations:write")
        principal.require_all_accounts()
        new_name = None if name is None else _checked_name(name)
        new_color = None if color is None else _checked_color(color)

        async def work(
            connection: Connection, events: EventBuilder
        ) -> tuple[Label, Label, _Untold | None]:
            label, untold = await get_label(connection, principal, label_id, sql.lock_label), None
            changed = replace(label, name=new_name or label.name, color=new_color or label.color)
            if changed.name != label.name:
                others = await sql.lock_other_labels(connection, principal.tenant, label_id)
                _require_free_name(others, changed)
            if changed != label:
                await sql.update_label(connection, principal.tenant, changed)
                entry = self._entry(principal, AuditAction.LABEL_CHANGED, changed)
                await record_entry(connection, entry)
                untold = await self._tell_some(connection, events, principal, label, _ALL)
            return changed, label, untold

        changed, label, untold = await self._changes.write(principal.tenant, work)
        while untold is not None:
            untold = await self._changes.write(
                principal.tenant,
                partial(self._tell_some, principal=principal, label=label, after=untold),
            )
        return changed

    async def _tell_some(
        self,
        connection: Connection,
        events: EventBuilder,
        principal: Principal,
        label: Label,
        after: _Untold,
    ) -> _Untold | None:
        """Tell of the next conversations and contacts that have a label, which was `label` until
        now; return behind which others are left."""
        tenant, author = principal.tenant, principal.author
        conversation, contact = None, None
        if after.conversation is not None:
            ids = await sql.list_some_with(connection, tenant, label.id, after.conversation, _BATCH)
            await self._tell(connection, events, tenant, ids, label, author)
            conversation = _last_of_full(ids)
        if after.contact is not None:
            ids = await sql.list_some_contacts_with(
                connection, tenant, label.id, after.contact, _BATCH
            )
            await self._tell_of_contacts(connection, events, tenant, ids, label, author)
            contact = _last_of_full(ids)
        return None if conversation is None and contact is None else _Untold(conversation, contact)

    async def delete(self, principal: Principal, label_id: UUID) -> None:
        """Remove it from all conversations and contacts, some at a time, and delete it. If that is
        cut short, the label stays on the remaining ones. Raises `AccountNotAllowedError` for a
        caller who is limited to some accounts."""
        principal.require("conversations:write")
        principal.require_all_accounts()
        await self._database.read(get_label, principal, label_id)

        async def work(connection: Connection, events: EventBuilder) -> bool:
            tenant = principal.tenant
            label = await sql.lock_label(connection, tenant, label_id)
            if label is None:
                return True
            removed = await sql.remove_from_some(connection, tenant, label_id, _BATCH)
            for tell, ids in (
                (self._tell, removed.conversation_ids),
                (self._tell_of_contacts, removed.contact_ids),
            ):
                await tell(connection, events, tenant, ids, label, principal.author)
            if not any(removed):
                await sql.delete_label(connection, tenant, label_id)
                entry = self._entry(principal, AuditAction.LABEL_DELETED, label)
                await record_entry(connection, entry)
            return not any(removed)

        while not await self._changes.write(principal.tenant, work):
            pass

    def _entry(self, principal: Principal, action: AuditAction, label: Label) -> AuditEntry:
        return new_entry(
            self._database.clock, principal, action, label.id, name=label.name, color=label.color
        )


def _last_of_full(ids: Sequence[UUID]) -> UUID | None:
    """Return the last of as many as were asked for, behind which others may be."""
    return ids[-1] if len(ids) == _BATCH else None


async def get_label(
    connection: Connection,
    principal: Principal,
    label_id: UUID,
    find: Callable[[Connection, Tenant, UUID], Awaitable[Label | None]] = sql.find_label,
) -> Label:
    """Return the label that `find` finds. Raises `NotFoundError` and `OtherOrganizationError`."""
    label = await find(connection, principal.tenant, label_id)
    if label is None:
        not_found = NotFoundError(f"There is no label with the id {label_id}.")
        raise await missing_error(connection, "labels", label_id, not_found)
    return label


async def _insert(connection: Connection, tenant: Tenant, label: Label, entry: AuditEntry) -> Label:
    others = await sql.lock_other_labels(connection, tenant, label.id)
    _require_free_name(others, label)
    if len(others) >= MAX_LABELS:
        problem = f"An organization can have at most {MAX_LABELS} labels."
        raise InvalidInputError.at(("body", "name"), problem)
    await sql.insert_label(connection, tenant, label)
    await record_entry(connection, entry)
    return label


def _require_free_name(others: Sequence[Label], label: Label) -> None:
    name = fold(label.name)
    taken = next((other for other in others if fold(other.name) == name), None)
    if taken is not None:
        problem = f"There is already a label '{taken.name}'."
        raise InvalidInputError.at(("body", "name"), problem, input=label.name)


def _checked_name(name: str) -> str:
    words = " ".join(name.split())
    if not 1 <= len(words) <= MAX_NAME:
        problem = f"A label's name has 1 to {MAX_NAME} characters."
        raise InvalidInputError.at(("body", "name"), problem, input=name)
    return require_visible("A label's name", words, "body", "name")


def _checked_color(color: str) -> str:
    if _COLOR.fullmatch(color.lower()) is None:
        problem = "A color is written #rrggbb, such as #2f7a3c."
        raise InvalidInputError.at(("body", "color"), problem, input=color)
    return color.lower()
