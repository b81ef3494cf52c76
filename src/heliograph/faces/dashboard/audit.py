"""The audit log: who changed what in the organization."""

from starlette.responses import Response

from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

_PAGE_SIZE = 50


@pages.get("audit", scope="admin:read")
async def show_audit(visit: Visit) -> Response:
    """Show fifty entries; `before` is the number of the previous page's last one."""
    entries = await visit.services.audit.list(
        visit.principal, limit=_PAGE_SIZE, before=visit.number("before")
    )
    members = await visit.services.members.list_members(visit.principal)
    names = {f"user {member.user_id}": member.name for member in members}
    more = entries[-1].seq if len(entries) == _PAGE_SIZE else None
    return visit.render("audit.html", entries=entries, names=names, more=more)
