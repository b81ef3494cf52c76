"""Sessions of people in browsers: begun by a sign-in, ended by time or by signing out.

The browser has a random token, the database its hash. A session that was not seen for `IDLE`, or
was begun more than `MAX_AGE` ago, is over. The provider's ID token is stored with it, encrypted:
the provider asks for it at the sign-out.

A session belongs to no organization, and its entries go to the audit logs of several, so these are
plain transactions.
"""

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.refusals import AuditedRefusal, RefusalAudit
from heliograph.core.audit.service import new_entry, record_entry
from heliograph.core.members import sql
from heliograph.core.members.model import (
    BrowserSession,
    MemberRole,
    SignInClient,
    User,
    author_principal,
    granted_scopes,
)
from heliograph.core.organizations.sql import find_only_organization, find_organization
from heliograph.core.tenants.model import Organization, Tenant
from heliograph.platform.crypto import DecryptError, SecretBox
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.oidc.claims import Identity

IDLE = timedelta(hours=12)
MAX_AGE = timedelta(days=7)
_TOUCH_INTERVAL = timedelta(minutes=1)
_MAX_AGENT_LENGTH = 400
_MAX_LISTED = 200
T = TypeVar("T")


class BrowserSessionService:
    def __init__(self, database: Database, secret_box: SecretBox, refusals: RefusalAudit) -> None:
        self._database = database
        self._secret_box = secret_box
        self._refusals = refusals

    async def begin(
        self,
        identity: Identity,
        id_token: str | None = None,
        client: SignInClient | None = None,
    ) -> tuple[User, str]:
        """Store the user and begin a session, recorded in the audit log of each of their
        organizations. Return its token, which is shown only here."""
        token, user_id = secrets.token_urlsafe(32), self._database.clock.new_id()
        now, session_id = self._database.clock.now(), self._database.clock.new_id()
        address, agent = client or SignInClient()
        agent = None if agent is None else agent[:_MAX_AGENT_LENGTH]
        session = BrowserSession(session_id, hash_token(token), now, now, address, agent)
        sealed = None
        if id_token is not None:
            sealed = self._secret_box.encrypt(id_token.encode(), _context(token))

        async def work(connection: Connection) -> User:
            user = await sql.upsert_user(connection, user_id, identity)
            if await sql.insert_session(connection, session, user.id, sealed):
                await self._record(connection, user, AuditAction.SIGNED_IN, address=address)
            await sql.delete_old_sessions(connection, now - MAX_AGE)
            return user

        return await self._database.transact(work), token

    async def _record(
        self, connection: Connection, user: User, action: AuditAction, **details: object
    ) -> None:
        """Record what somebody did in the audit log of each of their organizations."""
        for membership in await sql.list_memberships(connection, user.id):
            tenant = membership.organization.tenant
            by = author_principal(user, tenant)
            entry = new_entry(self._database.clock, by, action, user.id, **details)
            await record_entry(connection, entry)

    async def note_failure(
        self, organization_id: UUID | None, reason: str, address: str | None
    ) -> None:
        """Record a failed sign-in in the audit log of the organization whose page was wanted or,
        without one, of the only organization there is."""
        organization = await self._database.read(_find_wanted, organization_id)
        if organization is not None:
            action = AuditAction.SIGN_IN_FAILED
            self._refusals.note(AuditedRefusal(organization.tenant, action, "", reason), address)

    async def list(self, user: User) -> list[BrowserSession]:
        """List where somebody is signed in, newest use first: the last 200."""
        now = self._database.clock.now()
        return await self._database.read(
            sql.list_sessions,
            user.id,
            made_after=now - MAX_AGE,
            seen_after=now - IDLE,
            limit=_MAX_LISTED,
        )

    async def end_one(self, user: User, session_id: UUID) -> None:
        """End a session of this person; nothing happens if it has ended already."""
        await self._end(user, sql.delete_session_of, session_id)

    async def end_others(self, user: User, token: str) -> None:
        """End all sessions of this person but the one with this token."""
        await self._end(user, sql.delete_other_sessions, hash_token(token))

    async def _end(
        self, user: User, delete: Callable[[Connection, UUID, T], Awaitable[int]], which: T
    ) -> None:
        async def work(connection: Connection) -> None:
            if ended := await delete(connection, user.id, which):
                await self._record(connection, user, AuditAction.SESSIONS_ENDED, count=ended)

        await self._database.transact(work)

    async def find_user(self, token: str, address: str | None = None) -> User | None:
        """Find who is signed in with this token. Records at most once a minute that they were, and
        from which address."""
        now = self._database.clock.now()
        found = await self._database.read(
            sql.find_user_by_session,
            hash_token(token),
            made_after=now - MAX_AGE,
            seen_after=now - IDLE,
        )
        if found is None:
            return None
        user, seen_at = found
        if now - seen_at > _TOUCH_INTERVAL:
            await self._database.transact(sql.touch_session, hash_token(token), now, address)
        return user

    async def grants(self, tenant: Tenant, session: bytes, scope: str) -> bool:
        """Return whether the person with this session, its hash, may still do this in the
        organization."""
        now = self._database.clock.now()
        roles = await self._database.read(list_session_roles, tenant, [session], now)
        return session in roles and scope in granted_scopes(roles[session])

    async def end(self, token: str) -> str | None:
        """End the session. Returns its ID token, if it has one."""
        sealed = await self._database.transact(sql.delete_session, hash_token(token))
        try:
            opened = None if sealed is None else self._secret_box.decrypt(sealed, _context(token))
        except DecryptError:  # its key is gone, and signing out does not need it
            return None
        return None if opened is None else opened.decode()


def _context(token: str) -> str:
    return f"browser_sessions {hash_token(token).hex()}"


def hash_token(token: str) -> bytes:
    """Return the hash under which a session is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


async def _find_wanted(connection: Connection, organization_id: UUID | None) -> Organization | None:
    if organization_id is not None:
        return await find_organization(connection, organization_id)
    return await find_only_organization(connection)


async def list_session_roles(
    connection: Connection, tenant: Tenant, sessions: Sequence[bytes], now: datetime
) -> Mapping[bytes, MemberRole]:
    """List the roles in the organization of people with these sessions, by the session's hash.

    Sessions that are over, and those of people who do not belong to it, are missing.
    """
    return await sql.list_roles_by_session(
        connection, tenant, sessions, made_after=now - MAX_AGE, seen_after=now - IDLE
    )
