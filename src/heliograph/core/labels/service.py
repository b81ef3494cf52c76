"""Labels: an organization's own words for its conversations and contacts."""

import re
from collections.abc import Awaitable, Callable
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.events.service import EventBuilder
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.labels import sql
from heliograph.core.labels.model import Label
from heliograph.core.labels.serializers import LabelListRecord, label_record
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.names import require_visible
from heliograph.core.tenants.sql import missing_error
from heliograph.core.webhooks.changes import ChangeWriter
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.database.pool import Connection, Database

MAX_LABELS = 200
MAX_NAME = 50
_COLOR = re.compile(r"#[0-9a-f]{6}")
_REMOVAL_BATCH = 1000


class LabelService:
    """All methods raise `MissingScopeError`; those that take a label's id also `NotFoundError` when
    nobody has it, and `OtherOrganizationError` when another organization does."""

    def __init__(self, database: Database, changes: ChangeWriter) -> None:
        self._database = database
        self._changes = changes

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

        Raises `InvalidInputError` for another name or color, for a name that is taken, whatever its
        capitals, and if there are 200 labels already.
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
        """Change its name or its color, whichever is given. Raises what `create` raises, and
        `AccountNotAllowedError` for a caller who is limited to some accounts."""
        principal.require("conversations:write")
        principal.require_all_accounts()
        new_name = None if name is None else _checked_name(name)
        new_color = None if color is None else _checked_color(color)

        async def work(connection: Connection) -> Label:
            label = await get_label(connection, principal, label_id, sql.lock_label)
            changed = replace(label, name=new_name or label.name, color=new_color or label.color)
            await _require_free_name(connection, principal.tenant, changed)
            if changed != label:
                await sql.update_label(connection, principal.tenant, changed)
                entry = self._entry(principal, AuditAction.LABEL_CHANGED, changed)
                await record_entry(connection, entry)
            return changed

        return await self._database.transact(work)

    async def delete(self, principal: Principal, label_id: UUID) -> None:
        """Remove it from all conversations and contacts, some at a time, and delete it. If that is
        cut short, the label stays on the remaining ones. Raises `AccountNotAllowedError` for a
        caller who is limited to some accounts."""
        principal.require("conversations:write")
        principal.require_all_accounts()
        await self._database.read(get_label, principal, label_id)

        async def work(connection: Connection) -> bool:
            tenant = principal.tenant
            label = await sql.lock_label(connection, tenant, label_id)
            if label is None:
                return True
            removed = await sql.remove_from_some(connection, tenant, label_id, _REMOVAL_BATCH)
            if removed == 0:
                await sql.delete_label(connection, tenant, label_id)
                entry = self._entry(principal, AuditAction.LABEL_DELETED, label)
                await record_entry(connection, entry)
            return removed == 0

        while not await self._database.transact(work):
            pass

    def _entry(self, principal: Principal, action: AuditAction, label: Label) -> AuditEntry:
        return new_entry(
            self._database.clock, principal, action, label.id, name=label.name, color=label.color
        )


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
    await _require_free_name(connection, tenant, label)
    if await sql.count_labels(connection, tenant, label.id) >= MAX_LABELS:
        problem = f"An organization can have at most {MAX_LABELS} labels."
        raise InvalidInputError.at(("body", "name"), problem)
    await sql.insert_label(connection, tenant, label)
    await record_entry(connection, entry)
    return label


async def _require_free_name(connection: Connection, tenant: Tenant, label: Label) -> None:
    taken = await sql.find_label_named(connection, tenant, label.name)
    if taken is not None and taken.id != label.id:
        problem = f"There is already a label '{taken.name}'."
        raise InvalidInputError.at(("body", "name"), problem, input=label.name)


def _checked_name(name: str) -> str:
    words = " ".join(name.split())
    if not 1 <= len(words) <= MAX_NAME:
        problem = f"A label's name has 1 to {MAX_NAME} characters."
        raise InvalidInputError.at(("body", "name"), problem, input=name)
    require_visible("A label's name", words, "body", "name")
    if not words.isprintable():
        problem = "A label's name can't contain invisible characters."
        raise InvalidInputError.at(("body", "name"), problem, input=name)
    return words


def _checked_color(color: str) -> str:
    if _COLOR.fullmatch(color.lower()) is None:
        problem = "A color is written #rrggbb, such as #2f7a3c."
        raise InvalidInputError.at(("body", "color"), problem, input=color)
    return color.lower()
