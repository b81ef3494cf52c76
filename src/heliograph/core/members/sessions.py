"""Sessions of people in browsers: begun by a sign-in, ended by time or by signing out.

The browser has a random token, the database its hash. A session that was not seen for `IDLE`, or
was begun more than `LONGEST` ago, is over. The provider's ID token is stored with it, encrypted:
the provider asks for it at the sign-out.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from heliograph.core.members import sql
from heliograph.core.members.model import MemberRole, User, granted_scopes
from heliograph.core.tenants.model import Tenant
from heliograph.platform.crypto import DecryptError, SecretBox
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.oidc.claims import Identity

IDLE = timedelta(hours=12)
LONGEST = timedelta(days=7)
_TOUCH_EVERY = timedelta(minutes=1)


class BrowserSessionService:
    def __init__(self, database: Database, secret_box: SecretBox) -> None:
        self._database = database
        self._secret_box = secret_box

    async def begin(self, identity: Identity, id_token: str | None = None) -> tuple[User, str]:
        """Store the user and begin a session. Returns its token, which is shown only here."""
        token, user_id = secrets.token_urlsafe(32), self._database.clock.new_id()
        now = self._database.clock.now()
        sealed = None
        if id_token is not None:
            sealed = self._secret_box.encrypt(id_token.encode(), _context(token))

        async def work(connection: Connection) -> User:
            user = await sql.upsert_user(connection, user_id, identity, now)
            await sql.insert_session(connection, hash_token(token), user.id, now, sealed)
            await sql.delete_old_sessions(connection, now - LONGEST)
            return user

        return await self._database.transact(work), token

    async def find_user(self, token: str) -> User | None:
        """Find who is signed in with this token. Records at most once a minute that they were."""
        now = self._database.clock.now()
        found = await self._database.read(
            sql.find_user_by_session,
            hash_token(token),
            made_after=now - LONGEST,
            seen_after=now - IDLE,
        )
        if found is None:
            return None
        user, seen_at = found
        if now - seen_at > _TOUCH_EVERY:
            await self._database.transact(sql.touch_session, hash_token(token), now)
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
        except DecryptError:  # of a key that is gone: signing out does not need it
            return None
        return None if opened is None else opened.decode()


def _context(token: str) -> str:
    return f"browser_sessions {hash_token(token).hex()}"


def hash_token(token: str) -> bytes:
    """Return the hash under which a session is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


async def list_session_roles(
    connection: Connection, tenant: Tenant, sessions: Sequence[bytes], now: datetime
) -> Mapping[bytes, MemberRole]:
    """List the roles in the organization of people with these sessions, by the session's hash.

    Sessions that are over, and those of people who do not belong to it, are missing.
    """
    return await sql.list_roles_by_session(
        connection, tenant, sessions, made_after=now - LONGEST, seen_after=now - IDLE
    )
