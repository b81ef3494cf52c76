"""Which networks people are offered for a new device."""

import pytest

from dashboard_scene import DashboardScene, path_of
from heliograph.core.members.model import MemberRole


async def test_a_network_that_lacks_its_library_here_is_not_offered(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    path = path_of(acme, "devices/connect")
    assert "Sandbox" in (await ada.get(path)).text
    network = scene.gateway.networks.get_network("sandbox")
    monkeypatch.setattr(type(network), "missing", lambda _: "Its library is not installed.")
    assert "Sandbox" not in (await ada.get(path)).text
    answer = await ada.post(path, network="sandbox", name="Front desk")
    assert answer.status_code == 422
    assert "There is no such network." in answer.text


async def test_what_a_network_lacks_is_told_to_who_can_install_it(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    paths = [path_of(acme, f"devices/connect{query}") for query in ("", "?network=sandbox")]
    network = scene.gateway.networks.get_network("whatsapp")
    monkeypatch.setattr(type(network), "missing", lambda _: "Run `pip install it`.")
    for path in paths:
        page = (await ada.get(path)).text
        assert "such as whatsapp? The operator of this gateway can install it." in page
        assert "pip install" not in page
    monkeypatch.setitem(scene.gateway.settings.__dict__, "has_local_sign_in", True)
    for path in paths:
        page = (await ada.get(path)).text
        assert "<strong>whatsapp</strong>: <p>Run <code>pip install it</code>.</p>" in page
    monkeypatch.setattr(type(network), "missing", lambda _: None)
    assert "Networks that are not installed" not in (await ada.get(paths[0])).text
