"""What the tests of this folder are given."""

import pytest

from heliograph.networks.testing import Connected
from sandbox_world import Sandbox


@pytest.fixture
async def one(sandbox: Sandbox) -> Connected:
    return await sandbox.connected()
