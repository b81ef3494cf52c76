"""What the tests of this folder are given."""

from collections.abc import AsyncIterator

import pytest

from core_scene import Scene, playing


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene
