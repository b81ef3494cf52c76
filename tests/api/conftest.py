"""The scene that the tests of the API play in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api_scene import Scene, open_scene


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene
