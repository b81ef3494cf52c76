"""Members of organizations and their roles; invited by e-mail address, with a signed link.

The person who signs in with that address accepts. If the provider vouches for no address, or for
another one, the inviter also hands over a code.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.refusals import AuditedRefusal, RefusalAudit
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.members import sql
from heliograph.core.members.model import (
    Invitation,
    Member,
    MemberListRecord,
    MemberRole,
    Membership,
    User,
    author_principal,
    granted_scopes,
)
from heliograph.core.organizations.sql import find_organization
from heliograph.core.rates.service import RateLimiter
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.core.tenants.sql import lock_organization
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.platform.crypto import InvalidLinkError, SecretKey, sign_link, verify_link
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.typed_codes import make_typed_code, normalize_typed_code

INVITATION_LIFE = timedelta(days=7)
MAX_INVITATIONS = 200
"""Of an organization, at a time."""
INVITATION_PATH = "/dashboard/invitations/"

_WRITE = "members:write"
_OF_ALL = "members:read"
"""A scope of every role."""
INVITE = Write(scope=_WRITE, audits=(AuditAction.MEMBER_INVITED,))
MAKE_CODE = Write(scope=_WRITE, audits=(AuditAction.INVITATION_CODE_MADE,))
REVOKE_INVITATION = Write(scope=_WRITE, audits=(AuditAction.INVITATION_REVOKED,))
ACCEPT = Write(scope=_OF_ALL, audits=(AuditAction.SIGNED_IN, AuditAction.MEMBER_ADDED))
CHANGE_ROLE = Write(scope=_WRITE, audits=(AuditAction.MEMBER_CHANGED,))
REMOVE = Write(scope=_WRITE, audits=(AuditAction.MEMBER_REMOVED,))
LEAVE = Write(scope=_OF_ALL, audits=(AuditAction.MEMBER_REMOVED,))

_CODE_GROUPS = 4  # 78 bits: a hash of it tells nothing
_EMAIL = re.compile(r"[^@\s\x00]{1,64}@[^@\s\x00]{1,250}")


@dataclass(eq=False)
class MemberService:
    """`issuer` is the provider with which people sign in, if it is known; `first_owner_of` an
    organization that the first person who signs in is to own, if any."""

    _database: Database
    _changes: Changes
    _keys: Sequence[SecretKey]
    _rates: RateLimiter
    _refusals: RefusalAudit
    _public_url: str
    _issuer: str | None
    _first_owner_of: UUID | None = None

    async def list_memberships(self, user: User) -> list[Membership]:
        """List the organizations of a user, by name."""
        return await self._database.read(sql.list_memberships, user.id)

    async def welcome(self, user: User, address: str | None = None) -> None:
        """Make the first person who signs in the owner of the organization that waits for one.
        `address` is where they sign in from.

        A plain transaction: of its two entries, one is the person's and one the operator's.
        """
        if self._first_owner_of is None:
            return
        organization = await self._database.read(find_organization, self._first_owner_of)
        if organization is None:
            return
        tenant, now = organization.tenant, self._database.clock.now()
        clock, by = self._database.clock, author_principal(user, tenant)
        signed_in = new_entry(clock, by, AuditAction.SIGNED_IN, user.id, address=address)
        details = {"role": MemberRole.OWNER, "email": user.email}
        added = new_entry(clock, operator(tenant), AuditAction.MEMBER_ADDED, user.id, **details)

        async def work(connection: Connection) -> None:
            await lock_organization(connection, tenant.organization_id)
            if await sql.count_members(connection, tenant) == 0:
                await sql.insert_member(connection, tenant, user.id, MemberRole.OWNER, now)
                await record_entry(connection, signed_in)
                await record_entry(connection, added)

        await self._database.transact(work)

    async def list_members(self, principal: Principal) -> list[Member]:
        principal.require("members:read")
        return await self._database.read(sql.list_members, principal.tenant)

    async def list_page(
        self, principal: Principal, *, limit: int = 50, offset: int = 0
    ) -> MemberListRecord:
        """Return one page of the members by name, for those who assign conversations to them."""
        principal.require("conversations:read")
        members = await self._database.read(sql.list_members, principal.tenant)
        return {
            "members": [
                {"id": member.user_id, "name": member.name, "role": member.role}
                for member in members[offset : offset + limit]
            ],
            "total": len(members),
            "limit": limit,
            "offset": offset,
        }

    async def list_names(self, principal: Principal, user_ids: Sequence[UUID]) -> dict[UUID, str]:
        """List the names of people that records of the organization name, also of those who have
        left it."""
        principal.require("members:read")
        return await self._database.read(sql.list_names, user_ids)

    async def list_invitations(self, principal: Principal) -> list[Invitation]:
        """List the invitations that can be accepted, oldest first."""
        principal.require("members:read")
        now = self._database.clock.now()
        return await self._database.read(sql.list_invitations, principal.tenant, now)

    async def invite(self, principal: Principal, email: str, role: MemberRole) -> Invitation:
        """Invite a person, instead of an earlier invitation of theirs. Raises `InvalidInputError`
        for what is not an e-mail address, for a member's, and while too many are open."""
        _require_may_make(principal, role)
        email = check_email(email)
        now = self._database.clock.now()
        invitation = Invitation(
            tenant=principal.tenant,
            id=self._database.clock.new_id(),
            email=email,
            role=role,
            invited_by=principal.name,
            created_at=now,
            expires_at=now + INVITATION_LIFE,
        )
        return await self._changes.run(INVITE, principal, self._invite, invitation)

    async def _invite(self, change: Change, invitation: Invitation) -> Invitation:
        connection, tenant, email = change.connection, change.tenant, invitation.email
        await lock_organization(connection, tenant.organization_id)
        there = await sql.find_role_of_email(connection, tenant, email, self._issuer)
        if there is not None:
            raise InvalidInputError.at(
                ("email",),
                f"{email} is a member already, as {there}. Change the role on the page "
                "Members of the dashboard.",
            )
        await sql.delete_invitations(connection, tenant, email, change.now)
        if len(await sql.list_invitations(connection, tenant, change.now)) >= MAX_INVITATIONS:
            raise InvalidInputError.at(
                ("email",),
                f"{MAX_INVITATIONS} invitations are open: revoke those that are not needed.",
            )
        await sql.insert_invitation(connection, invitation)
        details = {"email": email, "role": invitation.role}
        change.audit(AuditAction.MEMBER_INVITED, invitation.id, **details)
        return invitation

    def link(self, invitation: Invitation) -> str:
        """Return the address at which the invited person accepts, signed in with that e-mail
        address."""
        path = f"{INVITATION_PATH}{invitation.tenant.organization_id}/{invitation.id}"
        return self._public_url + sign_link(
            self._keys, path, int(invitation.expires_at.timestamp())
        )

    async def find_invitation(
        self, organization_id: UUID, invitation_id: UUID, expires: str, signature: str
    ) -> tuple[Organization, Invitation]:
        """Find what a link invites to. Raises `NotFoundError` for a wrong, used or revoked one."""
        if not self.is_link(organization_id, invitation_id, expires, signature):
            raise NotFoundError(NO_INVITATION)
        now = self._database.clock.now()
        organization = await self._database.read(find_organization, organization_id)
        if organization is not None:
            invitation = await self._database.read(
                sql.find_invitation, organization.tenant, invitation_id, now
            )
            if invitation is not None:
                return organization, invitation
        raise NotFoundError(NO_INVITATION)

    def is_link(
        self, organization_id: UUID, invitation_id: UUID, expires: str, signature: str
    ) -> bool:
        """Return whether `link` made this, and it has not expired; it may be used or revoked."""
        path = f"{INVITATION_PATH}{organization_id}/{invitation_id}"
        now = self._database.clock.now().timestamp()
        try:
            verify_link(self._keys, path, expires, signature, now=now)
        except InvalidLinkError:
            return False
        return True

    async def make_code(self, principal: Principal, invitation_id: UUID) -> str:
        """Make a code that accepts the invitation under any sign-in, instead of an earlier one.

        It is shown only here. Only owners may make one for an owner's invitation. Raises
        `NotFoundError` for an invitation that is used or revoked.
        """
        code = make_typed_code(_CODE_GROUPS)
        await self._changes.run(MAKE_CODE, principal, _set_code, invitation_id, _hash_code(code))
        return code

    async def accept(
        self,
        user: User,
        invitation: Invitation,
        code: str | None = None,
        address: str | None = None,
    ) -> bool:
        """Make the user a member. False when they are one already: their role stays as it is.

        Somebody with another e-mail address, or none, needs the `code`. `address` is where they
        try it from. Raises `InvalidInputError` without it and for a wrong one, `RateLimitedError`
        for too many, and `NotFoundError` for an invitation that is used or revoked.
        """
        if is_for(invitation, user):
            code = None
        elif code is None:
            raise InvalidInputError.at(
                ("email",), f"This invitation is for {invitation.email}: sign in as that person."
            )
        else:
            (await self._rates.hit_code(user.id)).require()
        granted = granted_scopes(invitation.role)  # the scopes of the member whom this makes
        by = Principal(invitation.tenant, granted, name=user.name, user_id=user.id)
        try:
            return await self._changes.run(ACCEPT, by, _join, user, invitation, code, address)
        except InvalidInputError:
            self._note_wrong_code(user, invitation, address)
            raise

    def _note_wrong_code(self, user: User, invitation: Invitation, address: str | None) -> None:
        refusal = AuditedRefusal(
            invitation.tenant,
            AuditAction.INVITATION_CODE_REFUSED,
            invitation.email,
            "wrong code",
            actor=f"user {user.id}",
        )
        self._refusals.note(refusal, address)

    async def revoke_invitation(self, principal: Principal, invitation_id: UUID) -> None:
        """Revoke an invitation; only owners may revoke an owner's.

        Raises `NotFoundError` for one that is used or revoked.
        """
        await self._changes.run(REVOKE_INVITATION, principal, _revoke, invitation_id)

    async def change_role(self, principal: Principal, user_id: UUID, role: MemberRole) -> None:
        """Change the role of a member. Raises `NotFoundError` for a user who is not a member,
        `InvalidInputError` for the last owner."""
        _require_may_make(principal, role)
        await self._changes.run(CHANGE_ROLE, principal, _change_role, user_id, role)

    async def remove(self, principal: Principal, user_id: UUID) -> None:
        """Remove a member; everybody may remove themselves. Raises what `change_role` raises."""
        write = LEAVE if user_id == principal.user_id else REMOVE
        await self._changes.run(write, principal, _remove, user_id)


async def _set_code(change: Change, invitation_id: UUID, code_hash: bytes) -> None:
    found = await sql.update_invitation_code(
        change.connection, change.tenant, invitation_id, change.now, code_hash
    )
    if found is None:
        raise NotFoundError(NO_INVITATION)
    _require_may_make(change.principal, found.role)
    change.audit(AuditAction.INVITATION_CODE_MADE, invitation_id, email=found.email)


async def _join(
    change: Change, user: User, invitation: Invitation, code: str | None, address: str | None
) -> bool:
    await _take(change, invitation, code)
    joins = await sql.insert_member(
        change.connection, change.tenant, user.id, invitation.role, change.now
    )
    if joins:
        # their present session: when it began, they were not a member yet
        change.audit(AuditAction.SIGNED_IN, user.id, address=address)
        change.audit(
            AuditAction.MEMBER_ADDED,
            user.id,
            email=invitation.email,
            role=invitation.role,
            invited_by=invitation.invited_by,
            **({} if code is None else {"by_code": True}),
        )
    return joins


async def _revoke(change: Change, invitation_id: UUID) -> None:
    taken = await sql.take_invitation(change.connection, change.tenant, invitation_id, change.now)
    if taken is None:
        raise NotFoundError(NO_INVITATION)
    _require_may_make(change.principal, taken.role)
    change.audit(AuditAction.INVITATION_REVOKED, invitation_id, email=taken.email)


async def _change_role(change: Change, user_id: UUID, role: MemberRole) -> None:
    before = await _lock_member(change, user_id)
    if before is role:
        return
    await _keep_an_owner(change, before)
    await sql.update_role(change.connection, change.tenant, user_id, role)
    change.audit(AuditAction.MEMBER_CHANGED, user_id, role=role)


async def _remove(change: Change, user_id: UUID) -> None:
    await _keep_an_owner(change, await _lock_member(change, user_id))
    await sql.delete_member(change.connection, change.tenant, user_id)
    change.audit(AuditAction.MEMBER_REMOVED, user_id)


async def _lock_member(change: Change, user_id: UUID) -> MemberRole:
    """Lock the members. Returns the role of one whom the principal may change."""
    await lock_organization(change.connection, change.tenant.organization_id)
    role = await sql.find_role(change.connection, change.tenant, user_id)
    if role is None:
        raise NotFoundError("This person is not a member of the organization.")
    if role is MemberRole.OWNER and user_id != change.principal.user_id:
        change.principal.require("owners:write")
    return role


def check_email(text: str) -> str:
    """Return an e-mail address in lower case. Raises `InvalidInputError` for anything else."""
    email = text.strip().lower()
    if not _EMAIL.fullmatch(email):
        raise InvalidInputError.at(("email",), f"'{email}' is not an e-mail address.")
    if not email.isprintable():
        problem = f"'{ascii(email)[1:-1]}' contains invisible characters: type the address."
        raise InvalidInputError.at(("email",), problem)
    return email


def is_for(invitation: Invitation, user: User) -> bool:
    """Whether the invitation is for this user, by the e-mail address that the provider gives."""
    return (user.email or "").lower() == invitation.email


WRONG_CODE = "This code is wrong. Check it, or ask for a new one: only the newest works."
NO_INVITATION = "This invitation is not valid, or no longer valid: ask for another one."


def _hash_code(code: str) -> bytes:
    return hashlib.sha256(normalize_typed_code(code).encode("utf-8", "surrogatepass")).digest()


async def _take(change: Change, invitation: Invitation, code: str | None) -> None:
    """Use the invitation up. Raises `InvalidInputError` for a wrong code, and `NotFoundError`."""
    connection, tenant, id_, now = change.connection, change.tenant, invitation.id, change.now
    if code is None:
        taken = await sql.take_invitation(connection, tenant, id_, now)
    else:
        taken = await sql.take_invitation_by_code(connection, tenant, id_, now, _hash_code(code))
    if taken is not None:
        return
    if code is not None and await sql.find_invitation(connection, tenant, id_, now) is not None:
        raise InvalidInputError.at(("code",), WRONG_CODE)
    raise NotFoundError(NO_INVITATION)


def _require_may_make(principal: Principal, role: MemberRole) -> None:
    principal.require(_WRITE)
    if role is MemberRole.OWNER:
        principal.require("owners:write")


async def _keep_an_owner(change: Change, before: MemberRole) -> None:
    is_owner = before is MemberRole.OWNER
    if is_owner and await sql.count_owners(change.connection, change.tenant) == 1:
        raise InvalidInputError.at(
            ("user_id",), "An organization needs an owner: make somebody else an owner first."
        )
