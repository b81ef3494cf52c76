"""A virtual phone in the dashboard, and a session that sends to it whatever a network can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.networks import port
from heliograph.networks.port import AccountStatus
from heliograph.networks.testing import Connected
from sandbox_world import AT_ONCE, Sandbox

ADA = "15550100001"
WHO = f"{ADA}@sandbox"


@dataclass
class PhoneScene:
    """Somebody at the dashboard (`ada`) before the phone of somebody else."""

    scene: DashboardScene
    ada: Person
    path: str
    one: Connected
    sandbox: Sandbox

    async def page(self, query: str = "") -> str:
        answer = await self.ada.get(f"{self.path}?with={WHO}{query}")
        assert answer.status_code == 200
        return answer.text

    async def post(self, action: str, **form: str) -> str:
        """The phone's page after this was done."""
        answer = await self.ada.post(f"{self.path}/{action}", person=WHO, **form)
        assert answer.status_code == 303, answer.text
        return (await self.ada.get(answer.headers["location"])).text


@asynccontextmanager
async def open_phone(sandbox: Sandbox, data_dir: Path) -> AsyncIterator[PhoneScene]:
    async with open_scene(sandbox.url, data_dir) as scene:
        acme = await scene.organization("Acme")
        ada = await scene.member("ada", acme, MemberRole.AGENT)
        device = await scene.device(acme)
        at = await sandbox.begin(port.Account(device.id, device.name, AT_ONCE, {}))
        state = await at.events.status(AccountStatus.CONNECTED)
        at.account = port.Account(device.id, device.name, AT_ONCE, {}, state.remote_jid)
        await scene.gateway.database.pool.execute(
            "UPDATE accounts SET status = 'connected', remote_jid = $1 "
            "WHERE shard = $2 AND organization_id = $3 AND id = $4",
            state.remote_jid,
            *device.tenant,
            device.id,
        )
        yield PhoneScene(scene, ada, path_of(acme, f"phone/{device.id}"), at, sandbox)
