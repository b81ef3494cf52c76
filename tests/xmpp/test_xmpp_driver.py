"""The driver costs nothing until an account needs it, and says what it lacks."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

import heliograph.networks.xmpp as driver
from heliograph.networks.registry import GROUP, DriverLoadError, NetworkRegistry


def registry() -> NetworkRegistry:
    return NetworkRegistry({"xmpp": EntryPoint("xmpp", "heliograph.networks.xmpp:network", GROUP)})


def test_without_slixmpp_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "is_installed", lambda _: False)

    with pytest.raises(DriverLoadError, match=r"pip install 'heliograph\[xmpp\]'"):
        registry().get_network("xmpp")
    assert registry().list_networks() == []


def test_slixmpp_is_not_loaded_for_a_node_without_an_account() -> None:
    asked = (
        "import sys; from heliograph.networks.xmpp import network; made = network(); "
        "made.recipient('+493012345', {'jid': 'desk@example.org'}); "
        "print('slixmpp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_an_address_of_a_group_is_told_by_its_service() -> None:
    network = registry().get_network("xmpp")

    assert network.is_group("chess@conference.example.org")
    assert network.is_group("chess@muc.example.org")
    assert not network.is_group("romeo@example.org")
