"""The inbox in the dashboard: Acme with one device, people who write to it, and its members."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid4

import msgspec

from contents import asked
from core_scene import SHARD, arrival, own, receipt, sent_to
from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.accounts.model import Account
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.claims import claim_messages
from heliograph.core.ingest.model import MessageTaken, Report, ReportedEvent
from heliograph.core.members.model import MemberRole
from heliograph.core.messages.model import ClaimedMessage
from heliograph.core.messages.search.index import NEW, MessageIndexer
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.networks.content import Content
from heliograph.networks.port import Changed, ContactSeen
from inbox_scene import jid_of
from placing import place_organization

NETWORK = "sandbox"


@dataclass
class InboxScene:
    dashboard: DashboardScene
    acme: Organization
    account: Account
    lease: Lease
    arrived: int = 0

    @property
    def principal(self) -> Principal:
        return operator(self.acme.tenant)

    async def member(self, name: str, role: MemberRole = MemberRole.AGENT) -> Person:
        return await self.dashboard.member(name, self.acme, role)

    def path(self, rest: str) -> str:
        return path_of(self.acme, rest)

    async def report(self, *events: ReportedEvent) -> None:
        await self.dashboard.gateway.reports.report(
            [Report(self.lease, NETWORK, event) for event in events]
        )

    async def arrive(
        self, number: int, text: str = "Hello", *, name: str | None = None, **more: object
    ) -> UUID:
        """A message of somebody; the conversation's id."""
        self.arrived += 1
        jid = jid_of(number)
        await self.report(arrival(f"A{self.arrived}", jid, text=text, **more))
        if name is not None:
            await self.report(ContactSeen(jid, name=name))
        return await self.id_of(jid)

    async def hear(self, *contents: Content, **more: Any) -> None:
        """What the first person says: W0, W1 and so on."""
        for number, content in enumerate(contents):
            heard = arrival(f"W{number}", jid_of(1), **more)
            await self.report(msgspec.structs.replace(heard, content=content))

    async def id_of(self, jid: str) -> UUID:
        [row] = await self.dashboard.rows("SELECT id FROM conversations WHERE remote_jid = $1", jid)
        found: UUID = row["id"]
        return found

    async def message_in(self, conversation_id: UUID) -> UUID:
        """The newest message of a conversation; its id."""
        [row] = await self.dashboard.rows(
            "SELECT id FROM messages WHERE conversation_id = $1 ORDER BY seq DESC LIMIT 1",
            conversation_id,
        )
        found: UUID = row["id"]
        return found

    async def send(self, conversation_id: UUID, content: Content) -> ClaimedMessage:
        """An answer that the network has taken and delivered."""
        await self.dashboard.gateway.inbox.reply(self.principal, conversation_id, asked(content))
        [message] = await self.claim()
        await self.report(MessageTaken(message.id, sent_to(message.recipient)))
        await self.report(receipt(message, "delivered"))
        return message

    async def claim(self) -> list[ClaimedMessage]:
        """The messages that wait to be sent."""
        database = self.dashboard.gateway.database
        claim, _ = await database.transact(claim_messages, self.lease, 100, database.clock.now())
        return claim.messages if claim else []

    async def limit_messages(self, per_day: int) -> None:
        gateway = self.dashboard.gateway
        await gateway.plans.put("small", {"messages_per_day": per_day})
        await gateway.organizations.change_plan(str(self.acme.id), "small")

    async def row(self, conversation_id: UUID) -> dict[str, object]:
        [row] = await self.dashboard.rows(
            "SELECT * FROM conversations WHERE id = $1", conversation_id
        )
        return row


def said_in(page: str) -> list[str]:
    """The texts of a thread, of its messages and its notes, from the top."""
    return re.findall(r'<p class="said">([^<]*)</p>', page)


async def read_words(scene: InboxScene) -> None:
    """All that was stored till now can be found by its words."""
    indexer = MessageIndexer(scene.dashboard.gateway.database, lag=timedelta(seconds=-5))
    await indexer.read(NEW)


def changed(
    number: int, kind: Literal["edited", "deleted"], after: timedelta, **more: Any
) -> Changed:
    """What the first person does to their message W`number`, in this long."""
    jid = jid_of(1)
    names: dict[str, Any] = {"chat_jid": jid, "sender_jid": jid, "message_sender_jid": jid}
    at = datetime.now(UTC) + after
    return Changed(
        kind=kind,
        change_id=f"{kind} {number}",
        chat_message_id=f"W{number}",
        at=at,
        **names,
        **more,
    )


@asynccontextmanager
async def open_inbox(database_url: str, data_dir: Path) -> AsyncIterator[InboxScene]:
    async with open_scene(database_url, data_dir) as dashboard:
        gateway = dashboard.gateway
        acme = await place_organization(gateway.database, "Acme", SHARD)
        account = await gateway.accounts.create(
            operator(acme.tenant), NETWORK, "Front desk", "desk", {}
        )
        yield InboxScene(dashboard, acme, account, await own(gateway.database, uuid4()))
