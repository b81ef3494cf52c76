"""The sandbox does what every driver must do."""

import pytest

from heliograph.networks.testing import Conformance, Harness
from sandbox_world import Sandbox

pytest_plugins = ("sandbox_fixtures",)


class TestSandboxConforms(Conformance):
    @pytest.fixture
    async def harness(self, sandbox: Sandbox) -> Harness:
        return sandbox
