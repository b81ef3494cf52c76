"""What the tests of this folder are given."""

import pytest

from live_gateway import LiveGateway
from mcp_scene import McpScene


@pytest.fixture(scope="module")
def scene(gateway: LiveGateway) -> McpScene:
    return McpScene(gateway)
