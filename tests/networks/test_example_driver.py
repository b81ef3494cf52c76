"""The example of a driver passes the conformance suite, and is found as its package says."""

import tomllib
from importlib.metadata import EntryPoint

from heliograph.networks.registry import GROUP, NetworkRegistry
from repository import ROOT
from telegraph import TelegraphNetwork
from test_telegraph import TestTelegraphConforms  # noqa: F401 - pytest runs it


def test_the_example_is_installed_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "examples/telegraph/pyproject.toml").read_text())["project"]
    [(name, value)] = project["entry-points"][GROUP].items()
    networks = NetworkRegistry({name: EntryPoint(name, value, GROUP)})
    assert isinstance(networks.get_network("telegraph"), TelegraphNetwork)
