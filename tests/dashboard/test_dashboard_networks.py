"""Which networks people are offered for a new device."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dashboard_scene import DashboardScene, open_scene, path_of
from heliograph.core.members.model import MemberRole


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def test_a_network_that_lacks_its_library_here_is_not_offered(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.ADMIN)
    path = path_of(acme, "devices/connect")
    assert "Sandbox" in (await ada.get(path)).text
    network = scene.gateway.networks.get_network("sandbox")
    monkeypatch.setattr(type(network), "missing", lambda _: "Its library is not installed.")
    assert "Sandbox" not in (await ada.get(path)).text
    answer = await ada.post(path, network="sandbox", name="Front desk")
    assert answer.status_code == 422
    assert "There is no such network." in answer.text
