"""A virtual phone in the dashboard, and a session that sends to it whatever a network can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization
from heliograph.networks.testing import Connected
from sandbox_world import Sandbox

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

    async def refused(self, action: str, **form: str) -> str:
        """The phone's page that says why this was not done."""
        answer = await self.ada.post(f"{self.path}/{action}", person=WHO, **form)
        assert answer.status_code == 422, answer.text
        return answer.text


@asynccontextmanager
async def open_phone(sandbox: Sandbox, data_dir: Path) -> AsyncIterator[PhoneScene]:
    async with open_scene(sandbox.url, data_dir) as scene:
        acme, ada = await scene.acme(MemberRole.AGENT)
        path, at = await connect(scene, sandbox, acme)
        yield PhoneScene(scene, ada, path, at, sandbox)


async def connect(
    scene: DashboardScene, sandbox: Sandbox, organization: Organization
) -> tuple[str, Connected]:
    """A device that is connected: the path of its phones, and its session."""
    device = await scene.device(organization)
    return path_of(organization, f"phone/{device.id}"), await sandbox.connected_for(device)
