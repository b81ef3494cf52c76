"""The audit log: who changed what in the organization."""

from starlette.responses import Response

from heliograph.faces.dashboard.organization.audit_lines import KnownNames, people_in, read_line
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

_PAGE_SIZE = 50


@pages.get("audit", scope="admin:read")
async def show_audit(visit: Visit) -> Response:
    """Show fifty entries; `before` is the number of the previous page's last one."""
    before = visit.number("before")
    entries = await visit.services.audit.list(visit.principal, limit=_PAGE_SIZE, before=before)
    members = visit.services.members
    directory = KnownNames(
        await members.list_members(visit.principal),
        await members.list_names(visit.principal, people_in(entries)),
        await visit.services.keys.list(visit.principal),
        await visit.services.accounts.list(visit.principal),
        await visit.services.webhooks.list(visit.principal),
        entries,
    )
    is_full = len(entries) == _PAGE_SIZE
    return visit.render(
        "audit.html",
        lines=[read_line(entry, directory) for entry in entries],
        newest=None if before is None else visit.path("audit"),
        older=f"?before={entries[-1].seq}" if is_full else None,
    )
