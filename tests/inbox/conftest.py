"""What the tests of this folder are given."""

from collections.abc import AsyncIterator

import pytest

from inbox_scene import Desk, open_desk


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with open_desk(database_url) as desk:
        yield desk
