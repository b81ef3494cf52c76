"""Canned replies: list, write, change and delete them."""

import unicodedata
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.audit.model import AuditAction
from heliograph.core.canned import sql
from heliograph.core.canned.model import CannedReply
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import lock_organization
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.networks.content.texts import MAX_TEXT
from heliograph.platform.characters import JOINERS, shows_something, without_hidden
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.folding import fold

MAX_REPLIES = 500
MAX_SHORTCUT = 30

CREATE = Write(scope="conversations:write", audits=(AuditAction.CANNED_REPLY_CREATED,))
CHANGE = Write(scope="conversations:write", audits=(AuditAction.CANNED_REPLY_CHANGED,))
DELETE = Write(scope="conversations:write", audits=(AuditAction.CANNED_REPLY_DELETED,))


class CannedReplyService:
    """All methods raise `MissingScopeError`; those that take a reply's id also `NotFoundError`."""

    def __init__(self, database: Database, changes: Changes) -> None:
        self._database = database
        self._changes = changes

    async def list(self, principal: Principal) -> list[CannedReply]:
        """List the organization's replies by shortcut."""
        principal.require("conversations:read")
        return await self._database.read(sql.list_replies, principal.tenant, 2 * MAX_REPLIES)

    async def create(self, principal: Principal, shortcut: str, body: str) -> CannedReply:
        """Write a reply. `shortcut` has 1 to 30 letters, digits and hyphens, `body` 1 to 4,096
        characters.

        Raises `InvalidInputError` for others, for a shortcut that is taken, and if there are 500
        replies already.
        """
        now = self._database.clock.now()
        reply = CannedReply(
            id=self._database.clock.new_id(),
            organization_id=principal.organization_id,
            shortcut=_checked_shortcut(shortcut),
            body=_checked_body(body),
            created_at=now,
            updated_at=now,
        )
        return await self._changes.run(CREATE, principal, _insert, reply)

    async def change(
        self, principal: Principal, reply_id: UUID, shortcut: str, body: str
    ) -> CannedReply:
        """Change a reply. Raises what `create` raises."""
        given = {"shortcut": _checked_shortcut(shortcut), "body": _checked_body(body)}
        return await self._changes.run(CHANGE, principal, _change, reply_id, given)

    async def delete(self, principal: Principal, reply_id: UUID) -> None:
        """Delete a reply. It is no error if there is none."""
        await self._changes.run(DELETE, principal, _delete, reply_id)


async def _insert(change: Change, reply: CannedReply) -> CannedReply:
    await _require_free(change.connection, change.tenant, reply)
    if await sql.count_replies(change.connection, change.tenant) >= MAX_REPLIES:
        problem = f"An organization can have at most {MAX_REPLIES} canned replies."
        raise InvalidInputError.at(("shortcut",), problem)
    await sql.put_reply(change.connection, change.tenant, reply)
    change.audit(AuditAction.CANNED_REPLY_CREATED, reply.id, name=f"/{reply.shortcut}")
    return reply


async def _change(change: Change, reply_id: UUID, given: dict[str, str]) -> CannedReply:
    found = await sql.lock_reply(change.connection, change.tenant, reply_id)
    if found is None:
        raise NotFoundError(f"There is no canned reply with the id {reply_id}.")
    changed = replace(found, **given, updated_at=change.now)
    await _require_free(change.connection, change.tenant, changed)
    await sql.put_reply(change.connection, change.tenant, changed)
    change.audit(AuditAction.CANNED_REPLY_CHANGED, reply_id, name=f"/{changed.shortcut}")
    return changed


async def _delete(change: Change, reply_id: UUID) -> None:
    deleted = await sql.delete_reply(change.connection, change.tenant, reply_id)
    if deleted is not None:
        change.audit(AuditAction.CANNED_REPLY_DELETED, reply_id, name=f"/{deleted.shortcut}")


async def _require_free(connection: Connection, tenant: Tenant, reply: CannedReply) -> None:
    """Raise `InvalidInputError` where another reply has the shortcut, or one that looks alike.

    Until the transaction has ended, nobody else can take it.
    """
    await lock_organization(connection, tenant.organization_id)
    folded = fold(reply.shortcut)
    for other in await sql.list_replies(connection, tenant, 2 * MAX_REPLIES):
        if other.id != reply.id and fold(other.shortcut) == folded:
            problem = f"There is already a canned reply '/{other.shortcut}'."
            raise InvalidInputError.at(("shortcut",), problem, input=reply.shortcut)


def _checked_shortcut(shortcut: str) -> str:
    """Return the shortcut as it is typed: in lower case, without the slash before it."""
    typed = without_hidden(shortcut).strip().removeprefix("/")
    found = unicodedata.normalize("NFC", typed).lower()
    if len(found) > MAX_SHORTCUT or not all(map(_is_word, found.split("-"))):
        problem = f"A shortcut has 1 to {MAX_SHORTCUT} letters, digits and hyphens, such as hours."
        raise InvalidInputError.at(("shortcut",), problem, input=shortcut)
    return found


def _is_word(text: str) -> bool:
    """Return whether these are letters, with the marks and joiners of their script, or digits."""
    letters = text.translate(dict.fromkeys(map(ord, JOINERS)))
    return shows_something(letters) and all(
        unicodedata.category(one)[0] in "LMN" for one in letters
    )


def _checked_body(body: str) -> str:
    if not shows_something(body) or len(body) > MAX_TEXT or "\0" in body:
        problem = f"A canned reply has 1 to {MAX_TEXT} characters, not all of them blank."
        raise InvalidInputError.at(("body",), problem)
    return body
