"""What the tests of this folder are given."""

from collections.abc import AsyncIterator

import pytest

from core_scene import Scene, ScriptedSession, playing


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene


@pytest.fixture
def session() -> ScriptedSession:
    return ScriptedSession()
