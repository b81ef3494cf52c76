"""The audit log: written in one transaction with what it records, and listed."""

from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.audit.sql import insert_audit_entries, list_audit_entries
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection, Database

MAX_PAGE = 1000


def new_entry(
    clock: Clock, principal: Principal, action: AuditAction, subject: object, **details: object
) -> AuditEntry:
    """Make the entry for the caller before the transaction, so that a repeat adds it only once."""
    return AuditEntry(
        tenant=principal.tenant,
        id=clock.new_id(),
        actor=principal.actor,
        action=action,
        subject=str(subject),
        details=details,
        created_at=clock.now(),
    )


async def record_entry(connection: Connection, entry: AuditEntry) -> None:
    """Add the entry, within the transaction that does what it records."""
    await insert_audit_entries(connection, entry.tenant.shard, [entry])


class AuditService:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(
        self, principal: Principal, *, limit: int = 50, before: int | None = None
    ) -> list[AuditEntry]:
        """List the organization's entries, newest first; `before` is the last `seq` of the page
        before."""
        principal.require("admin:read")
        if not 1 <= limit <= MAX_PAGE:
            raise InvalidInputError.at(("limit",), f"A page has 1 to {MAX_PAGE} entries.")
        return await self._database.read(list_audit_entries, principal.tenant, before, limit)
