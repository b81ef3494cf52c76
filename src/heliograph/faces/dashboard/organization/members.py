"""Members of the organization: who they are, what they may do, inviting others, and accepting an
invitation.
"""

from urllib.parse import quote, urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heliograph.core.members.model import Invitation, MemberRole, User
from heliograph.core.members.service import INVITATION_PATH, NO_INVITATION, is_for
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.address_limits import client_host
from heliograph.faces.dashboard.pages.forms import explain, parse, read_form
from heliograph.faces.dashboard.pages.navigation import first_place
from heliograph.faces.dashboard.pages.registry import BASE, Pages, Visit
from heliograph.faces.dashboard.rendering.renderer import Renderer
from heliograph.faces.dashboard.sessions.cookies import (
    FIELD,
    SignedIn,
    csrf_token,
    find_signed_in,
    is_our_form,
)
from heliograph.faces.dashboard.sessions.sign_in import SIGN_IN, start_url

pages = Pages()


ROLE_HELP = {
    MemberRole.OWNER: "Does everything, and manages owners.",
    MemberRole.ADMIN: "Does everything except manage owners: devices, keys, webhooks, members.",
    MemberRole.AGENT: "Answers people in the inbox, and manages labels and canned replies.",
    MemberRole.VIEWER: "Sees everything, and changes nothing.",
}
"""What each role is for, shown where it is chosen."""


@pages.get("members", scope="members:read")
async def show_members(visit: Visit) -> Response:
    return await _show(visit)


@pages.post("members/invite", scope="members:write")
async def invite(visit: Visit) -> Response:
    try:
        await visit.services.members.invite(visit.principal, visit.field("email"), _role(visit))
    except InvalidInputError as error:
        return await _show(visit, explain(error))
    return visit.go_to("members", done="invited")


async def _show(visit: Visit, problem: str | None = None) -> Response:
    service = visit.services.members
    invitations = await service.list_invitations(visit.principal)
    return visit.render(
        "members.html",
        status=422 if problem else 200,
        members=await service.list_members(visit.principal),
        invitations=[(invitation, service.link(invitation)) for invitation in invitations],
        roles=_roles(visit),
        role_help=ROLE_HELP,
        problem=problem,
    )


@pages.post("members/invitations/{invitation_id:uuid}/code", scope="members:write")
async def make_code(visit: Visit) -> Response:
    """Make a code that accepts the invitation and show it, this once."""
    service, invitation_id = visit.services.members, visit.id("invitation_id")
    code = await service.make_code(visit.principal, invitation_id)
    invitations = await service.list_invitations(visit.principal)
    invitation = next((each for each in invitations if each.id == invitation_id), None)
    if invitation is None:  # accepted or revoked meanwhile
        return visit.go_to("members")
    return visit.render(
        "invitation_code.html", invitation=invitation, code=code, link=service.link(invitation)
    )


@pages.post("members/invitations/{invitation_id:uuid}/revoke", scope="members:write")
async def revoke_invitation(visit: Visit) -> Response:
    await visit.services.members.revoke_invitation(visit.principal, visit.id("invitation_id"))
    return visit.go_to("members", done="revoked")


@pages.post("members/{user_id:uuid}/role", scope="members:write")
async def change_role(visit: Visit) -> Response:
    await visit.services.members.change_role(visit.principal, visit.id("user_id"), _role(visit))
    return visit.go_to("members", done="saved")


@pages.post("members/{user_id:uuid}/remove", scope="members:write")
async def remove(visit: Visit) -> Response:
    await visit.services.members.remove(visit.principal, visit.id("user_id"))
    return visit.go_to("members", done="removed")


@pages.post("members/leave", scope="members:read")
async def leave(visit: Visit) -> Response:
    await visit.services.members.remove(visit.principal, visit.user.id)
    return RedirectResponse(BASE, 303)


def _roles(visit: Visit) -> list[MemberRole]:
    """List the roles that the visitor may give."""
    may_own = "owners:write" in visit.principal.scopes
    return [role for role in MemberRole if may_own or role is not MemberRole.OWNER]


def _role(visit: Visit) -> MemberRole:
    return parse(MemberRole, visit.field("role"), "role", "There is no such role.")


class Invitations:
    def __init__(self, services: Services, renderer: Renderer) -> None:
        self._services = services
        self._renderer = renderer

    def routes(self) -> list[Route]:
        path = INVITATION_PATH + "{organization_id:uuid}/{invitation_id:uuid}"
        return [Route(path, self.show, methods=["GET"]), Route(path, self.accept, methods=["POST"])]

    async def show(self, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        try:
            organization, invitation = await self._find(request)
        except NotFoundError:
            return await self._lead_on(request, None if signed_in is None else signed_in.user)
        return self._show(request, signed_in, organization, invitation)

    def _show(
        self,
        request: Request,
        signed_in: SignedIn | None,
        organization: Organization,
        invitation: Invitation,
        problem: str | None = None,
    ) -> Response:
        return self._renderer.page(
            "invitation.html",
            status=422 if problem else 200,
            problem=problem,
            organization=organization,
            invitation=invitation,
            user=signed_in.user if signed_in else None,
            is_for_user=signed_in is not None and is_for(invitation, signed_in.user),
            sign_in=f"{SIGN_IN}?next={quote(_form_path(request), safe='')}",
            as_other=start_url(_form_path(request), is_other=True),
            provider=urlsplit(self._services.settings.sign_in.issuer or "").netloc,
            form_path=_form_path(request),
            csrf_token=csrf_token(signed_in.token) if signed_in else "",
        )

    async def accept(self, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        if signed_in is None:
            return _sign_in_first(request)
        form = await read_form(request)
        public_url = self._services.settings.public_url
        if not is_our_form(request, form.get(FIELD), signed_in.token, public_url):
            return self._renderer.page("csrf_refused.html", status=403)
        code = form.get("code")
        try:
            organization, invitation = await self._find(request)
            joins = await self._services.members.accept(
                signed_in.user,
                invitation,
                code if isinstance(code, str) else None,
                client_host(request.scope),
            )
        except NotFoundError:
            return await self._lead_on(request, signed_in.user)
        except InvalidInputError as error:
            return self._show(request, signed_in, organization, invitation, explain(error))
        if not joins:
            return await self._lead_on(request, signed_in.user, done="member-as-before")
        return RedirectResponse(_home(invitation.tenant.organization_id, invitation.role), 303)

    async def _find(self, request: Request) -> tuple[Organization, Invitation]:
        return await self._services.members.find_invitation(*_parts(request))

    async def _lead_on(
        self, request: Request, user: User | None, done: str = "member-already"
    ) -> Response:
        """Lead somebody who is already a member to the organization, with the sentence `done`; for
        others, there is no such invitation."""
        parts = _parts(request)
        if user is None and self._services.members.is_link(*parts):
            return _sign_in_first(request)
        mine = [] if user is None else await self._services.members.list_memberships(user)
        for membership in mine:
            if membership.organization.id == parts[0]:
                home = _home(parts[0], membership.role)
                return RedirectResponse(f"{home}?done={done}", 303)
        raise NotFoundError(NO_INVITATION)


def _parts(request: Request) -> tuple[UUID, UUID, str, str]:
    """Return the organization, the invitation, and the signature of the link."""
    path, query = request.path_params, request.query_params
    signed = query.get("expires", ""), query.get("signature", "")
    return path["organization_id"], path["invitation_id"], *signed


def _home(organization_id: UUID, role: MemberRole) -> str:
    place = first_place(role).path
    home = f"{BASE}/{organization_id}"
    return f"{home}/{place}" if place else home


def _sign_in_first(request: Request) -> Response:
    return RedirectResponse(f"{SIGN_IN}?next={quote(_form_path(request), safe='')}", 303)


def _form_path(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}"
