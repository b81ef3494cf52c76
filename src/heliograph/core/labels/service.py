"""Labels: an organization's own words for its conversations and contacts."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.events.service import EventBuilder
from heliograph.core.labels import sql
from heliograph.core.labels.changes_sql import LabelChange, list_left, lock_change, put_change
from heliograph.core.labels.model import Label
from heliograph.core.labels.serializers import LabelListRecord
from heliograph.core.tenants.model import Author, Principal, Tenant, gateway
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.folding import fold

MAX_LABELS = 200
MAX_NAME = 50
_COLOR = re.compile(r"#[0-9a-f]{6}")
_BATCH = 100
_FIRST = UUID(int=0)
_LEFT_AFTER = timedelta(seconds=10)
"""A change that has made no progress for this long was interrupted."""

_TOLD = (EventType.CONVERSATION_UPDATED, EventType.CONTACT_UPDATED)
CREATE = Write(scope="conversations:write", audits=(AuditAction.LABEL_CREATED,), is_repeatable=True)
CHANGE = Write(scope="conversations:write", audits=(AuditAction.LABEL_CHANGED,), events=_TOLD)
TELL = Write(scope=None, unaudited="the change of the label has its entry", events=_TOLD)
DELETE = Write(scope="conversations:write", audits=(AuditAction.LABEL_DELETED,), events=_TOLD)

Tell = Callable[[Connection, EventBuilder, Tenant, Sequence[UUID], Label, Author], Awaitable[None]]
"""Adds the events of conversations, or of contacts, that had this label until now."""


async def tell_nobody(*_: object) -> None:
    """Do nothing: a `Tell` for a process without conversations or contacts."""


@dataclass(eq=False)
class LabelService:
    """All methods raise `MissingScopeError`; those that take a label's id also `NotFoundError` when
    nobody has it, and `OtherOrganizationError` when another organization does."""

    _database: Database
    _changes: Changes
    _tell: Tell = tell_nobody
    _tell_of_contacts: Tell = tell_nobody

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
            "labels": list(labels[offset : offset + limit]),
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
        CREATE.require(principal)
        principal.require_all_accounts()
        clock = self._database.clock
        label = Label(
            id=clock.new_id(),
            organization_id=principal.organization_id,
            name=_checked_name(name),
            color=_checked_color(color),
            created_at=clock.now(),
        )
        return await self._changes.run(CREATE, principal, _insert, label)

    async def change(
        self,
        principal: Principal,
        label_id: UUID,
        name: str | None = None,
        color: str | None = None,
    ) -> Label:
        """Change its name or its color, whichever is given; conversations and contacts with it get
        their events in batches. If that is interrupted, `finish_changes` continues. Raises what
        `create` raises."""
        CHANGE.require(principal)
        principal.require_all_accounts()
        new_name = None if name is None else _checked_name(name)
        new_color = None if color is None else _checked_color(color)
        changed, left = await self._changes.run(
            CHANGE, principal, self._change, label_id, new_name, new_color
        )
        await self._tell_rest(principal.tenant, left)
        return changed

    async def _change(
        self, change: Change, label_id: UUID, name: str | None, color: str | None
    ) -> tuple[Label, UUID | None]:
        """Return the label as it is now, and the id of its change if events are still due."""
        connection = change.connection
        label = await get_label(connection, change.principal, label_id, sql.lock_label)
        changed = replace(label, name=name or label.name, color=color or label.color)
        if changed.name != label.name:  # a collision that exists already may stay
            others = await sql.lock_other_labels(connection, change.tenant, label_id)
            _require_free_name(others, changed)
        if changed == label:
            return label, None
        await sql.update_label(connection, change.tenant, changed)
        _audit(change, AuditAction.LABEL_CHANGED, changed)
        begun = LabelChange(
            tenant=change.tenant,
            id=change.clock.new_id(),
            label_id=label_id,
            name_before=label.name,
            color_before=label.color,
            author=change.author,
            after_conversation_id=_FIRST,
            after_contact_id=_FIRST,
            told_at=change.now,
        )
        return changed, await self._tell_some(change, begun, label)

    async def finish_changes(self) -> None:
        """Continue interrupted changes, of all organizations."""
        left_since = self._database.clock.now() - _LEFT_AFTER
        for tenant, change_id in await self._database.read(list_left, left_since):
            await self._tell_rest(tenant, change_id)

    async def _tell_rest(self, tenant: Tenant, change_id: UUID | None) -> None:
        while change_id is not None:
            change_id = await self._changes.run(TELL, gateway(tenant), self._tell_more, change_id)

    async def _tell_more(self, change: Change, change_id: UUID) -> UUID | None:
        found = await lock_change(change.connection, change.tenant, change_id)
        if found is None:
            return None  # another node finished it, or the label is deleted
        label = await sql.find_label(change.connection, change.tenant, found.label_id)
        return None if label is None else await self._tell_some(change, found, label)

    async def _tell_some(self, change: Change, told: LabelChange, label: Label) -> UUID | None:
        """Add the events of the next conversations and contacts with a label that was changed;
        return the change's id if others are left."""
        connection, tenant, author = change.connection, change.tenant, told.author
        before = replace(label, name=told.name_before, color=told.color_before)
        conversation, contact = told.after_conversation_id, told.after_contact_id
        if conversation is not None:
            ids = await sql.list_some_with(connection, tenant, label.id, conversation, _BATCH)
            await self._tell(connection, change.events, tenant, ids, before, author)
            conversation = _last_of_full(ids)
        if contact is not None:
            ids = await sql.list_some_contacts_with(connection, tenant, label.id, contact, _BATCH)
            await self._tell_of_contacts(connection, change.events, tenant, ids, before, author)
            contact = _last_of_full(ids)
        told = replace(
            told,
            after_conversation_id=conversation,
            after_contact_id=contact,
            told_at=change.now,
        )
        await put_change(connection, told)
        return None if told.is_told else told.id

    async def delete(self, principal: Principal, label_id: UUID) -> None:
        """Remove it from all conversations and contacts, in batches, and delete it. If that is
        interrupted, the label stays on the remaining ones. Raises `AccountNotAllowedError` for a
        caller who is limited to some accounts."""
        DELETE.require(principal)
        principal.require_all_accounts()
        await self._database.read(get_label, principal, label_id)
        while not await self._changes.run(DELETE, principal, self._delete_some, label_id):
            pass

    async def _delete_some(self, change: Change, label_id: UUID) -> bool:
        """Remove the label from some; delete it and return True when nothing has it any more."""
        connection, tenant = change.connection, change.tenant
        label = await sql.lock_label(connection, tenant, label_id)
        if label is None:
            return True
        removed = await sql.remove_from_some(connection, tenant, label_id, _BATCH)
        for tell, ids in (
            (self._tell, removed.conversation_ids),
            (self._tell_of_contacts, removed.contact_ids),
        ):
            await tell(connection, change.events, tenant, ids, label, change.author)
        if not any(removed):
            await sql.delete_label(connection, tenant, label_id)
            _audit(change, AuditAction.LABEL_DELETED, label)
        return not any(removed)


def _audit(change: Change, action: AuditAction, label: Label) -> None:
    change.audit(action, label.id, name=label.name, color=label.color)


def _last_of_full(ids: Sequence[UUID]) -> UUID | None:
    """Return the last id of a full batch, after which there may be more."""
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


async def _insert(change: Change, label: Label) -> Label:
    others = await sql.lock_other_labels(change.connection, change.tenant, label.id)
    _require_free_name(others, label)
    if len(others) >= MAX_LABELS:
        problem = f"An organization can have at most {MAX_LABELS} labels."
        raise InvalidInputError.at(("body", "name"), problem)
    await sql.insert_label(change.connection, change.tenant, label)
    _audit(change, AuditAction.LABEL_CREATED, label)
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
