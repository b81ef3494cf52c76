"""Notes for colleagues about a conversation, which its contact never sees."""

from uuid import UUID

import msgspec

from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.inbox import notes_sql
from heliograph.core.inbox.model import Note
from heliograph.core.messages.accepting.recipients import get_chat
from heliograph.core.pages import Page, decode_cursor, encode_cursor
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.platform.characters import shows_something
from heliograph.platform.database.pool import Connection, Database

MAX_NOTE = 4096
"""Characters."""
_NEWEST = UUID(int=2**128 - 1)

WRITE = Write(scope="conversations:write", audits=(AuditAction.NOTE_WRITTEN,), is_repeatable=True)


class NoteCursor(msgspec.Struct, frozen=True):
    """The note behind which the next page begins."""

    note_id: UUID


class NoteService:
    """All methods raise `ConversationNotFoundError`, `OtherOrganizationError`,
    `AccountNotAllowedError` and `MissingScopeError`."""

    def __init__(self, database: Database, changes: Changes) -> None:
        self._database = database
        self._changes = changes

    async def list(
        self,
        principal: Principal,
        conversation_id: UUID,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """List the notes about a conversation, newest first. Raises `InvalidInputError` for a
        cursor of another list."""
        principal.require("conversations:read")
        before = _NEWEST if cursor is None else decode_cursor(cursor, NoteCursor).note_id

        async def work(connection: Connection) -> Page:
            await get_chat(connection, principal, conversation_id)
            found = await notes_sql.list_notes(
                connection, principal.tenant, conversation_id, before, limit + 1
            )
            page = found[:limit]
            more = encode_cursor(NoteCursor(page[-1].id)) if len(found) > limit else None
            return Page(page, more)

        return await self._database.read(work)

    async def write(self, principal: Principal, conversation_id: UUID, body: str) -> Note:
        """Add a note of 1 to 4,096 characters, not all of them blank.

        Raises `InvalidInputError` for another text.
        """
        clock = self._database.clock
        note = Note(
            id=clock.new_id(),
            conversation_id=conversation_id,
            body=_checked(body),
            author=principal.author,
            created_at=clock.now(),
        )
        return await self._changes.run(WRITE, principal, _insert, note)


async def _insert(change: Change, note: Note) -> Note:
    await get_chat(change.connection, change.principal, note.conversation_id)
    await notes_sql.insert_note(change.connection, change.tenant, note)
    change.audit(AuditAction.NOTE_WRITTEN, note.id, conversation_id=note.conversation_id)
    return note


def _checked(body: str) -> str:
    if not shows_something(body) or len(body) > MAX_NOTE or "\0" in body:
        problem = f"A note has 1 to {MAX_NOTE} characters, not all of them blank."
        raise InvalidInputError.at(("body", "body"), problem)
    return body
