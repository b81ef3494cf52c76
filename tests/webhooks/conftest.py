"""What the tests of webhooks happen to: an organization's side of the gateway."""

from collections.abc import AsyncIterator

import pytest

from webhook_scene import Scene, playing


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene
