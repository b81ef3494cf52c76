"""What a network claims about itself."""

import contextlib

import pytest

from heliograph.networks import port
from heliograph.networks.registry import REQUIRED, installed_drivers
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import Suite, require

OPTIONAL = {
    "create_group": port.Groups,
    "join_group": port.Groups,
    "manage_groups": port.GroupManagement,
    "contacts": port.Contacts,
    "pictures": port.Pictures,
    "number_checks": port.NumberChecks,
    "changes": port.MessageChanges,
    "typing": port.Typing,
    "read_marks": port.ReadMarks,
}
"""The protocol that a session must implement for each claim in `Capabilities`."""


class Claims(Suite):
    def test_it_says_what_it_is(self, harness: Harness) -> None:
        missing = [name for name in REQUIRED if not hasattr(harness.network, name)]

        assert not missing, f"the network lacks {', '.join(missing)}"

    def test_it_is_installed_under_its_name(self, harness: Harness) -> None:
        names = _installed_names(harness.network)
        if not names:
            pytest.skip("the driver is not installed")

        assert harness.network.name in names, "its entry point has another name"

    async def test_what_it_claims_is_there(self, harness: Harness, one: Connected) -> None:
        claimed = harness.network.capabilities

        for claim, protocol in OPTIONAL.items():
            if getattr(claimed, claim):
                require(one, claim, protocol)
        simulator = harness.network.simulator(one.account.id)
        assert simulator or not claimed.simulator, "claims simulator, and has none"


def _installed_names(network: port.Network) -> list[str]:
    """Return the names of the entry points that make networks of this one's class."""
    names = []
    for name, driver in installed_drivers().items():
        with contextlib.suppress(Exception):  # another driver may be broken
            if isinstance(network, type(driver.load()())):
                names.append(name)
    return names
