"""The inbox of one organization, with people who write to it, and another organization."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

import pytest

from core_scene import PEOPLE, SHARD, Scene, arrival, changes_of, playing
from heliograph.core.contacts.events import add_contact_label_events
from heliograph.core.idempotency.service import IdempotencyService
from heliograph.core.inbox.conversations import ConversationService
from heliograph.core.inbox.events import add_label_events
from heliograph.core.inbox.model import EVERYTHING, ConversationCursor, InboxFilter
from heliograph.core.inbox.service import InboxService
from heliograph.core.labels.service import LabelService
from heliograph.core.members.model import MemberRole
from heliograph.core.members.sql import delete_member, insert_member, upsert_user
from heliograph.core.tenants.model import Principal, operator
from heliograph.networks.port import ContactSeen
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection
from heliograph.platform.oidc.claims import Identity
from media_scene import media_of
from placing import place_organization

NOBODY = UUID(int=7)
"""The id of nothing."""
GROUP = "12345@g.sandbox"
LONG_AGO = """
UPDATE conversations SET last_message_at = last_message_at - interval '1 hour',
    updated_at = updated_at - interval '1 hour'
"""


def jid_of(number: int) -> str:
    return f"1555010{number:04}@sandbox"


@dataclass
class Desk:
    """Who sits at the inbox. `stranger` is of another organization of the same shard."""

    scene: Scene
    inbox: InboxService
    conversations: ConversationService
    labels: LabelService
    stranger: Principal
    arrived: int = 0

    @property
    def owner(self) -> Principal:
        return self.scene.principal

    async def arrive(self, *people: int, **more: object) -> None:
        """A message of each, one after another; the last one is the newest."""
        for number in people:
            self.arrived += 1
            await self.scene.report(arrival(f"A{self.arrived}", jid_of(number), **more))  # type: ignore[arg-type]  # a test names fields of Inbound

    async def arrive_in_group(self, sender: int, subject: str = "Harbor Cup") -> None:
        await self.arrive(sender, chat_jid=GROUP, is_group=True, group_subject=subject)

    async def member(self, name: str, of: Principal | None = None) -> UUID:
        """Somebody who belongs to the organization, or to another one; their id."""
        clock = self.scene.database.clock
        identity = Identity("https://login.example.com", name, None, name.title())
        user_id, now, tenant = clock.new_id(), clock.now(), (of or self.owner).tenant

        async def work(connection: Connection) -> None:
            user = await upsert_user(connection, user_id, identity)
            await insert_member(connection, tenant, user.id, MemberRole.AGENT, now)

        await self.scene.database.transact(work)
        return user_id

    async def leave(self, user_id: UUID) -> None:
        """Somebody belongs to the organization no longer."""
        await self.scene.database.transact(delete_member, self.owner.tenant, user_id)

    async def name(
        self, number: int, name: str | None = None, phone_number: str | None = None
    ) -> None:
        await self.scene.report(ContactSeen(jid_of(number), phone_number, name))

    async def id_of(self, jid: str) -> UUID:
        rows = await self.scene.rows("SELECT id FROM conversations WHERE remote_jid = $1", jid)
        found: UUID = rows[0]["id"]
        return found

    async def shown(self, only: InboxFilter = EVERYTHING) -> list[str]:
        """The remote JIDs of the first page, the pinned ones first."""
        page = await self.inbox.list(self.owner, only)
        return [each.remote_jid for each in (*page.pinned, *page.conversations)]

    async def walk(
        self, only: InboxFilter = EVERYTHING, limit: int = 3
    ) -> AsyncIterator[list[str]]:
        """The remote JIDs of each page, from the first to the last; of those that moved meanwhile
        the ones that no page had before."""
        after: ConversationCursor | None = None
        seen: set[str] = set()
        while True:
            page = await self.inbox.list(self.owner, only, after, limit)
            jids = [conversation.remote_jid for conversation in page.conversations]
            if after is None or not after.is_catching_up:
                assert seen.isdisjoint(jids)
                yield jids
            elif new := [jid for jid in jids if jid not in seen]:
                yield new
            seen.update(jids)
            if page.next is None:
                return
            after = page.next


@asynccontextmanager
async def open_desk(database_url: str) -> AsyncIterator[Desk]:
    async with playing(database_url) as scene:
        globex = await place_organization(scene.database, "Globex", SHARD)
        quiet = Notifications("postgresql://unused")
        idempotency = IdempotencyService(scene.database, lambda: scene.node_id)
        changes = changes_of(scene.database, quiet, idempotency)
        media = media_of(scene.database, "memory:///")
        yield Desk(
            scene,
            InboxService(scene.database, scene.messages, changes),
            ConversationService(scene.database, PEOPLE, media, changes),
            LabelService(scene.database, changes, add_label_events, add_contact_label_events),
            operator(globex.tenant),
        )


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with open_desk(database_url) as desk:
        yield desk
