"""Members of the organization: who they are, what they may, and inviting others."""

from starlette.responses import RedirectResponse, Response

from heliograph.core.members.model import MemberRole
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages import BASE, Pages, Visit

pages = Pages()


@pages.get("members", scope="members:read")
async def show_members(visit: Visit) -> Response:
    service = visit.services.members
    invitations = await service.list_invitations(visit.principal)
    return visit.render(
        "members.html",
        visit=visit,
        members=await service.list_members(visit.principal),
        invitations=[(invitation, service.link(invitation)) for invitation in invitations],
        roles=_roles(visit),
    )


@pages.post("members/invite", scope="members:write")
async def invite(visit: Visit) -> Response:
    await visit.services.members.invite(visit.principal, visit.field("email"), _role(visit))
    return visit.go_to("members")


@pages.post("members/invitations/{invitation_id:uuid}/revoke", scope="members:write")
async def revoke_invitation(visit: Visit) -> Response:
    await visit.services.members.revoke_invitation(visit.principal, visit.id("invitation_id"))
    return visit.go_to("members")


@pages.post("members/{user_id:uuid}/role", scope="members:write")
async def change_role(visit: Visit) -> Response:
    await visit.services.members.change_role(visit.principal, visit.id("user_id"), _role(visit))
    return visit.go_to("members")


@pages.post("members/{user_id:uuid}/remove", scope="members:write")
async def remove(visit: Visit) -> Response:
    await visit.services.members.remove(visit.principal, visit.id("user_id"))
    return visit.go_to("members")


@pages.post("members/leave", scope="members:read")
async def leave(visit: Visit) -> Response:
    await visit.services.members.remove(visit.principal, visit.user.id)
    return RedirectResponse(BASE, 303)


def _roles(visit: Visit) -> list[MemberRole]:
    """Those that the visitor may give."""
    may_own = "owners:write" in visit.principal.scopes
    return [role for role in MemberRole if may_own or role is not MemberRole.OWNER]


def _role(visit: Visit) -> MemberRole:
    try:
        return MemberRole(visit.field("role"))
    except ValueError:
        raise InvalidInputError.at(("role",), "There is no such role.") from None
