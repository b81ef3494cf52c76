"""More tenants for the core's scene, each on the shard of a test's choosing, with a webhook, and an
account that the scene's node owns."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from core_scene import ADA, NETWORK, Scene, message_id_of
from heliograph.core.accounts.model import Account
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, claim_leases, list_owned_leases
from heliograph.core.dispatch.claims import claim_messages
from heliograph.core.ingest.model import Report, ReportedEvent
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.lists.names_sql import list_with_names
from heliograph.core.messages.model import Message
from heliograph.core.tenants.model import Principal, operator
from heliograph.networks.content import Text
from heliograph.platform.database.pool import Connection
from placing import place_organization


@dataclass(frozen=True)
class TenantOfScene:
    scene: Scene
    principal: Principal
    account: Account
    lease: Lease

    def reports(self, *events: ReportedEvent) -> list[Report]:
        return [Report(self.lease, NETWORK, event) for event in events]

    async def claim(self, text: str, to: str = ADA) -> Message:
        """A message that is being sent."""
        request = SendMessage(SendTo(to), Text(text), f"run_{text}")
        message_id = message_id_of(await self.scene.messages.send(self.principal, request, None))
        database = self.scene.database
        await database.transact(claim_messages, self.lease, 100, database.clock.now())
        return await self.message(message_id)

    async def message(self, message_id: UUID) -> Message:
        key = (self.principal.organization_id, message_id)
        shard = self.principal.tenant.shard
        found = await self.scene.database.read(list_with_names, shard, [key])
        return found[key].message


async def add_tenants(scene: Scene, *shards: int) -> list[TenantOfScene]:
    """Add a tenant on each of these shards."""
    return [await _add_tenant(scene, shard) for shard in shards]


async def _add_tenant(scene: Scene, shard: int) -> TenantOfScene:
    organization = await place_organization(scene.database, "Tenant", shard)
    principal = operator(organization.tenant)
    account = await scene.accounts.create(principal, NETWORK, "Phone", "phone", {})
    await scene.webhooks.create(principal, "http://127.0.0.1:9/hook")

    async def claim(connection: Connection) -> Sequence[Lease]:
        await claim_leases(connection, ACCOUNT_LEASES, shard, scene.node_id, [], 100)
        return await list_owned_leases(connection, ACCOUNT_LEASES, scene.node_id)

    leases = await scene.database.transact(claim)
    [lease] = [lease for lease in leases if lease.resource_id == account.id]
    return TenantOfScene(scene, principal, account, lease)
