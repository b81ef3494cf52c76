"""The registry finds drivers by name, and says what is wrong with one that does not load."""

import sys
from importlib.metadata import EntryPoint
from typing import cast

import pytest

from heliograph.networks.port import Network, NetworkContext
from heliograph.networks.registry import (
    GROUP,
    DriverLoadError,
    NetworkRegistry,
    UnknownNetworkError,
)
from heliograph.networks.sandbox.driver import SandboxNetwork


def registry(**drivers: str) -> NetworkRegistry:
    return NetworkRegistry({name: EntryPoint(name, at, GROUP) for name, at in drivers.items()})


def test_the_installed_networks_are_found() -> None:
    networks = NetworkRegistry()

    assert "sandbox" in networks.names()
    assert isinstance(networks.get_network("sandbox"), SandboxNetwork)


def test_a_network_is_made_once_for_each_registry() -> None:
    one, other = NetworkRegistry(), NetworkRegistry()

    assert one.get_network("sandbox") is one.get_network("sandbox")
    assert one.get_network("sandbox") is not other.get_network("sandbox")


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    networks = registry(sandbox="heliograph.networks.sandbox:network", other="nowhere:network")

    with pytest.raises(UnknownNetworkError, match=r"no network 'pigeon'. Known: other, sandbox"):
        networks.get_network("pigeon")


def test_a_driver_is_imported_when_it_is_asked_for() -> None:
    networks = registry(table="colorsys:network")
    sys.modules.pop("colorsys", None)

    assert networks.names() == ("table",)
    assert "colorsys" not in sys.modules
    with pytest.raises(DriverLoadError):
        networks.get_network("table")
    assert "colorsys" in sys.modules


def test_a_driver_that_does_not_load_leaves_the_others_alone() -> None:
    networks = registry(
        sandbox="heliograph.networks.sandbox:network", broken="no_such_module:network"
    )

    assert [network.name for network in networks.list_networks()] == ["sandbox"]
    assert "no_such_module" in str(networks.failures()["broken"])
    with pytest.raises(DriverLoadError, match="network 'broken' can't be loaded"):
        networks.get_network("broken")


def test_a_driver_of_our_own_whose_libraries_are_not_installed_is_an_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("heliograph.networks.xmpp.is_installed", lambda package: False)
    failed = registry(
        xmpp="heliograph.networks.xmpp:network", broken="no_such_module:network"
    ).failures()

    assert failed["xmpp"].is_extra
    assert str(failed["xmpp"]).endswith("slixmpp is missing: pip install 'heliograph[xmpp]'.")
    assert not failed["broken"].is_extra


def test_a_driver_must_be_named_as_it_calls_itself() -> None:
    networks = registry(mine="heliograph.networks.sandbox:network")

    with pytest.raises(DriverLoadError, match="calls itself 'sandbox'"):
        networks.get_network("mine")


def without(missing: str) -> type:
    """The sandbox as its author would have written it who forgot this."""
    written = {name: value for name, value in vars(SandboxNetwork).items() if name != missing}
    return type("Unfinished", (Network,), written)


without_name, without_capabilities = without("name"), without("capabilities")


@pytest.mark.parametrize("missing", ["name", "capabilities"])
def test_a_driver_without_what_it_must_have_is_one_that_does_not_load(missing: str) -> None:
    networks = registry(
        sandbox="heliograph.networks.sandbox:network", mine=f"{__name__}:without_{missing}"
    )

    assert [network.name for network in networks.list_networks()] == ["sandbox"]
    with pytest.raises(DriverLoadError, match=f"network 'mine' lacks {missing}"):
        networks.get_network("mine")


class Stumbling(SandboxNetwork):
    """One whose `start` fails, as of a driver that reads a file which is not there."""

    name = "stumbling"

    def start(self, context: NetworkContext) -> None:
        raise KeyError("wing")


def test_a_driver_that_does_not_start_is_one_that_does_not_load() -> None:
    networks = registry(table="colorsys:network", stumbling=f"{__name__}:Stumbling")
    networks.get_network("stumbling")
    networks.start(cast("NetworkContext", None))

    assert set(networks.failures()) == {"table", "stumbling"}
    with pytest.raises(DriverLoadError, match="'stumbling' can't be started: KeyError: 'wing'"):
        networks.get_network("stumbling")


class Unsaid(SandboxNetwork):
    name = "unsaid"
    capabilities = {"content": ["text"]}  # type: ignore[assignment]  # noqa: RUF012  # as the mistake is made


class Unformed(SandboxNetwork):
    name = "unformed"
    form = ("phone_number",)  # type: ignore[assignment]  # as the mistake is made


class Formless(SandboxNetwork):
    name = "formless"
    form = None  # type: ignore[assignment]  # as the mistake is made


@pytest.mark.parametrize("name", ["unsaid", "unformed", "formless"])
def test_a_driver_whose_parts_are_something_else_does_not_load(name: str) -> None:
    networks = registry(**{name: f"{__name__}:{name.title()}"})

    with pytest.raises(DriverLoadError, match=f"of the network '{name}'"):
        networks.get_network(name)
